package main

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/paper/repro"
)

const t1Help = `T1 learns to read digits from sums: the examples are pairs of numbers whose
digits are MNIST's pictures in their order, and only the sum of the numbers is
known. With one digit it is the paper's task; longer numbers are added by rules
about columns and carries. No label of a picture is read but to score.

--faithful takes the paper's two rules as printed, Algorithm 1 and its inference
by gradient descent, with settings that they learn with; those of the paper's
table are others. --ablation asks what of this matters, and what becomes of
other readings: it trains LeNet-5 for 3 epochs on 3,000 pairs.`

const t1Examples = `  go run ./paper t1 --runs 3
  go run ./paper t1 --digits 4 --net paper --out results
  go run ./paper t1 --train-pairs 300              with few examples
  go run ./paper t1 --ablation                     the dying hinge`

// t1Command is one run of go run ./paper t1.
type t1Command struct {
	*command.Env
	task     repro.T1
	ablation bool
	out      string
}

func newT1(e *command.Env) *cobra.Command {
	r := &t1Command{Env: e}
	cmd := &cobra.Command{
		Use:     "t1 [--digits N] [--net NAME] [--train-pairs K] [--runs R] [--epochs E]",
		Short:   "Addition of handwritten digits",
		Long:    t1Help,
		Example: t1Examples,
		Args:    command.NoArguments,
		RunE:    r.run,
	}
	f, t := cmd.Flags(), &r.task
	t.Digits, t.Runs = 1, 3
	command.CountVar(f, &t.Digits, "digits", 1, "how many digits each `number` has")
	f.StringVar(&t.Net, "net", "lenet", "lenet (LeNet-5) or paper (the paper's network)")
	command.CountVar(f, &t.TrainPairs, "train-pairs", 1, "the `number` of training pairs, the first ones (default: all)")
	command.CountVar(f, &t.HoldOut, "validation-pairs", 0,
		"of these, the `number` of those held out to choose the best epoch by")
	command.CountVar(f, &t.Runs, "runs", 1, "the `number` of trainings, each from initial weights of its own")
	command.CountVar(f, &t.Epochs, "epochs", 1, "the `number` of passes through the pairs (default: the task's own)")
	f.Float64Var(&t.Dropout, "dropout", 0, "dropout of the network's hidden layers")
	f.IntVar(&t.Shift, "shift", 0, "pixels that training moves pictures by (default: 1, or 2 for few; -1: none)")
	f.BoolVar(&t.Faithful, "faithful", false, "take the paper's rules as printed, and its algorithm")
	f.BoolVar(&r.ablation, "ablation", false, "train with other settings and readings of these, and compare")
	f.BoolVar(&t.Watch, "watch", false, "score the test pairs after every epoch, for the time to 97 %")
	command.FolderVar(f, &r.out, "out", "write a table, curves, a confusion matrix and the project to this `folder`")
	optionFlag(cmd, &t.Set)
	return cmd
}

func (r *t1Command) run(cmd *cobra.Command, _ []string) error {
	t := &r.task
	if _, known := repro.T1Nets[t.Net]; !known {
		return command.Usage("flag-value", command.HintFor(cmd, t.Net, []string{"lenet", "paper"}),
			"--net takes lenet or paper, not %q", t.Net)
	}
	if r.ablation {
		return r.ablate(cmd)
	}
	t.Seed, t.Threads = r.Seed, int(r.Threads)
	if r.out != "" {
		t.Dir = filepath.Join(r.out, "project")
	}
	t.OnBatch = r.Batches(2*int64(t.Digits), "pictures")
	t.OnEpoch = func(run int, e repro.T1Epoch) {
		sums := ""
		if !math.IsNaN(e.Validation) {
			sums = fmt.Sprintf("  validation %6.2f %%", 100*e.Validation)
		}
		if !math.IsNaN(e.Sums) {
			sums += fmt.Sprintf("  test sums %6.2f %%", 100*e.Sums)
		}
		r.Notef("run %d epoch %2d  loss %.5f%s  %.1f s", run, e.Number, e.Loss, sums, e.Seconds)
	}
	result, err := t.Run(cmd.Context())
	if err != nil {
		return err
	}
	if err := r.Emit(result); err != nil || r.out == "" {
		return err
	}
	return r.Wrote(repro.WriteT1(r.out, result))
}

// ablate compares settings.
func (r *t1Command) ablate(cmd *cobra.Command) error {
	for _, flag := range []string{"digits", "net", "validation-pairs", "runs", "dropout", "shift", "faithful", "watch",
		"option"} {
		if cmd.Flags().Changed(flag) {
			return command.Usage("flag-value", command.SeeHelp(cmd), "--ablation has its own --%s", flag)
		}
	}
	a := repro.T1Ablation{Pairs: r.task.TrainPairs, Epochs: r.task.Epochs, Seed: r.Seed, Threads: int(r.Threads)}
	if a.Pairs == 0 {
		a.Pairs = 3000
	}
	if a.Epochs == 0 {
		a.Epochs = 3
	}
	a.OnSetting = func(name string, number, settings int) { r.Notef("%d of %d: %s", number+1, settings, name) }
	result, err := a.Run(cmd.Context())
	if err != nil {
		return err
	}
	if err := r.Emit(result); err != nil || r.out == "" {
		return err
	}
	path, err := repro.WriteT1Ablation(r.out, result)
	if err != nil {
		return err
	}
	return r.Wrote([]string{path}, nil)
}

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/paper/repro"
)

const hyperHelp = `Hyper repeats the paper's studies of hyper-parameters: the second task on Cora
with the paper's settings as printed, of which one is varied.

  initialisation   10 seeds, each with a split and initial weights of its own
  mu               the weight of the dying-hinge regulariser
  rate             the network's learning rate
  network          hidden nodes and dropout, as in the paper's table`

const hyperExamples = `  go run ./paper hyper --study mu --out results
  go run ./paper hyper --quick --out results   all, short: two runs of 15 epochs`

// hyperCommand is one run of go run ./paper hyper.
type hyperCommand struct {
	*command.Env
	studies, set []string
	runs, epochs int
	quick        bool
	out          string
}

func newHyper(e *command.Env) *cobra.Command {
	r := &hyperCommand{Env: e}
	cmd := &cobra.Command{
		Use:     "hyper [--study NAME] [--runs N] [--epochs N] [--quick] [--out DIR]",
		Short:   "Studies of hyper-parameters",
		Long:    hyperHelp,
		Example: hyperExamples,
		Args:    command.NoArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.studies, "study", repro.HyperStudies, strings.Join(repro.HyperStudies, ", ")+" or several")
	command.CountVar(f, &r.runs, "runs", 1,
		"the `number` of trainings with each setting (default: 10 for initialisation, otherwise 3)")
	command.CountVar(f, &r.epochs, "epochs", 1, "the `number` of epochs of each training (default: the paper's 75 or 100)")
	f.BoolVar(&r.quick, "quick", false, "two runs of 15 epochs, for a first look")
	command.FolderVar(f, &r.out, "out", "write Markdown tables and charts to this `folder`")
	optionFlag(cmd, &r.set)
	return cmd
}

func (r *hyperCommand) run(cmd *cobra.Command, _ []string) error {
	if err := known(cmd, "--study", r.studies, repro.HyperStudies); err != nil {
		return err
	}
	if r.quick && r.runs == 0 {
		r.runs = 2
	}
	if r.quick && r.epochs == 0 {
		r.epochs = 15
	}
	results, err := r.all(cmd)
	for _, result := range results {
		if err := r.Emit(result); err != nil {
			return err
		}
	}
	if err != nil || r.out == "" {
		return err
	}
	return r.Wrote(repro.WriteHyper(r.out, results))
}

// all runs the studies with one progress bar over all trainings. Studies that were done before an error are returned.
func (r *hyperCommand) all(cmd *cobra.Command) (results []*repro.HyperResult, err error) {
	tasks, total := make([]repro.Hyper, len(r.studies)), 0
	for k, name := range r.studies {
		tasks[k] = repro.Hyper{Study: name, Runs: r.runs, Epochs: r.epochs, Seed: r.Seed, Threads: int(r.Threads),
			Set: r.set}
		total += tasks[k].Trainings()
	}
	bar := r.Progress().Start("hyper-parameters", int64(total), "trainings")
	defer bar.Done()
	for k := range tasks {
		tasks[k].OnRun = func() { bar.Add(1) }
		result, err := tasks[k].Run(cmd.Context())
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

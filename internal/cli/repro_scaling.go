package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/repro"
)

const reproScalingHelp = `Scaling measures how run time grows with the number of ground rules, as the
paper does: on random parts of Cora in its five sizes, and on parts of the
entity resolution of CiteSeer in four. Inferences are cold, to a proven gap of
1e-4, networks included; gradient steps are the ten of a training epoch. Times
are medians.`

const reproScalingExamples = `  deeppsl repro scaling --dataset cora
  deeppsl repro scaling --out results         both, with tables and charts`

// reproScaling is one run of deeppsl repro scaling.
type reproScaling struct {
	*env
	datasets, set []string
	runs          int
	out           string
}

func newReproScaling(e *env) *cobra.Command {
	r := &reproScaling{env: e}
	cmd := &cobra.Command{
		Use:     "scaling [--dataset NAME] [--runs N] [--out DIR]",
		Short:   "Run time by the number of ground rules",
		Long:    reproScalingHelp,
		Example: reproScalingExamples,
		Args:    noArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.datasets, "dataset", repro.ScalingDatasets, "cora, citeseer-er or both")
	f.IntVar(&r.runs, "runs", 5, "random samples of each size")
	f.StringVar(&r.out, "out", "", "write Markdown tables and charts to this `folder`")
	optionFlag(f, &r.set)
	return cmd
}

func (r *reproScaling) run(cmd *cobra.Command, _ []string) error {
	if r.runs < 1 {
		return usage("flag-value", seeHelp(cmd), "--runs takes a whole number from 1, not %d", r.runs)
	}
	if err := known(cmd, "--dataset", r.datasets, repro.ScalingDatasets); err != nil {
		return err
	}
	return series(cmd, r.env, r.datasets, r.one, r.out, repro.WriteScaling)
}

// one measures one data set with a progress bar over its samples.
func (r *reproScaling) one(ctx context.Context, name string) (*repro.ScalingResult, error) {
	bar := r.progress().Start(name, int64(repro.ScalingSizes[name]*r.runs), "samples")
	defer bar.Done()
	s := repro.Scaling{Dataset: name, Runs: r.runs, Seed: r.seed, Threads: int(r.threads), Set: r.set,
		OnSample: func() { bar.Add(1) }}
	return s.Run(ctx)
}

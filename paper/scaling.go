package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/paper/repro"
)

const scalingHelp = `Scaling measures how run time grows with the number of ground rules, as the
paper does: on random parts of Cora in its five sizes, and on parts of the
entity resolution of CiteSeer in four. Inferences are cold, to a proven gap of
1e-4, networks included; gradient steps are the ten of a training epoch. Times
are medians.`

const scalingExamples = `  go run ./paper scaling --dataset cora
  go run ./paper scaling --out results         both, with tables and charts`

// scalingCommand is one run of go run ./paper scaling.
type scalingCommand struct {
	*command.Env
	datasets, set []string
	runs          int
	out           string
}

func newScaling(e *command.Env) *cobra.Command {
	r := &scalingCommand{Env: e, runs: 5}
	cmd := &cobra.Command{
		Use:     "scaling [--dataset NAME] [--runs N] [--out DIR]",
		Short:   "Run time by the number of ground rules",
		Long:    scalingHelp,
		Example: scalingExamples,
		Args:    command.NoArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.datasets, "dataset", repro.ScalingDatasets, "cora, citeseer-er or both")
	command.CountVar(f, &r.runs, "runs", 1, "the `number` of random samples of each size")
	command.FolderVar(f, &r.out, "out", "write Markdown tables and charts to this `folder`")
	optionFlag(cmd, &r.set)
	return cmd
}

func (r *scalingCommand) run(cmd *cobra.Command, _ []string) error {
	if err := known(cmd, "--dataset", r.datasets, repro.ScalingDatasets); err != nil {
		return err
	}
	return series(cmd, r.Env, r.datasets, r.one, r.out, repro.WriteScaling)
}

// one measures one data set with a progress bar over its samples.
func (r *scalingCommand) one(ctx context.Context, name string) (*repro.ScalingResult, error) {
	bar := r.Progress().Start(name, int64(repro.ScalingSizes[name]*r.runs), "samples")
	defer bar.Done()
	s := repro.Scaling{Dataset: name, Runs: r.runs, Seed: r.Seed, Threads: int(r.Threads), Set: r.set,
		OnSample: func() { bar.Add(1) }}
	return s.Run(ctx)
}

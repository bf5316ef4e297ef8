package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/paper/repro"
)

const t2Help = `T2 classifies the documents of a citation network of which few are labelled,
over random splits: split 1 has 20 training documents of each class, split 2 all
but 1,000. Each run has a split and initial weights of its own, from its seed.

Methods: deeppsl trains network and rules end to end; psl has the same rules
over a network that was trained alone; gcn is a graph convolutional network; mlp
is the network alone. --faithful takes the paper's settings as printed.`

const t2Examples = `  go run ./paper t2 --dataset cora --split 1 --runs 5
  go run ./paper t2 --runs 20 --out results   everything, with tables and curves`

// t2Command is one run of go run ./paper t2.
type t2Command struct {
	*command.Env
	datasets, methods []string
	splits            []int
	set               []string
	runs              int
	classifier        repro.Classifier
	faithful          bool
	out               string
}

func newT2(e *command.Env) *cobra.Command {
	r := &t2Command{Env: e, runs: 20}
	cmd := &cobra.Command{
		Use:     "t2 [--dataset NAME] [--split N] [--method NAME] [--runs N]",
		Short:   "Semi-supervised document classification",
		Long:    t2Help,
		Example: t2Examples,
		Args:    command.NoArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.datasets, "dataset", []string{"cora", "citeseer"}, "cora, citeseer or both")
	f.IntSliceVar(&r.splits, "split", []int{1, 2}, "1, 2 or both")
	f.StringSliceVar(&r.methods, "method", repro.T2Methods, "deeppsl, psl, gcn, mlp or several")
	command.CountVar(f, &r.runs, "runs", 1, "the `number` of random splits for each combination")
	f.BoolVar(&r.faithful, "faithful", false, "take the paper's settings as printed")
	command.FolderVar(f, &r.out, "out", "write a Markdown table, learning curves and projects to this `folder`")
	command.CountVar(f, &r.classifier.Hidden, "hidden", 1,
		"the `number` of hidden nodes of the classifier (default: the task's own)")
	f.Float64Var(&r.classifier.Dropout, "dropout", 0, "dropout of its hidden layer (default: the task's own)")
	f.Float64Var(&r.classifier.InputDropout, "input-dropout", 0, "dropout of its words (default: the task's own)")
	f.StringVar(&r.classifier.Normalize, "normalize", "", "words: none, rows or l2 (default: the task's own)")
	optionFlag(cmd, &r.set)
	return cmd
}

func (r *t2Command) run(cmd *cobra.Command, _ []string) error {
	if err := r.check(cmd); err != nil {
		return err
	}
	var tasks []repro.T2
	for _, name := range r.datasets {
		for _, split := range r.splits {
			for _, method := range r.methods {
				tasks = append(tasks, repro.T2{Dataset: name, Split: split, Method: method, Runs: r.runs,
					Faithful: r.faithful, Seed: r.Seed, Threads: int(r.Threads), Set: r.set, Classifier: r.classifier})
			}
		}
	}
	return series(cmd, r.Env, tasks, r.one, r.out, repro.WriteT2)
}

// one runs one combination with a progress bar over its runs.
func (r *t2Command) one(ctx context.Context, t repro.T2) (*repro.T2Result, error) {
	bar := r.Progress().Start(fmt.Sprintf("%s split %d, %s", t.Dataset, t.Split, t.Method), int64(t.Runs), "runs")
	defer bar.Done()
	t.OnRun = func(repro.T2Run) { bar.Add(1) }
	if r.out != "" {
		t.Dir = filepath.Join(r.out, "projects")
	}
	return t.Run(ctx)
}

// check finds arguments without meaning before the first long run.
func (r *t2Command) check(cmd *cobra.Command) error {
	if err := dropout(cmd, "dropout", &r.classifier.Dropout); err != nil {
		return err
	}
	if err := dropout(cmd, "input-dropout", &r.classifier.InputDropout); err != nil {
		return err
	}
	if err := known(cmd, "--dataset", r.datasets, []string{"cora", "citeseer"}); err != nil {
		return err
	}
	if err := known(cmd, "--method", r.methods, repro.T2Methods); err != nil {
		return err
	}
	return known(cmd, "--split", words(r.splits), []string{"1", "2"})
}

// dropout checks a flag that overrides a task's own dropout. Of the tasks, 0 asks for their own and -1 for none; of the
// flag, 0 is none.
func dropout(cmd *cobra.Command, name string, value *float64) error {
	switch {
	case !cmd.Flags().Changed(name):
	case !(*value >= 0 && *value < 1):
		return command.Usage("flag-value", command.SeeHelp(cmd), "--%s takes a probability in [0,1), not %g", name, *value)
	case *value == 0:
		*value = -1
	}
	return nil
}

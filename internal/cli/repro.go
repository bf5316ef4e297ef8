package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/repro"
)

const reproHelp = `Repro repeats the experiments of the DeepPSL paper on the original data and
holds the results against the printed ones. See deeppsl data for the data.`

// newRepro returns deeppsl repro and the experiments below it.
func newRepro(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "repro EXPERIMENT",
		Short:   "Repeat the experiments of the paper",
		Long:    reproHelp,
		GroupID: groupData,
		Args:    onlyCommands,
		RunE:    showHelp,
	}
	cmd.AddCommand(newReproT1(e), newReproT2(e), newReproT3(e), newReproScaling(e), newReproHyper(e))
	return cmd
}

const reproT2Help = `T2 classifies the documents of a citation network of which few are labelled,
over random splits: split 1 has 20 training documents of each class, split 2 all
but 1,000. Each run has a split and initial weights of its own, from its seed.

Methods: deeppsl trains network and rules end to end; psl has the same rules
over a network that was trained alone; gcn is a graph convolutional network; mlp
is the network alone. --faithful takes the paper's settings as printed.`

const reproT2Examples = `  deeppsl repro t2 --dataset cora --split 1 --runs 5
  deeppsl repro t2 --runs 20 --out results   everything, with tables and curves`

// reproT2 is one run of deeppsl repro t2.
type reproT2 struct {
	*env
	datasets, methods []string
	splits            []int
	set               []string
	runs              int
	classifier        repro.Classifier
	faithful          bool
	out               string
}

func newReproT2(e *env) *cobra.Command {
	r := &reproT2{env: e}
	cmd := &cobra.Command{
		Use:     "t2 [--dataset NAME] [--split N] [--method NAME] [--runs N]",
		Short:   "Semi-supervised document classification",
		Long:    reproT2Help,
		Example: reproT2Examples,
		Args:    noArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.datasets, "dataset", []string{"cora", "citeseer"}, "cora, citeseer or both")
	f.IntSliceVar(&r.splits, "split", []int{1, 2}, "1, 2 or both")
	f.StringSliceVar(&r.methods, "method", repro.T2Methods, "deeppsl, psl, gcn, mlp or several")
	f.IntVar(&r.runs, "runs", 20, "random splits for each combination")
	f.BoolVar(&r.faithful, "faithful", false, "take the paper's settings as printed")
	f.StringVar(&r.out, "out", "", "write a Markdown table, learning curves and projects to this `folder`")
	f.IntVar(&r.classifier.Hidden, "hidden", 0, "hidden nodes of the classifier (default: the task's own)")
	f.Float64Var(&r.classifier.Dropout, "dropout", 0, "dropout of its hidden layer (default: the task's own)")
	f.Float64Var(&r.classifier.InputDropout, "input-dropout", 0, "dropout of its words (default: the task's own)")
	f.IntVar(&r.classifier.Smooth, "smooth", 0, "hops over which its words are averaged (default: the task's own)")
	f.StringVar(&r.classifier.Normalize, "normalize", "", "words: none, rows or l2 (default: the task's own)")
	optionFlag(f, &r.set)
	return cmd
}

func (r *reproT2) run(cmd *cobra.Command, _ []string) error {
	if err := r.check(cmd); err != nil {
		return err
	}
	var tasks []repro.T2
	for _, name := range r.datasets {
		for _, split := range r.splits {
			for _, method := range r.methods {
				tasks = append(tasks, repro.T2{Dataset: name, Split: split, Method: method, Runs: r.runs,
					Faithful: r.faithful, Seed: r.seed, Threads: int(r.threads), Set: r.set, Classifier: r.classifier})
			}
		}
	}
	return series(cmd, r.env, tasks, r.one, r.out, repro.WriteT2)
}

// one runs one combination with a progress bar over its runs.
func (r *reproT2) one(ctx context.Context, t repro.T2) (*repro.T2Result, error) {
	bar := r.progress().Start(fmt.Sprintf("%s split %d, %s", t.Dataset, t.Split, t.Method), int64(t.Runs), "runs")
	defer bar.Done()
	t.OnRun = func(repro.T2Run) { bar.Add(1) }
	if r.out != "" {
		t.Dir = filepath.Join(r.out, "projects")
	}
	return t.Run(ctx)
}

// check finds arguments without meaning before the first long run.
func (r *reproT2) check(cmd *cobra.Command) error {
	if r.runs < 1 {
		return usage("flag-value", seeHelp(cmd), "--runs takes a whole number from 1, not %d", r.runs)
	}
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
		return usage("flag-value", seeHelp(cmd), "--%s takes a probability in [0,1), not %g", name, *value)
	case *value == 0:
		*value = -1
	}
	return nil
}

func words(numbers []int) []string {
	out := make([]string, len(numbers))
	for k, n := range numbers {
		out[k] = fmt.Sprint(n)
	}
	return out
}

// series runs tasks one after the other, shows what each found once it is done, and writes all of it to the folder out
// at the end, if there is one.
func series[T any, R result](cmd *cobra.Command, e *env, tasks []T, one func(context.Context, T) (R, error), out string,
	write func(folder string, results []R) ([]string, error)) error {
	var results []R
	for _, task := range tasks {
		result, err := one(cmd.Context(), task)
		if err != nil {
			return err
		}
		if err := e.emit(result); err != nil {
			return err
		}
		results = append(results, result)
	}
	if out == "" {
		return nil
	}
	return e.wrote(write(out, results))
}

// optionFlag declares the flag that sets options of the projects that are trained.
func optionFlag(f *pflag.FlagSet, set *[]string) {
	f.StringArrayVarP(set, "option", "D", nil, "set an option, as `name=value`; may be repeated")
}

// known is an error if a flag has a value that it does not take.
func known(cmd *cobra.Command, flag string, values, allowed []string) error {
	for _, value := range values {
		if !slices.Contains(allowed, value) {
			return usage("flag-value", hintFor(cmd, value, allowed), "%s takes %s, not %q", flag,
				strings.Join(allowed, ", "), value)
		}
	}
	return nil
}

// wrote names the files that were written, also those before an error.
func (e *env) wrote(paths []string, err error) error {
	for _, path := range paths {
		e.notef("wrote %s", path)
	}
	return err
}

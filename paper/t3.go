package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/paper/repro"
)

const t3Help = `T3 resolves the authors and papers of CiteSeer: which references are the same
person, and which the same paper. Rules infer on the test fold; the learning
fold gives a threshold beside 1/2. Scores are F1 over unordered pairs of
different references, and true pairs outside the blocks count as missed.

The paper's PSL baselines go by their string similarities: psl-a has Soft-TFIDF
for names and titles, psl-b the cosine of mean word vectors for titles, psl-c
the cosine, psl-j Jaccard, psl-m Monge-Elkan. Of the methods with networks,
network is twins alone, and deeppsl trains them within the rules. Each run
divides the learning fold's entities into three parts anew. Each part is held
out once, for thresholds and epochs; then the networks learn from all of it.
--faithful takes the paper's networks and settings: characters in their places,
word vectors, no string similarity, and only one part held out.`

const t3Examples = `  go run ./paper t3 --method psl-a
  go run ./paper t3 --method deeppsl --runs 10
  go run ./paper t3 --clusters --out results   all, with the resolved entities`

// t3Command is one run of go run ./paper t3.
type t3Command struct {
	*command.Env
	methods      []string
	vectors, out string
	runs         int
	twins        repro.Twins
	faithful     bool
	allPapers    bool
	clusters     bool
	set          []string
}

func newT3(e *command.Env) *cobra.Command {
	r := &t3Command{Env: e, runs: 10}
	cmd := &cobra.Command{
		Use:     "t3 [--method NAME] [--runs N] [--vectors NAMES] [--clusters] [--out DIR]",
		Short:   "Entity resolution",
		Long:    t3Help,
		Example: t3Examples,
		Args:    command.NoArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.methods, "method", repro.T3Methods, strings.Join(repro.T3Methods, ", ")+" or several")
	command.CountVar(f, &r.runs, "runs", 1, "the `number` of runs of each method with networks")
	f.BoolVar(&r.faithful, "faithful", false, "take the paper's networks and settings as printed")
	f.StringVar(&r.twins.Names, "names", "", "what networks read of names: characters, grams, symbols or several with +")
	f.StringVar(&r.twins.Titles, "titles", "", "what networks read of titles: vectors, grams, symbols or several with +")
	f.StringSliceVar(&r.twins.NameMeasures, "name-measures", nil, "string similarities that the names' network sees")
	f.StringSliceVar(&r.twins.TitleMeasures, "title-measures", nil, "string similarities that the titles' network sees")
	command.CountVar(f, &r.twins.Hidden, "hidden", 1,
		"the `number` of nodes of the hidden and the distance layers (default: the task's own)")
	f.Float64Var(&r.twins.Dropout, "dropout", 0, "dropout of the hidden layers (default: the task's own)")
	f.BoolVar(&r.allPapers, "all-papers", false, "compare all papers, not only those that share a long word")
	f.StringVar(&r.vectors, "vectors", "", "word vectors, several with commas (default: glove.6B.300d, or its subset)")
	f.BoolVar(&r.clusters, "clusters", false, "write the resolved entities to the folder of --out")
	command.FolderVar(f, &r.out, "out", "write a Markdown table and the projects to this `folder`")
	optionFlag(cmd, &r.set)
	return cmd
}

func (r *t3Command) run(cmd *cobra.Command, _ []string) error {
	if err := known(cmd, "--method", r.methods, repro.T3Methods); err != nil {
		return err
	}
	if err := r.checkTwins(cmd); err != nil {
		return err
	}
	if r.clusters && r.out == "" {
		return command.Usage("flag-value", command.SeeHelp(cmd), "--clusters needs --out, the folder to write to")
	}
	write := func(folder string, results []*repro.T3Result) ([]string, error) {
		return repro.WriteT3(folder, results, r.clusters)
	}
	return series(cmd, r.Env, r.methods, r.one, r.out, write)
}

// checkTwins finds what networks cannot be before any method runs.
func (r *t3Command) checkTwins(cmd *cobra.Command) error {
	for _, flag := range []struct {
		name           string
		values, choice []string
	}{
		{"--names", features(r.twins.Names), repro.TwinFeatures},
		{"--titles", features(r.twins.Titles), repro.TwinFeatures},
		{"--name-measures", r.twins.NameMeasures, append(similarity.Names(), "none")},
		{"--title-measures", r.twins.TitleMeasures, append(similarity.Names(), "none")},
	} {
		if err := known(cmd, flag.name, flag.values, flag.choice); err != nil {
			return err
		}
	}
	return dropout(cmd, "dropout", &r.twins.Dropout)
}

// features are those of a text like grams+symbols; none of "".
func features(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == '+' })
}

// one runs one method, with a line for each of its two stages.
func (r *t3Command) one(ctx context.Context, method string) (*repro.T3Result, error) {
	t := repro.T3{Method: method, Seed: r.Seed, Threads: int(r.Threads), Vectors: r.vectors, Set: r.set,
		Runs: r.runs, Faithful: r.faithful, Twins: r.twins, AllPapers: r.allPapers,
		OnStage: func(stage string) { r.Notef("%s: %s", method, stage) },
		OnEpoch: func(e learn.Epoch) {
			validation := ""
			if !math.IsNaN(e.Validation) {
				validation = fmt.Sprintf(" validation %.4f,", e.Validation)
			}
			r.Notef("epoch %d: loss %.4f,%s inference %.2f s, gradient %.2f s", e.Number, e.Loss, validation, e.Inference,
				e.Gradient)
		}}
	if r.out != "" {
		t.Dir = filepath.Join(r.out, "projects")
	}
	return t.Run(ctx)
}

package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/repro"
)

const reproT3Help = `T3 resolves the authors and papers of CiteSeer: which references are the same
person, and which the same paper. Rules infer on the test fold; the learning
fold gives a threshold beside 1/2. Scores are F1 over unordered pairs of
different references, and true pairs outside the blocks count as missed.

Methods are the paper's PSL baselines, by their string similarities: psl-a has
Soft-TFIDF for names and titles, psl-b the cosine of mean word vectors for
titles, psl-c the cosine, psl-j Jaccard, psl-m Monge-Elkan.`

const reproT3Examples = `  deeppsl repro t3 --method psl-a
  deeppsl repro t3 --clusters --out results   all, with the resolved entities`

// reproT3 is one run of deeppsl repro t3.
type reproT3 struct {
	*env
	methods      []string
	vectors, out string
	clusters     bool
	set          []string
}

func newReproT3(e *env) *cobra.Command {
	r := &reproT3{env: e}
	cmd := &cobra.Command{
		Use:     "t3 [--method NAME] [--vectors NAME] [--clusters] [--out DIR]",
		Short:   "Entity resolution",
		Long:    reproT3Help,
		Example: reproT3Examples,
		Args:    noArguments,
		RunE:    r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.methods, "method", repro.T3Methods, strings.Join(repro.T3Methods, ", ")+" or several")
	f.StringVar(&r.vectors, "vectors", "", "word vectors of psl-b (default: glove.6B.300d, or its subset)")
	f.BoolVar(&r.clusters, "clusters", false, "write the resolved entities to the folder of --out")
	f.StringVar(&r.out, "out", "", "write a Markdown table and the projects to this `folder`")
	f.StringArrayVarP(&r.set, "option", "D", nil, "set an option, as `name=value`; may be repeated")
	return cmd
}

func (r *reproT3) run(cmd *cobra.Command, _ []string) error {
	for _, method := range r.methods {
		if !slices.Contains(repro.T3Methods, method) {
			return usage("flag-value", hintFor(cmd, method, repro.T3Methods), "--method takes %s, not %q",
				strings.Join(repro.T3Methods, ", "), method)
		}
	}
	if r.clusters && r.out == "" {
		return usage("flag-value", seeHelp(cmd), "--clusters needs --out, the folder to write to")
	}
	var results []*repro.T3Result
	for _, method := range r.methods {
		result, err := r.one(cmd, method)
		if err != nil {
			return err
		}
		if err := r.emit(result); err != nil {
			return err
		}
		results = append(results, result)
	}
	if r.out == "" {
		return nil
	}
	paths, err := repro.WriteT3(r.out, results, r.clusters)
	for _, path := range paths {
		r.notef("wrote %s", path)
	}
	return err
}

// one runs one method, with a line for each of its two stages.
func (r *reproT3) one(cmd *cobra.Command, method string) (*repro.T3Result, error) {
	t := repro.T3{Method: method, Seed: r.seed, Threads: int(r.threads), Vectors: r.vectors, Set: r.set,
		OnStage: func(stage string) { r.notef("%s: %s", method, stage) }}
	if r.out != "" {
		t.Dir = filepath.Join(r.out, "projects")
	}
	return t.Run(cmd.Context())
}

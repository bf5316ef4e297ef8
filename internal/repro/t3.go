package repro

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/report"
)

// T3 is the paper's third task, entity resolution on CiteSeer: which author references are the same person, and which
// papers are the same.
type T3 struct {
	Method  string // one of T3Methods
	Seed    uint64
	Threads int
	// Vectors names the word vectors of PSL-B; "" means glove.6B.300d or its subset.
	Vectors string
	// Size is the published size of the folds; "" means big, which is the paper's.
	Size string
	// Set holds options that win over the task's own.
	Set []string
	// Dir keeps the projects' files; "" uses a folder that is removed.
	Dir string
	// OnStage, if set, is called with what is being done.
	OnStage func(stage string)
}

// resolutionMethods are the similarities of the paper's baselines.
var resolutionMethods = map[string]similarities{
	"psl-a": {"SoftTFIDF", "SoftTFIDF"},
	"psl-b": {"SoftTFIDF", ""},
	"psl-c": {"Cosine", "Cosine"},
	"psl-j": {"Jaccard", "Jaccard"},
	"psl-m": {"MongeElkan", "MongeElkan"},
}

// T3Methods are the methods of the third task: PSL with string similarities.
var T3Methods = slices.Sorted(maps.Keys(resolutionMethods))

// paperT3 are the F1 scores that the paper prints, of authors and of papers.
var paperT3 = map[string][2]float64{
	"psl-a": {0.9271, 0.8276}, "psl-b": {0.8958, 0.8501}, "psl-c": {0.7852, 0.7656}, "psl-j": {0.8073, 0.7631},
	"psl-m": {0.8008, 0.8884},
}

// Resolved is how well one kind of reference is resolved. Scores are over unordered pairs of different references; true
// pairs that are no candidates count as missed.
type Resolved struct {
	// Half is with the threshold 1/2, Chosen with the one that is best on the learning fold.
	Half      eval.PrecisionRecall `json:"at_half"`
	Chosen    eval.PrecisionRecall `json:"at_chosen"`
	Threshold float64              `json:"chosen_threshold"`
	// Unseen is Half over the pairs with at least one reference that is not in the learning fold.
	Unseen   eval.PrecisionRecall `json:"unseen_at_half"`
	Pairs    int                  `json:"candidate_pairs"`
	True     int                  `json:"true_pairs"`
	Lost     float64              `json:"lost_to_blocking"` // share of the true pairs that are no candidates
	Clusters eval.ClusterScore    `json:"clusters"`         // with the threshold 1/2

	entities map[int]int32
}

// T3Result is a method's result on the test fold.
type T3Result struct {
	Task             string              `json:"task"`
	Method           string              `json:"method"`
	Runs             int                 `json:"runs"`
	AuthorF1         Mean                `json:"author_f1"`
	PaperF1          Mean                `json:"paper_f1"`
	Precision        [2]float64          `json:"precision"` // of authors, of papers
	Recall           [2]float64          `json:"recall"`
	Authors          *Resolved           `json:"authors"`
	Papers           *Resolved           `json:"papers"`
	GroundRules      foldCounts          `json:"ground_rules"`
	ByRule           []deeppsl.RuleCount `json:"ground_rules_by_rule"`
	Gap              float64             `json:"gap"`
	InferenceSeconds Median              `json:"inference_seconds"`
	PeakRSS          int64               `json:"peak_rss_bytes"`
	Vectors          string              `json:"vectors,omitempty"`
	Seed             uint64              `json:"seed"`
}

// foldCounts are counts of ground rules by fold.
type foldCounts struct {
	Train int `json:"train"`
	Test  int `json:"test"`
}

// foldAnswer is what was inferred about the candidates of a fold: the mean of a pair's two directions.
type foldAnswer struct {
	*resolution
	sameAuthor, samePaper map[pair]float64
	counts                []deeppsl.RuleCount
	groundRules           int
	gap, seconds          float64
}

// Run infers on both folds, chooses thresholds on the learning fold and scores the test fold.
func (t *T3) Run(ctx context.Context) (*T3Result, error) {
	if _, ok := resolutionMethods[t.Method]; !ok {
		return nil, fmt.Errorf("no method %q: want one of %v", t.Method, T3Methods)
	}
	folds, vectors, err := t.read()
	if err != nil {
		return nil, err
	}
	var answers [2]*foldAnswer
	for k, fold := range folds {
		if t.OnStage != nil {
			t.OnStage([]string{"the learning fold, for the threshold", "the test fold"}[k])
		}
		if answers[k], err = t.infer(ctx, fold, k); err != nil {
			return nil, err
		}
	}
	learn, test := answers[0], answers[1]
	result := &T3Result{Task: "t3", Method: t.Method, Runs: 1, Seed: t.Seed, Vectors: vectors, ByRule: test.counts,
		Gap: test.gap, InferenceSeconds: Median{test.seconds},
		GroundRules: foldCounts{Train: learn.groundRules, Test: test.groundRules}}
	result.Authors = resolve(test.authorQuestion(), learn.authorQuestion())
	result.Papers = resolve(test.paperQuestion(), learn.paperQuestion())
	result.AuthorF1.Mean, result.AuthorF1.CI95 = deeppsl.Interval([]float64{result.Authors.Half.F1})
	result.PaperF1.Mean, result.PaperF1.CI95 = deeppsl.Interval([]float64{result.Papers.Half.F1})
	result.Precision = [2]float64{result.Authors.Half.Precision, result.Papers.Half.Precision}
	result.Recall = [2]float64{result.Authors.Half.Recall, result.Papers.Half.Recall}
	result.PeakRSS = report.PeakRSS()
	return result, nil
}

// read reads the folds, and the vectors if the method needs them.
func (t *T3) read() (folds [2]*resolution, vectors string, err error) {
	cache, err := dataset.NewCache()
	if err != nil {
		return folds, "", err
	}
	references, err := cache.References()
	if err != nil {
		return folds, "", err
	}
	size := t.Size
	if size == "" {
		size = "big"
	}
	words := map[string]bool{}
	for k := range folds {
		fold, err := cache.Fold(size, k)
		if err != nil {
			return folds, "", err
		}
		folds[k] = newResolution(fold, references)
		folds[k].similarities = resolutionMethods[t.Method]
		for _, title := range fold.PaperTitle {
			for _, word := range dataset.TextWords(title.Text) {
				words[word] = true
			}
		}
	}
	if folds[0].Title != "" {
		return folds, "", nil
	}
	return t.readVectors(cache, folds, words)
}

// defaultVectors are the paper's word vectors, complete or those of a subset of the words.
var defaultVectors = []string{"glove.6B.300d", "glove.6B.300d.subset"}

// readVectors reads the first word vectors of those asked for that are there, and says which, and how many of the words
// they have.
func (t *T3) readVectors(cache *dataset.Cache, folds [2]*resolution, words map[string]bool) ([2]*resolution, string,
	error) {
	names := defaultVectors
	if t.Vectors != "" {
		names = []string{t.Vectors}
	}
	var first error
	for _, name := range names {
		vectors, err := cache.Vectors(name, func(word string) bool { return words[word] })
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		folds[0].vectors, folds[1].vectors = vectors, vectors
		return folds, fmt.Sprintf("%s, %d of %d words", name, vectors.Len(), len(words)), nil
	}
	return folds, "", first
}

// infer grounds the rules on a fold and solves.
func (t *T3) infer(ctx context.Context, fold *resolution, number int) (*foldAnswer, error) {
	dir := t.Dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "deeppsl-t3-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	path, err := fold.write(filepath.Join(dir, fmt.Sprintf("%s-fold-%d", t.Method, number)))
	if err != nil {
		return nil, err
	}
	project, err := deeppsl.Load(path, deeppsl.Options{Seed: t.Seed, Threads: t.Threads, Set: t.Set})
	if err != nil {
		return nil, err
	}
	g, err := project.Ground(ctx, deeppsl.Infer)
	if err != nil {
		return nil, err
	}
	answer, err := g.Infer(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	out := &foldAnswer{resolution: fold, sameAuthor: map[pair]float64{}, samePaper: map[pair]float64{},
		counts: g.Counts(), groundRules: g.Potentials(), gap: answer.Gap, seconds: answer.Elapsed.Seconds()}
	return out, out.collect(g, answer)
}

// collect takes the values of pairs of different references.
func (a *foldAnswer) collect(g *deeppsl.Grounding, answer *deeppsl.Answer) (err error) {
	g.Each(answer, false, func(atom deeppsl.Atom) {
		var ids [2]int
		for k, argument := range atom.Arguments {
			if ids[k], err = strconv.Atoi(argument); err != nil {
				return
			}
		}
		if ids[0] == ids[1] {
			return
		}
		values := a.sameAuthor
		if atom.Predicate == "SamePaper" {
			values = a.samePaper
		}
		values[newPair(ids[0], ids[1])] += atom.Value / 2
	})
	return err
}

// Text prints the result in one line.
func (r *T3Result) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: F1 of authors %.4f, of papers %.4f (thresholds of the learning fold: %.4f, %.4f; "+
		"%d ground rules, inference %.2f s)\n", r.Method, r.Authors.Half.F1, r.Papers.Half.F1, r.Authors.Chosen.F1,
		r.Papers.Chosen.F1, r.GroundRules.Test, r.InferenceSeconds.Median)
	return err
}

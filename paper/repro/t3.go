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
	"strings"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/paper/published"
)

// T3 is the paper's third task, entity resolution on CiteSeer: which author references are the same person, and which
// papers are the same.
type T3 struct {
	Method  string // one of T3Methods
	Seed    uint64
	Threads int
	// Runs is how often a method with networks is repeated, each time with other initial weights and another held-out
	// third of the learning fold.
	Runs int
	// Faithful takes the paper's networks and settings as printed.
	Faithful bool
	// Twins overrides the shape of the networks.
	Twins Twins
	// Vectors names tables of word vectors, with commas between them, whose means are put side by side; "" means
	// glove.6B.300d or its subset.
	Vectors string
	// AllPapers makes every pair of papers a candidate, as the paper's counts of ground rules do.
	AllPapers bool
	// Size is the published size of the folds; "" means big, which is the paper's.
	Size string
	// Set holds options that win over the task's own.
	Set []string
	// Dir keeps the projects' files; "" uses a folder that is removed.
	Dir string
	// OnStage, if set, is called with what is being done.
	OnStage func(stage string)
	// OnEpoch, if set, is called after every epoch of training.
	OnEpoch func(learn.Epoch)
}

// resolutionMethods are the similarities of the paper's baselines.
var resolutionMethods = map[string]similarities{
	"psl-a": {"SoftTFIDF", "SoftTFIDF"},
	"psl-b": {"SoftTFIDF", ""},
	"psl-c": {"Cosine", "Cosine"},
	"psl-j": {"Jaccard", "Jaccard"},
	"psl-m": {"MongeElkan", "MongeElkan"},
}

// T3Methods are the methods of the third task: PSL with string similarities, and those with networks.
var T3Methods = append(slices.Sorted(maps.Keys(resolutionMethods)), neuralMethods...)

// paperT3 are the F1 scores that the paper prints, of authors and of papers.
var paperT3 = map[string][2]float64{
	"psl-a": {0.9271, 0.8276}, "psl-b": {0.8958, 0.8501}, "psl-c": {0.7852, 0.7656}, "psl-j": {0.8073, 0.7631},
	"psl-m": {0.8008, 0.8884}, "deeppsl": {0.9468, 0.9228},
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
	AuthorChosen     Mean                `json:"author_f1_at_chosen"`
	PaperChosen      Mean                `json:"paper_f1_at_chosen"`
	PaperUnseen      Mean                `json:"paper_f1_unseen"`
	AuthorClustered  Mean                `json:"author_f1_clustered"` // of all pairs within the clusters
	PaperClustered   Mean                `json:"paper_f1_clustered"`
	AuthorValidation Mean                `json:"author_f1_validation,omitzero"`
	PaperValidation  Mean                `json:"paper_f1_validation,omitzero"`
	Precision        [2]float64          `json:"precision"` // of authors, of papers
	Recall           [2]float64          `json:"recall"`
	Authors          *Resolved           `json:"authors"`
	Papers           *Resolved           `json:"papers"`
	GroundRules      foldCounts          `json:"ground_rules"`
	ByRule           []session.RuleCount `json:"ground_rules_by_rule"`
	Gap              float64             `json:"gap"`
	InferenceSeconds Median              `json:"inference_seconds"`
	EpochSeconds     Median              `json:"epoch_seconds"` // an inference and its gradient steps
	GradientSeconds  Median              `json:"gradient_seconds"`
	TrainSeconds     Median              `json:"train_seconds"`
	PeakRSS          int64               `json:"peak_rss_bytes"`
	Vectors          string              `json:"vectors,omitempty"`
	Faithful         bool                `json:"faithful"`
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
	counts                []session.RuleCount
	groundRules           int
	gap, seconds          float64
}

// Run infers on both folds, chooses thresholds on the learning fold and scores the test fold.
func (t *T3) Run(ctx context.Context) (*T3Result, error) {
	if slices.Contains(neuralMethods, t.Method) {
		result := &T3Result{Task: "t3", Method: t.Method, Runs: t.Runs, Faithful: t.Faithful, Seed: t.Seed}
		return result, t.runNeural(ctx, result)
	}
	if _, ok := resolutionMethods[t.Method]; !ok {
		return nil, fmt.Errorf("no method %q: want one of %v", t.Method, T3Methods)
	}
	folds, vectors, err := t.read()
	if err != nil {
		return nil, err
	}
	var answers [2]*foldAnswer
	for k, fold := range folds {
		t.stage("%s", []string{"the learning fold, for the threshold", "the test fold"}[k])
		if answers[k], err = t.infer(ctx, fold, k); err != nil {
			return nil, err
		}
	}
	learn, test := answers[0], answers[1]
	result := &T3Result{Task: "t3", Method: t.Method, Runs: 1, Seed: t.Seed, Vectors: vectors, ByRule: test.counts,
		GroundRules: foldCounts{Train: learn.groundRules, Test: test.groundRules}}
	result.sum([]*learnedRun{{
		authors: resolve(test.authorQuestion(), learn.authorQuestion()),
		papers:  resolve(test.paperQuestion(), learn.paperQuestion()), test: test,
	}})
	return result, nil
}

// read reads the folds, and the vectors if the method needs them.
func (t *T3) read() (folds [2]*resolution, vectors string, err error) {
	folds, cache, err := t.folds()
	if err != nil {
		return folds, "", err
	}
	for _, fold := range folds {
		fold.similarities = resolutionMethods[t.Method]
	}
	if folds[0].Title != "" {
		return folds, "", nil
	}
	means, vectors, err := t.wordMeans(cache, folds)
	for _, fold := range folds {
		fold.vectors = means
	}
	return folds, vectors, err
}

// folds reads the folds and finds their candidates.
func (t *T3) folds() (folds [2]*resolution, cache *published.Cache, err error) {
	if cache, err = published.NewCache(); err != nil {
		return folds, nil, err
	}
	references, err := cache.References()
	if err != nil {
		return folds, nil, err
	}
	size := t.Size
	if size == "" {
		size = "big"
	}
	for k := range folds {
		fold, err := cache.Fold(size, k)
		if err != nil {
			return folds, nil, err
		}
		folds[k] = newResolution(fold, references)
		if t.AllPapers {
			folds[k].papers = folds[k].allPapers()
		}
	}
	return folds, cache, nil
}

// defaultVectors are the paper's word vectors, complete or those of a subset of the words.
var defaultVectors = [][]string{{"glove.6B.300d"}, {"glove.6B.300d.subset"}}

// wordMeans reads the word vectors that are asked for, or the first of the default ones that are there, and says which,
// and how many of the words they have.
func (t *T3) wordMeans(cache *published.Cache, folds [2]*resolution) (wordMeans, string, error) {
	texts := append(folds[0].titles(), folds[1].titles()...)
	words := map[string]bool{}
	for _, title := range texts {
		for _, word := range published.TextWords(title) {
			words[word] = true
		}
	}
	choices := defaultVectors
	if t.Vectors != "" {
		choices = [][]string{strings.Split(t.Vectors, ",")}
	}
	var first error
	for _, names := range choices {
		means, err := readVectors(cache, names, words)
		if err == nil {
			return means, means.coverage(names, texts), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, "", first
}

// readVectors reads the vectors of some words from several tables.
func readVectors(cache *published.Cache, names []string, words map[string]bool) (means wordMeans, err error) {
	for _, name := range names {
		vectors, err := cache.Vectors(name, func(word string) bool { return words[word] })
		if err != nil {
			return nil, err
		}
		means = append(means, vectors)
	}
	return means, nil
}

// stage reports what is being done.
func (t *T3) stage(format string, args ...any) {
	if t.OnStage != nil {
		t.OnStage(fmt.Sprintf(format, args...))
	}
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
	fold.Options = task.OfRun(nil, t.Set, t.Seed)
	path, err := fold.write(filepath.Join(dir, fmt.Sprintf("%s-fold-%d", t.Method, number)))
	if err != nil {
		return nil, err
	}
	project, err := project.Load(path, project.Options{Seed: t.Seed, Threads: t.Threads, Set: t.Set})
	if err != nil {
		return nil, err
	}
	g, err := engine.Ground(ctx, project, load.Infer)
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
func (a *foldAnswer) collect(g *session.Grounding, answer *session.Answer) (err error) {
	g.Each(answer, false, func(atom session.Atom) {
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
	_, err := fmt.Fprintf(w, "%s: F1 of authors %s, of papers %s (thresholds of the learning fold: %s, %s; "+
		"%d ground rules, inference %.2f s)\n", r.Method, r.AuthorF1.fraction(),
		r.PaperF1.fraction(), r.AuthorChosen.fraction(), r.PaperChosen.fraction(), r.GroundRules.Test,
		r.InferenceSeconds.Median)
	return err
}

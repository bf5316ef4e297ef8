package engine_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// taught is the project of seeing with other truth to learn from and to validate by.
func taught(t *testing.T, learn, validation string) string {
	t.Helper()
	return seeingWith(t, func(config string) string {
		config = strings.ReplaceAll(config, `"validation": ["test.tsv"], `, "")
		return strings.ReplaceAll(config, `"learn": ["train.tsv"]`, validation+`"learn": `+learn)
	})
}

// Learning anew is learning from all truth for the chosen number of epochs, bit for bit.
func TestRefit(t *testing.T) {
	const both, validation = `["train.tsv", "more.tsv"]`, `"validation": ["more.tsv"], `
	for _, more := range [][]string{
		nil, {"network.epochs=20", "network.patience=2"}, {"network.epochs=0", "learn.patience=1"},
	} {
		set := append([]string{"learn.method=deeppsl", "inference.known=false"}, more...)
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			options := project.Options{Seed: 5, Set: append([]string{"learn.refit=true"}, set...)}
			path := taught(t, `["train.tsv"]`, validation)
			got := run(t, path, options, learnAndInfer)
			trained := got.Training
			once := run(t, path, project.Options{Seed: 5, Set: set}, learnAndInfer)
			if !slices.Equal(trained.Chosen.Perceived, once.Answer.Perceived) {
				t.Error("what was perceived with the chosen parameters is not that of learning without learning anew")
			}
			if !almostEqual(trained.Chosen.Values, once.Answer.Values) {
				t.Error("nor what was inferred")
			}
			if len(trained.Anew) != trained.Kept+1 {
				t.Errorf("%d lines for %d epochs", len(trained.Anew), trained.Kept)
			}
			if last := relearned(t, path, set); last.Loss != trained.Anew[trained.Kept].Loss {
				t.Errorf("Relearn ends with loss %v, want %v", last.Loss, trained.Anew[trained.Kept].Loss)
			}
			options.Set = append(slices.Clone(set), fmt.Sprintf("learn.epochs=%d", trained.Kept),
				fmt.Sprintf("network.epochs=%d", trained.FitKept))
			want := run(t, taught(t, both, ""), options, learnAndInfer)
			if !slices.Equal(got.RuleWeights, want.RuleWeights) || !slices.Equal(got.Answer.Values, want.Answer.Values) ||
				!slices.Equal(got.Answer.Perceived, want.Answer.Perceived) {
				t.Error("other weights, values or perceived inputs than learning from all truth")
			}
		})
	}
}

// relearned learns, and then anew, in two calls, and returns the last line of the learning curve.
func relearned(t *testing.T, path string, set []string) learn.Epoch {
	t.Helper()
	_, g := ground(t, path, project.Options{Seed: 5, Set: set}, load.Learn)
	trained, err := training.Train(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if trained, err = training.Relearn(t.Context(), g, trained, trained.FitKept, trained.Kept); err != nil {
		t.Fatal(err)
	}
	return trained.Epochs[len(trained.Epochs)-1]
}

// almostEqual compares answers that were proven to some gap.
func almostEqual(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-2 })
}

// An interrupted run is resumed where it was, also in its second half.
func TestInterruptedRefit(t *testing.T) {
	path := taught(t, `["train.tsv"]`, `"validation": ["more.tsv"], `)
	options := project.Options{Seed: 5, Set: []string{"learn.method=deeppsl", "network.epochs=0", "learn.refit=true"}}
	want := run(t, path, options, learnAndInfer)
	if want.Training.Kept < 3 {
		t.Fatalf("%d epochs are too few to interrupt", want.Training.Kept)
	}
	options.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines := 0
	options.OnEpoch = func(learn.Epoch) {
		if lines++; lines == len(want.Training.Epochs)+2 {
			cancel()
		}
	}
	opened := loaded(t, path, options)
	cut, err := engine.Run(ctx, opened, learnAndInfer)
	if err != nil || !cut.Interrupted() || len(cut.Training.Anew) > 0 {
		t.Fatalf("interrupted: %v, %+v", err, cut)
	}
	// What the first half has learned, and validation has chosen, is not lost.
	once := run(t, path, project.Options{Seed: 5, Set: options.Set[:2]}, learnAndInfer)
	if !slices.Equal(cut.RuleWeights, once.RuleWeights) ||
		!slices.Equal(cut.Answer.Perceived, once.Answer.Perceived) {
		t.Error("other weights than those that the first half had learned")
	}
	options.OnEpoch = nil
	got := run(t, path, options, learnAndInfer)
	sameRun(t, want, got)
	if len(got.Training.Anew) != len(want.Training.Anew) {
		t.Errorf("%d lines of learning anew, want %d", len(got.Training.Anew), len(want.Training.Anew))
	}
}

// Learning anew without anything to learn from in addition is an error before any learning.
func TestSenselessRefit(t *testing.T) {
	for _, test := range []struct{ validation, set, want string }{
		{"", "learn.epochs=1", "no truth of validation"},
		{`"validation": ["more.tsv"], `, "learn.method=grid", "no epochs to repeat"},
	} {
		path := taught(t, `["train.tsv"]`, test.validation)
		opened := loaded(t, path, project.Options{Set: []string{"learn.refit=true", test.set}})
		_, err := engine.Run(context.Background(), opened, learnAndInfer)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, want %s: ... %s", err, path, test.want)
		}
	}
}

// Examples of validation are learned from like the others.
func TestRefitExamples(t *testing.T) {
	files := map[string]string{
		"sums.psl": "fixed 1: Adds(D1, +D2, +S) = Digit('a', D1) ^2\nfixed 1: Adds(+D1, D2, +S) = Digit('b', D2) ^2\n" +
			"Adds(+D1, +D2, S) = Sum(S) .\nSum(+S) = 1 .\n",
		"adds.tsv":  "0\t0\t0\n0\t1\t1\n1\t0\t1\n1\t1\t2\n",
		"items.tsv": "p\t1.0 0.1 0.0\nq\t0.9 0.0 0.2\nr\t0.1 1.0 0.1\ns\t0.0 0.8 0.3\n",
		"few.csv":   "a,b,Sum\np,r,1\nr,s,2\nq,p,0\ns,q,1\n", "more.csv": "a,b,Sum\np,q,0\nr,r,2\nq,r,1\ns,p,1\n",
		"all.csv":   "a,b,Sum\np,r,1\nr,s,2\nq,p,0\ns,q,1\np,q,0\nr,r,2\nq,r,1\ns,p,1\n",
		"other.csv": "a,b,\"Adds(0,0)\"\np,q,0\n",
	}
	learned := func(examples string, epochs int, set ...string) (*engine.Report, error) {
		files["model.json"] = fmt.Sprintf(`{
			"rules": "sums.psl",
			"networks": {"seer": {"features": "items.tsv"}},
			"predicates": {
				"Digit/2": {"neural": {"network": "seer", "class": 1, "classes": ["0", "1"], "slots": ["a", "b"]}},
				"Adds/3": {"targets": ["adds.tsv"]},
				"Sum/1": {"targets": [["0"], ["1"], ["2"]]}
			},
			"examples": {%s, "infer": "all.csv"},
			"options": {"learn.method": "energy", "learn.epochs": %d, "learn.batch": 2, "learn.rate.networks": 0.05}
		}`, examples, epochs)
		opened := loaded(t, writeProject(t, files), project.Options{Seed: 1, Set: set})
		return engine.Run(context.Background(), opened, learnAndInfer)
	}
	got, err := learned(`"learn": "few.csv", "validation": "more.csv"`, 12, "learn.refit=true")
	if err != nil {
		t.Fatal(err)
	}
	want, err := learned(`"learn": "all.csv"`, got.Training.Kept, "learn.starts=1") // as validation chooses none
	if err != nil {
		t.Fatal(err)
	}
	if got.Objective != want.Objective || len(got.Training.Anew) != got.Training.Kept {
		t.Errorf("energy %v after learning anew for %d epochs, want %v after %d", got.Objective, len(got.Training.Anew),
			want.Objective, got.Training.Kept)
	}
	for examples, want := range map[string]string{
		`"learn": "all.csv"`: "no examples of validation", `"learn": "few.csv", "validation": "other.csv"`: "other labels",
	} {
		if _, err := learned(examples, 1, "learn.refit=true"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", examples, err, want)
		}
	}
}

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// adding is a project about examples: two digits whose sum is known.
func adding(t *testing.T) string {
	t.Helper()
	return writeProject(t, map[string]string{
		"model.json": `{
			"rules": ["fixed 1: Adds(D1, +D2, +S) = Digit('a', D1) ^2", "fixed 1: Adds(+D1, D2, +S) = Digit('b', D2) ^2",
				"Adds(+D1, +D2, S) = Sum(S) .", "Sum(+S) = 1 ."],
			"networks": {"seer": {"features": "items.tsv", "dropout": 0.2}},
			"predicates": {
				"Digit/2": {"neural": {"network": "seer", "class": 1, "classes": ["0", "1"], "slots": ["a", "b"]}},
				"Adds/3": {"targets": [["0", "0", "0"], ["0", "1", "1"], ["1", "0", "1"], ["1", "1", "2"]]},
				"Sum/1": {"targets": [["0"], ["1"], ["2"]]}
			},
			"examples": {"learn": "few.csv", "validation": "more.csv", "infer": "more.csv"},
			"options": {"learn.method": "energy", "learn.epochs": 8, "learn.batch": 2, "learn.patience": 3}
		}`,
		"items.tsv": "p\t1.0 0.1 0.0\nq\t0.9 0.0 0.2\nr\t0.1 1.0 0.1\ns\t0.0 0.8 0.3\n",
		"few.csv":   "a,b,Sum\np,r,1\nr,s,2\nq,p,0\ns,q,1\n", "more.csv": "a,b,Sum\np,q,0\nr,r,2\nq,r,1\ns,p,1\n",
	})
}

// addingFacts is a project about examples with facts of their own, blank slots and blank labels.
func addingFacts(t *testing.T) string {
	t.Helper()
	return writeProject(t, map[string]string{
		"model.json": `{
			"rules": ["1: Digit('a', D) -> Is(D) ^2", "1: Digit('b', D) -> Is(D) ^2",
				"0.5: Told(D) -> Is(D) ^2", "Is(+D) = 1 ."],
			"networks": {"seer": {"features": "items.tsv", "dropout": 0.2}},
			"predicates": {
				"Digit/2": {"neural": {"network": "seer", "class": 1, "classes": ["0", "1"], "slots": ["a", "b"]}},
				"Told/1": {}, "Is/1": {"targets": [["0"], ["1"]]}
			},
			"examples": {"learn": {"table": "few.csv", "facts": {"Told": "told.csv"}},
				"validation": "more.csv", "infer": "more.csv"},
			"options": {"learn.method": "implicit", "learn.epochs": 8, "learn.batch": 2}
		}`,
		"items.tsv": "p\t1.0 0.1 0.0\nq\t0.9 0.0 0.2\nr\t0.1 1.0 0.1\ns\t0.0 0.8 0.3\n",
		"few.csv":   "a,b,Is\np,q,0\nr,s,1\nq,,0\ns,s,\n,r,1\np,r,0\n",
		"told.csv":  "example,digit,value\n0,0,0.9\n1,0,0.1\n3,1,1\n",
		"more.csv":  "a,b,Is\np,,0\nr,r,1\nq,p,\n",
	})
}

// A run whose context ends at any place reports what there is until then, whole; and the same run with its checkpoint
// ends with the bits of one that nothing disturbed.
func TestSurvival(t *testing.T) {
	for _, test := range []struct {
		name   string
		opened func(t *testing.T) string
		set    []string
	}{
		{"network", seeing, []string{"learn.method=deeppsl", "network.epochs=0"}},
		{"cross-fitted", seeing, nil},
		{"fitted first", seeing, []string{"learn.method=deeppsl", "network.epochs=30", "learn.epochs=3"}},
		{"refit", func(t *testing.T) string { return taught(t, `["train.tsv"]`, `"validation": ["more.tsv"], `) },
			[]string{"learn.method=deeppsl", "learn.refit=true"}},
		{"implicit", seeing, []string{"learn.method=implicit", "network.epochs=0"}},
		{"perceptron", seeing, []string{"learn.method=perceptron", "network.epochs=0", "learn.epochs=12"}},
		{"likelihood", seeing, []string{"learn.method=likelihood", "network.epochs=0", "learn.epochs=12"}},
		{"search", seeing, []string{"learn.method=random", "learn.trials=12"}},
		{"examples", adding, nil},
		{"facts", addingFacts, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, options := test.opened(t), project.Options{Seed: 5, Threads: 1,
				Set: append(test.set, "inference.known=false")} // what is cut short does not find out whether it had better
			ground, whole := contexttest.Counting()
			if _, err := engine.Ground(ground, loaded(t, path, options), load.Learn); err != nil {
				t.Fatal(err)
			}
			begin := whole()
			ctx, asked := contexttest.Counting()
			want, err := engine.Run(ctx, loaded(t, path, options), learnAndInfer)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(uint64(len(test.name)), 1))
			for range 20 {
				survives(t, path, options, want, begin+random.Int64N(asked()-begin))
			}
		})
	}
}

// survives ends a run after so many looks at its context, and runs it again.
func survives(t *testing.T, path string, options project.Options, want *engine.Report, looks int64) {
	t.Helper()
	options.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	cut, err := engine.Run(contexttest.Countdown(looks), loaded(t, path, options), learnAndInfer)
	if err != nil {
		t.Errorf("ended after %d looks: %v", looks, err)
		return
	}
	if !cut.Interrupted() {
		sameEnd(t, want, cut) // the answer was proven before anybody looked again, or all that was left was to infer
		return
	}
	wantWhole(t, cut, fmt.Sprintf("ended after %d looks", looks))
	sameEnd(t, want, run(t, path, options, learnAndInfer))
}

// sameEnd checks that a run ended as another one did.
func sameEnd(t *testing.T, want, got *engine.Report) {
	t.Helper()
	if want.Predictions == nil {
		sameRun(t, want, got)
	} else if got.Objective != want.Objective || got.Epochs != want.Epochs || got.Status != want.Status {
		t.Errorf("%s: objective %v after %d epochs, want %v after %d", got.Status, got.Objective, got.Epochs,
			want.Objective, want.Epochs)
	}
}

// wantWhole checks that a report of a run that was cut short has all its parts.
func wantWhole(t *testing.T, r *engine.Report, when string) {
	t.Helper()
	if !r.Interrupted() || r.LearningEnded == "" || r.Training == nil || r.Grounding == nil || r.Answer == nil ||
		len(r.RuleWeights) == 0 || r.Epochs != r.Training.Steps || r.DualBound > r.Objective+1e-9 {
		t.Errorf("%s: %+v", when, r)
		return
	}
	dir := t.TempDir()
	paths, err := r.WriteAnswer(dir)
	if err != nil || len(paths) == 0 {
		t.Errorf("%s: wrote %v, %v", when, paths, err)
	}
	if len(r.Answer.Perceived) > 0 || r.Predictions != nil {
		if err := r.Grounding.SaveNetworks(filepath.Join(dir, "networks")); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
}

// A limit of time that comes in learning leaves the last tenth of it for inference, and is no failure.
func TestTimeLimitInLearning(t *testing.T) {
	for _, opened := range []func(*testing.T) string{seeing, adding} {
		path := opened(t)
		options := project.Options{Seed: 5, Set: []string{
			"run.seconds=2", "learn.method=deeppsl", "learn.epochs=1000000", "learn.patience=0"}}
		r := run(t, path, options, learnAndInfer)
		if r.Status != "time limit" || r.LearningEnded != "time limit" || r.Epochs == 0 || r.Answer == nil {
			t.Errorf("%s: %s, learning ended by %s after %d epochs", path, r.Status, r.LearningEnded, r.Epochs)
		}
		if _, err := r.WriteAnswer(t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}

// A rule of which one row makes more ground rules than there is time for leaves nothing to give.
func TestTimeLimitInGrounding(t *testing.T) {
	rows := make([]string, 3000)
	for k := range rows {
		rows[k] = fmt.Sprintf(`["club", "p%d"]`, k)
	}
	path := writeProject(t, map[string]string{
		"model.json": `{"rules": ["1: In(S, A) & In(S, B) & In(S, C) & In(S, D) -> T(S)"], "predicates": {
			"In/2": {"observations": [` + strings.Join(rows, ",") + `]}, "T/1": {"targets": [["club"]]}}}`,
	})
	opened, err := project.Load(path, project.Options{Set: []string{"run.seconds=0.01", "ground.force=true"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Run(t.Context(), opened, engine.Stages{}); err == nil ||
		!strings.Contains(err.Error(), "time limit") {
		t.Errorf("error %v", err)
	}
}

// Training returns what it has beside the error of its context.
func TestTrainReturnsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	options := project.Options{Seed: 5, OnEpoch: func(e learn.Epoch) {
		if e.Fold == 0 && e.Number == 4 {
			cancel()
		}
	}}
	_, g := ground(t, seeing(t), options, load.Learn)
	training, err := training.Train(ctx, g)
	if !errors.Is(err, context.Canceled) || training == nil || !training.Ended.Early() || training.Steps != 5 {
		t.Fatalf("%v, %+v", err, training)
	}
	if _, err := g.Infer(t.Context()); err != nil {
		t.Error(err)
	}
}

// guessing is a project that learns the weights of two rules alone.
func guessing(t *testing.T) string {
	t.Helper()
	return writeProject(t, map[string]string{"model.json": `{
		"rules": ["1: A(X) -> T(X) ^2", "1: B(X) -> T(X) ^2", "1: !T(X) ^2"],
		"predicates": {
			"A/1": {"observations": [["a", 1], ["b", 0.5]]}, "B/1": {"observations": [["b", 1], ["c", 0.5]]},
			"T/1": {"targets": [["a"], ["b"], ["c"]], "truth": {"learn": [["a", 1], ["b", 1], ["c", 0]]}}
		}
	}`})
}

// Every ending of learning has a name and a sentence.
func TestEndings(t *testing.T) {
	for _, test := range []struct{ path, set, want string }{
		{seeing(t), "learn.epochs=2", "epochs done"},
		{seeing(t), "learn.patience=1", "patience"},
		{adding(t), "learn.patience=1", "patience"},
		{guessing(t), "learn.movement=1", "settled"},
	} {
		r := run(t, test.path, project.Options{Seed: 5, Set: strings.Fields(test.set)}, learnAndInfer)
		if r.LearningEnded != test.want || r.Training.Ended.Sentence() == "" {
			t.Errorf("%s: ended by %q after %d epochs, want %q", test.set, r.LearningEnded, r.Epochs, test.want)
		}
	}
}

// Learning can be all that is done; what learning examples are inferred as is said.
func TestStagesAreSaid(t *testing.T) {
	for _, path := range []string{seeing(t), adding(t)} {
		r := run(t, path, project.Options{Seed: 5}, engine.Stages{Learn: true})
		if r.Status != "learned" || r.Answer != nil || r.Predictions != nil || r.Evaluations != nil || !math.IsNaN(r.Gap) ||
			r.Epochs == 0 || len(r.RuleWeights) == 0 || r.GroundRules == 0 {
			t.Errorf("%s: learning alone gave %+v", path, r)
		}
		r = run(t, path, project.Options{Seed: 5}, learnAndInfer)
		if want := map[bool]string{true: "infer"}[r.Predictions != nil]; r.ExamplesOf != want {
			t.Errorf("%s: examples of %q, want %q", path, r.ExamplesOf, want)
		}
	}
	alone := strings.Replace(adding(t), "model.json", "alone.json", 1)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(alone), "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`, "infer": "more.csv"`), nil, 1)
	if err := os.WriteFile(alone, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, alone, project.Options{Seed: 5}, learnAndInfer); r.ExamplesOf != "learn" || r.Examples != 4 {
		t.Errorf("%d examples of %q, want 4 of learn", r.Examples, r.ExamplesOf)
	}
}

// Each example counts once, however many are solved at once, and the gap that is reported is what was asked for.
func TestGapOfManyExamples(t *testing.T) {
	path := adding(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	costly := bytes.Replace(text, []byte(`"Sum(+S) = 1 ."`), []byte(`"Sum(+S) = 1 .", "fixed 1: !Sum(S) ^2"`), 1)
	if err := os.WriteFile(path, costly, 0o600); err != nil {
		t.Fatal(err)
	}
	objective := func(copies int) float64 {
		table := "a,b,Sum\n" + strings.Repeat("p,r,1\n", copies)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "more.csv"), []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		r := run(t, path, project.Options{Seed: 5, Set: []string{"inference.gap=1e-11"}}, engine.Stages{Infer: true})
		if r.Status != "optimal" || !(r.Gap <= 1e-11) || r.Examples != copies || r.DualBound > r.Objective {
			t.Errorf("%d examples: %s with the gap %v of %d", copies, r.Status, r.Gap, r.Examples)
		}
		return r.Objective
	}
	if one, many := objective(1), objective(2000); math.Abs(many-2000*one) > 2e-2*many {
		t.Errorf("2000 copies of an example cost %v, one %v", many, one)
	}
	if some, more := objective(64), objective(65); !(more > some) || more > 1.1*some {
		t.Errorf("65 copies of an example cost %v, 64 %v", more, some)
	}
}

// Learning that is cut short leaves a MAP state that inference goes on from: without time for a single step, it is
// still nearly proven for the parameters that are kept.
func TestInferenceGoesOnFromCutLearning(t *testing.T) {
	path := seeing(t)
	counting, asked := contexttest.Counting()
	_, g := ground(t, path, project.Options{Seed: 5}, load.Learn)
	if _, err := training.Train(counting, g); err != nil {
		t.Fatal(err)
	}
	over, done := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer done()
	went, proven := 0, 0
	for looks := asked() / 50; looks < asked(); looks += asked() / 50 {
		_, g := ground(t, path, project.Options{Seed: 5}, load.Learn)
		training, err := training.Train(contexttest.Countdown(looks), g)
		if err == nil || training.Last == nil {
			continue
		}
		went++
		answer, err := g.InferAgain(over, training.Last)
		if err != nil {
			t.Fatal(err)
		}
		cold, err := g.Infer(over)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Gap > cold.Gap {
			t.Errorf("ended after %d looks: gap %v, %v from nothing", looks, answer.Gap, cold.Gap)
		}
		if answer.Gap < 1e-3 {
			proven++
		}
	}
	if went < 25 || proven < went/2 { // while networks are fitted anew, they are not those of the last state
		t.Errorf("%d of 50 ended with a state, %d of them nearly proven", went, proven)
	}
}

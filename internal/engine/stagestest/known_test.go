package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// With inference.known, labels learned from are known in inference, and relations spread them: here to friends. What is
// scored stays unknown.
func TestLabelsAreKnownInInference(t *testing.T) {
	f1 := func(r *engine.Report) float64 { return r.Evaluations[0].Values["F1"] }
	const seeds = 8
	var forgotten, known, chosen float64
	for seed := range uint64(seeds) {
		r := run(t, museum(t, seed, `"inference.known": false`), project.Options{}, learnAndInfer)
		if r.Known != 0 || r.Unknown != 15 {
			t.Fatalf("%d labels are known, %d are not", r.Known, r.Unknown)
		}
		forgotten += f1(r) / seeds
		r = run(t, museum(t, seed, `"inference.known": true`), project.Options{}, learnAndInfer)
		if r.Known != 15 || r.Unknown != 0 || r.Status != "optimal" {
			t.Fatalf("%d labels are known, %d are not: %s", r.Known, r.Unknown, r.Status)
		}
		known += f1(r) / seeds
		r = run(t, museum(t, seed, ""), project.Options{}, learnAndInfer)
		if r.Rehearsed == nil || r.Rehearsed.Known != (r.Known == 15) || r.Rehearsed.Known == (r.Unknown == 15) {
			t.Fatalf("%d labels are known, %d are not: %+v", r.Known, r.Unknown, r.Rehearsed)
		}
		chosen += f1(r) / seeds
	}
	t.Logf("F1 %.3f, with what is known %.3f, as held-out labels choose %.3f", forgotten, known, chosen)
	if known < forgotten+0.03 || chosen < forgotten {
		t.Errorf("F1 %.3f, with what is known %.3f, as held-out labels choose %.3f", forgotten, known, chosen)
	}
}

// Labels that hard rules contradict, and those that are scored too, are inferred.
func TestLabelsThatCannotBeKnown(t *testing.T) {
	path := writeProject(t, map[string]string{"model.json": `{
		"rules": ["A(X) + B(X) = 1 .", "1: !A(X) ^2", "1: !B(X) ^2"],
		"predicates": {
			"A/1": {"targets": [["x"], ["y"]], "truth": {"learn": [["x", 1], ["y", 1]], "infer": [["y", 1]]}},
			"B/1": {"targets": [["x"], ["y"]], "truth": {"learn": [["x", 1]]}}},
		"options": {"inference.known": true, "learn.method": "perceptron", "learn.epochs": 1}}`})
	if r := run(t, path, project.Options{}, learnAndInfer); !r.Contradicted || r.Known != 0 || r.Status != "optimal" {
		t.Errorf("contradicted %v, %d known, %s", r.Contradicted, r.Known, r.Status)
	}
	path = writeProject(t, map[string]string{"model.json": `{
		"rules": ["1: A(X) -> B(X) ^2", "1: !A(X) ^2", "1: !B(X) ^2"],
		"predicates": {
			"A/1": {"targets": [["x"], ["y"]], "truth": {"learn": [["x", 1], ["y", 1]], "infer": [["y", 1]]}},
			"B/1": {"targets": [["x"], ["y"]]}},
		"options": {"inference.known": true, "learn.method": "perceptron", "learn.epochs": 1}}`})
	r := run(t, path, project.Options{}, learnAndInfer)
	if r.Known != 1 {
		t.Errorf("%d known", r.Known)
	}
	sum := 0.0
	for _, value := range r.Answer.Values {
		sum += value
	}
	if sum < 1.4 || sum > 1.6 { // A(x) 1, A(y) 0, B(x) a half, as both rules weigh the same, and B(y) 0
		t.Errorf("values %v, weights %v", r.Answer.Values, r.RuleWeights)
	}
}

// Without known labels, a state in which all is a half costs nothing where judges are as reliable as what they say is
// true. Against that, knowing cannot lose, and it need not be sure to win.
func TestKnownAgainstNothing(t *testing.T) {
	files := map[string]string{"model.json": `{
		"rules": ["1: Yes(W, Q) & Reliable(W) -> True(Q) ^2", "1: No(W, Q) & Reliable(W) -> !True(Q) ^2",
			"1: Yes(W, Q) & True(Q) -> Reliable(W) ^2", "1: No(W, Q) & !True(Q) -> Reliable(W) ^2",
			"0.1: True(Q) = 0.5 ^2"],
		"predicates": {"Yes/2": {"observations": ["yes.tsv"]}, "No/2": {"observations": ["no.tsv"]},
			"Reliable/1": {"targets": ["judges.tsv"]},
			"True/1": {"targets": ["questions.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 31))
		for _, table := range []string{"yes.tsv", "no.tsv", "judges.tsv", "questions.tsv", "train.tsv", "test.tsv"} {
			files[table] = ""
		}
		for q := range 90 {
			truth := random.IntN(2)
			files["questions.tsv"] += fmt.Sprintf("q%d\n", q)
			files[[2]string{"train.tsv", "test.tsv"}[min(q/30, 1)]] += fmt.Sprintf("q%d\t%d\n", q, truth)
			for w := range 8 {
				said := truth
				if random.Float64() > 0.55+0.2*float64(w%2) {
					said = 1 - truth
				}
				files[[2]string{"no.tsv", "yes.tsv"}[said]] += fmt.Sprintf("w%d\tq%d\n", w, q)
			}
		}
		for w := range 8 {
			files["judges.tsv"] += fmt.Sprintf("w%d\n", w)
		}
		r := run(t, writeProject(t, files), project.Options{}, learnAndInfer).Training.Rehearsed
		if r == nil || !r.Known && r.KnownLoss < r.ForgottenLoss-0.02 {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
}

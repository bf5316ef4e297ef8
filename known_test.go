package deeppsl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// A session knows the labels that it has learned from where a run does, to the same bits; they are reasons like any
// observed atom, and stay known whatever changes.
func TestSessionKnowsLabels(t *testing.T) {
	path := visitors(t, "")
	project, err := project.Load(path, project.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	report, err := engine.Run(ctx, project, engine.Stages{Learn: true, Infer: true})
	if err != nil || report.Known != 10 {
		t.Fatal(report.Known, err)
	}
	p, data, err := deeppsl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, p, data, deeppsl.Options{Seed: 1})
	if _, err := s.Learn(ctx); err != nil {
		t.Fatal(err)
	}
	answer := infer(t, s)
	if answer.Objective != report.Objective || answer.DualBound != report.DualBound {
		t.Errorf("objective %v, of a run %v", answer.Objective, report.Objective)
	}
	knowsWeights(t, s)

	// The same with labels in the table of what is observed.
	p, data, err = deeppsl.Open(visitors(t, `"train.tsv", `))
	if err != nil {
		t.Fatal(err)
	}
	cold := begin(t, p, data, deeppsl.Options{Seed: 1})
	for k, rule := range s.Rules() {
		if err := cold.SetWeight(k, rule.Weight); err != nil {
			t.Fatal(err)
		}
	}
	agree := func(what string) {
		t.Helper()
		got, want := infer(t, s), infer(t, cold)
		for k := range 40 {
			name := fmt.Sprintf("p%d", k)
			if a, b := valueOf(got, "Likes", name), valueOf(want, "Likes", name); k%4 > 1 && math.Abs(a-b) > 1e-3 {
				t.Errorf("%s: Likes(%s) is %v, cold %v", what, name, a, b)
			}
		}
	}
	agree("learned")
	why, err := s.Explain(ctx, deeppsl.Details{Shown: -1}, "Likes", "p2")
	if err != nil || why.Unexplained > 1e-6 {
		t.Fatal(why, err)
	}
	labels := 0
	for _, push := range why.Pushes {
		for _, atom := range push.Atoms {
			if atom.Atom == "Likes('p1')" && atom.Role == "observed" {
				labels++
			}
		}
	}
	if labels == 0 {
		t.Errorf("no label is among the reasons: %+v", why.Pushes)
	}
	for _, c := range []change.Change{change.Observe(0.5, "First", "p3"), change.Observe(0.25, "Likes", "p1"),
		change.Target("Likes", "p5")} {
		for _, x := range []*deeppsl.Session{s, cold} {
			if _, err := x.Apply(ctx, c); err != nil {
				t.Fatal(err)
			}
		}
		agree(fmt.Sprint(c))
	}
	if _, err := s.Learn(ctx); err != nil {
		t.Fatal(err)
	}
	infer(t, s)
}

// knowsWeights compares the gradient in the weights, of an inference that knows labels, with differences.
func knowsWeights(t *testing.T, s *deeppsl.Session) {
	t.Helper()
	loss := func() (sum float64, answer *deeppsl.Answer) {
		answer = infer(t, s)
		for atom := range answer.Atoms() {
			sum += atom.Value
		}
		return sum, answer
	}
	_, answer := loss()
	slope := make([]float64, len(answer.Values()))
	for k := range slope {
		slope[k] = 1
	}
	gradient, err := s.Gradient(answer, slope)
	if err != nil {
		t.Fatal(err)
	}
	for k, rule := range s.Rules() {
		const h = 1e-3
		at := func(weight float64) float64 {
			if err := s.SetWeight(k, weight); err != nil {
				t.Fatal(err)
			}
			sum, _ := loss()
			return sum
		}
		want := (at(rule.Weight*(1+h)) - at(rule.Weight*(1-h))) / (2 * h * rule.Weight)
		at(rule.Weight)
		if got := gradient.Weights[k]; math.Abs(got-want) > 1e-2*math.Abs(want)+1e-2 {
			t.Errorf("by the weight of rule %d: %v, by differences %v", k, got, want)
		}
	}
}

// visitors writes a project of 40 visitors in groups of four friends that have one taste, of whom one in four is known
// to have it, and one is learned from; also is what else is observed.
func visitors(t *testing.T, also string) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 40))
	files := make(map[string]string)
	for k := range 40 {
		for other := k / 4 * 4; other < k/4*4+4; other++ {
			if other != k {
				files["friends.tsv"] += fmt.Sprintf("p%d\tp%d\n", k, other)
			}
		}
		files["first.tsv"] += fmt.Sprintf("p%d\t%.2f\n", k, random.Float64())
		table := [4]string{"known.tsv", "train.tsv", "test.tsv", "test.tsv"}[k%4]
		files[table] += fmt.Sprintf("p%d\t%d\n", k, k/4%2)
		if k%4 > 1 || k%4 == 1 && also == "" {
			files["targets.tsv"] += fmt.Sprintf("p%d\n", k)
		}
	}
	files["model.json"] = `{
		"rules": ["1: Friends(A, B) & Likes(A) -> Likes(B) ^2", "1: Friends(A, B) & !Likes(A) -> !Likes(B) ^2",
			"1: First(A) -> Likes(A) ^2", "0.1: !Likes(A) ^2"],
		"predicates": {
			"Friends/2": {"observations": ["friends.tsv"]}, "First/1": {"observations": ["first.tsv"]},
			"Likes/1": {"observations": [` + also + `"known.tsv"], "targets": ["targets.tsv"], "evaluations": ["Discrete"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}
		},
		"options": {"inference.known": true, "learn.method": "perceptron", "learn.epochs": 3, "inference.gap": 1e-9}}`
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "model.json")
}

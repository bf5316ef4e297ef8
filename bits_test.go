package deeppsl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// A session that learns and infers must give the bits that a run of the configuration gives.
func TestSessionIsRun(t *testing.T) {
	for _, path := range []string{"examples/citation/citation.json", "examples/matching/matching.json", apart(t)} {
		set := []string{"learn.epochs=3", "network.epochs=20", "learn.method=implicit"}
		project, err := project.Load(path, project.Options{Seed: 1, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		report, err := engine.Run(ctx, project, engine.Stages{Learn: true, Infer: true})
		if err != nil {
			t.Fatal(err)
		}
		p, data, err := deeppsl.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s := begin(t, p, data, deeppsl.Options{Seed: 1, Learning: "implicit", Epochs: new(3),
			Set: map[string]string{"network.epochs": "20"}})
		if _, err := s.Learn(ctx); err != nil {
			t.Fatal(err)
		}
		answer := infer(t, s)
		if answer.Objective != report.Objective || answer.DualBound != report.DualBound {
			t.Errorf("%s: objective %v, of a run %v", path, answer.Objective, report.Objective)
		}
		scored, err := s.Evaluate(answer)
		if err != nil || len(scored) != len(report.Evaluations) {
			t.Fatal(scored, err)
		}
		for k, e := range report.Evaluations {
			if scored[k].Values[e.Primary] != e.Values[e.Primary] {
				t.Errorf("%s: %s of %s is %v, of a run %v", path, e.Primary, e.Predicate, scored[k].Values, e.Values)
			}
		}
	}
}

// A program about examples predicts their labels.
func TestPredict(t *testing.T) {
	p, data, err := deeppsl.Open("examples/digits/numbers.json")
	if err != nil {
		t.Fatal(err)
	}
	predictions, err := begin(t, p, data, deeppsl.Options{Seed: 1}).Predict(ctx)
	if err != nil || len(predictions) == 0 {
		t.Fatal(predictions, err)
	}
	if _, err := begin(t, p, data, deeppsl.Options{}).Infer(ctx); err == nil || !strings.Contains(err.Error(), "Predict") {
		t.Errorf("inferring examples as one world: %v", err)
	}
	plain := parse(t, alarms)
	s := begin(t, plain, rooms(plain, 2, func(int) float64 { return 1 }), deeppsl.Options{})
	if _, err := s.Predict(ctx); err == nil || !strings.Contains(err.Error(), "Infer") {
		t.Errorf("predicting without examples: %v", err)
	}
	p, data, err = deeppsl.Open("examples/digits/numbers.json",
		deeppsl.Predicate{Name: "Extra", Types: []deeppsl.Type{deeppsl.String}})
	if err != nil {
		t.Fatal(err)
	}
	data.Given("Extra", deeppsl.Rows{{"x"}})
	if _, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{}); err == nil ||
		!strings.Contains(err.Error(), "examples cannot have") {
		t.Errorf("given atoms beside examples: %v", err)
	}
	for _, q := range predictions {
		if q.Predicted == "" || q.Label == "" || q.Value < 0 || q.Value > 1 {
			t.Fatalf("%+v", q)
		}
	}
}

// apart writes a configuration whose phases have things of their own, with features of different sizes.
func apart(t *testing.T) string {
	t.Helper()
	var features strings.Builder
	things, truth := map[string][]string{}, map[string][]string{}
	for k := range 12 {
		phase, size := "learn", 1.0
		if k >= 8 {
			phase, size = "infer", 100.0
		}
		fmt.Fprintf(&features, "thing%d\t%v\t%v\n", k, size*(float64(k%2)+0.1*float64(k%3)), float64(k%5))
		things[phase] = append(things[phase], fmt.Sprintf(`["thing%d"]`, k))
		truth[phase] = append(truth[phase], fmt.Sprintf(`["thing%d", %d]`, k, k%2))
	}
	both := func(rows map[string][]string) string {
		list := func(phase string) string { return strings.Join(rows[phase], ", ") }
		return fmt.Sprintf(`{"learn": [%s], "infer": [%s]}`, list("learn"), list("infer"))
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"features.tsv": features.String(), "model.json": fmt.Sprintf(`{
		"rules": ["1: Looks(A) -> Odd(A) ^2", "1: !Odd(A) ^2"],
		"networks": {"eye": {"features": "features.tsv", "hidden": [3]}},
		"predicates": {
			"Looks/1": {"neural": {"network": "eye"}, "targets": %s},
			"Odd/1": {"targets": %s, "truth": %s, "evaluations": ["discrete"]}
		}
	}`, both(things), both(things), both(truth))} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "model.json")
}

// 0 is a number like others where it is in range, and no field is left unheard.
func TestZeroIsNoDefault(t *testing.T) {
	p, data, err := deeppsl.Open(apart(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, epochs := range []*int{nil, new(0), new(2)} {
		training, err := begin(t, p, data, deeppsl.Options{Seed: 1, Learning: "implicit", Epochs: epochs}).Learn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch got := len(training.Epochs); {
		case epochs != nil && got > *epochs+1, epochs == nil && got < 4:
			t.Errorf("%d lines of learning, asked for %v", got, epochs)
		}
	}
}

package engine_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// The costs of rules of every kind add up to the objective, and the answer by predicate is that of its atoms.
func TestSummary(t *testing.T) {
	config := `{
		"rules": ["3: Near(A, B) -> Like(A, B) ^2", "0.5: Like(A, B) -> Like(B, A)", "1: !Like(A, B) ^2",
			"2: Like(A, +B) <= 0.5", "Like(A, B) + Like(B, A) >= 0.4 ."],
		"predicates": {
			"Near/2": {"observations": [["a", "b", "0.9"], ["b", "c", "0.3"], ["c", "a", "1"]]},
			"Like/2": {"targets": [["a", "b"], ["b", "a"], ["b", "c"], ["c", "b"], ["c", "a"], ["a", "c"]]}
		}
	}`
	path := t.TempDir() + "/model.json"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	project, err := project.Load(path, project.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Ground(context.Background(), project, load.Infer)
	if err != nil {
		t.Fatal(err)
	}
	answer := infer(t, g)
	costs, err := g.CostByRule(answer)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, c := range costs {
		sum += c.Cost
		if c.Hard && c.Cost != 0 || c.Active > c.GroundRules {
			t.Errorf("%+v", c)
		}
	}
	if answer.Objective < 0.1 || math.Abs(sum-answer.Objective) > 1e-9*answer.Objective {
		t.Errorf("costs of %v, objective %v", sum, answer.Objective)
	}
	total, above, largest := 0.0, 0.0, 0.0
	g.Each(answer, true, func(a session.Atom) {
		total, largest = total+a.Value/6, max(largest, a.Value)
		if a.Value > 0.5 {
			above += 1.0 / 6
		}
	})
	like := g.ByPredicate(answer)
	if len(like) != 1 || like[0].Atoms != 6 || math.Abs(like[0].Mean-total) > 1e-12 ||
		math.Abs(like[0].AboveHalf-above) > 1e-12 || len(like[0].Largest) != 3 || like[0].Largest[0].Value != largest {
		t.Errorf("%+v, want a mean of %v, a share of %v, and %v first", like, total, above, largest)
	}
	for k, a := range like[0].Largest[1:] {
		if a.Value > like[0].Largest[k].Value {
			t.Errorf("%+v is not sorted", like[0].Largest)
		}
	}
}

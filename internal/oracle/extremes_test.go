package oracle

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/shard"
)

// extreme writes a configuration of some rules about targets T(a), T(b), T(c) and S of each two of these, with the
// truth of O.
func extreme(t *testing.T, truth []float64, rules ...string) (path string) {
	constants := []string{"a", "b", "c"}
	var o, one, two [][]any
	for k, a := range constants {
		o, one = append(o, []any{a, truth[k]}), append(one, []any{a})
		for _, b := range constants {
			two = append(two, []any{a, b})
		}
	}
	text, err := json.Marshal(map[string]any{"rules": rules, "predicates": map[string]any{
		"O/1": map[string]any{"observations": o}, "T/1": map[string]any{"targets": one},
		"S/2": map[string]any{"targets": two},
	}})
	path = filepath.Join(t.TempDir(), "model.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Models whose weights or coefficients are 13 orders of magnitude apart are solved wherever they are.
func TestExtremes(t *testing.T) {
	ctx, none := context.Background(), []float64{0, 0, 0}
	t.Run("beyond memory", func(t *testing.T) {
		path := extreme(t, []float64{0.9, 1e-6, 0}, "10: T(A) ^2", "10000: O(A) & S(C, A) & (C != A) -> T(A)",
			"370000000000: O(B) & T(A) & (A != B) -> T(B)", "10000: S(A, B) ^2", "50000: !S(A, B) ^2")
		answer := inferred(t, path, "ground.memory=4000")
		if math.Abs(answer.Objective-75000) > 0.1 {
			t.Errorf("objective %v, and the optimum is 75000", answer.Objective)
		}
	})
	t.Run("in next to no memory", func(t *testing.T) {
		path := extreme(t, []float64{0, 0, 1}, "2 / |B| * S(A, +B) + -1 * T(A) <= 0 .",
			"0.1: -10000 * S(A, A) + -0.001 * S(A, B) + 3333 * O(A) = 0", "T(A) .", "0.1: !T(A) ^2")
		answer, want := inferred(t, path, "ground.memory=4000"), inferred(t, path)
		if math.Abs(answer.Objective-want.Objective) > 2e-6*want.Objective {
			t.Errorf("objective %v, and in memory %v", answer.Objective, want.Objective)
		}
	})
	t.Run("components", func(t *testing.T) {
		path := extreme(t, none, "0.037: T(A) ^2", "0.000000000000005: S(A, B)")
		parted(t, ctx, path, shard.ByComponents)
	})
	t.Run("blocks", func(t *testing.T) {
		path := extreme(t, none, "2 * S(B, A) + -0.01 * T(A) + -30000 * S(A, B) <= -0.25 .")
		parted(t, ctx, path, shard.ByVertices)
	})
	t.Run("hard rules give way", func(t *testing.T) {
		path := extreme(t, []float64{1e-6, 1, 0}, "1 * S('a', B) + 0.5 * O('a') + 1 * T(A) = 0 .",
			"0.000000001: 20000 * S(A, 'a') + 1 * O('a') >= 0.7 ^2")
		answer := inferred(t, path)
		if want := 4.899986e-10; math.Abs(answer.Objective-want) > 1e-5*want {
			t.Errorf("objective %v, and the optimum is %v", answer.Objective, want)
		}
	})
	t.Run("with another fact", func(t *testing.T) {
		rules := []string{"0.0037: 0.001 * T(A) <= -0.25 ^2", "0.0037: S(A, B) ^2", "0.0001: T(A)", "0.002: !S(A, B)",
			"1 * S(A, +B) + -1 * T(A) >= 0 . {B: O(B)}", "0.0001: -10000 * T(B) + 0.0005 * S(A, C) <= 0"}
		g, x, e := explanation(t, extreme(t, []float64{0.99, 0, 0}, rules...), "T", "a")
		got, err := x.WithFact(context.Background(), e, 0, "O", "a")
		if err != nil {
			t.Fatal(err)
		}
		want := inferred(t, extreme(t, []float64{0, 0, 0}, rules...)).Objective
		if math.Abs(got.Objective-want) > 2e-6*max(want, g.Field.Grain()) {
			t.Errorf("objective %v, and of a run of its own %v", got.Objective, want)
		}
	})
	t.Run("explained", func(t *testing.T) {
		path := extreme(t, none, "0.000000001: 0.001 * T(A) <= 0",
			"0.00000001: 10000 / |B| * S(A, +B) + -0.001 * T(A) >= 0.5 ^2", "0.000000001: !S(A, B) ^2")
		explains(t, path, 1e-8, "S", "a", "c")
		path = extreme(t, none, "0.000000001: 1 / |B| * S(A, +B) <= 0.5", "0.000000001: 1 * S(A, A) <= 0 ^2",
			"0.000000001: 100 * T(A) + 10000 * S(A, B) + 0.001 * T(B) = 0.5 ^2")
		explains(t, path, 1e-9, "S", "a", "a")
		path = extreme(t, []float64{0, 1, 1}, "0.000000001: 0.001 * O('a') + 10000 * T(A) = 1",
			"0.000000001: 0.001 * O('b') + 10000 * T(A) = 1")
		explains(t, path, 1e-9, "T", "a")
		path = extreme(t, none, "0.00000001: 1 * S(A, A) + 1 * S('a', A) >= 1", "T(A) .",
			"0.000000001: 10000 * S(B, 'a') + 0.001 * S(A, A) <= 0 ^2", "0.000000001: 1 / |B| * S(A, +B) <= 0",
			"0.000000005: !S(A, B)")
		explains(t, path, 1e-8, "S", "a", "b")
	})
}

// explains explains an atom of a configuration whose largest weight is known, which must add up.
func explains(t *testing.T, path string, unit float64, predicate string, args ...string) {
	_, _, e := explanation(t, path, predicate, args...)
	if wrong := unexplained(e, unit); wrong != "" {
		t.Errorf("%s: %+v", wrong, e)
	}
}

// explanation is an explanation of an atom of a configuration, and what it is made with.
func explanation(t *testing.T, path, predicate string, args ...string) (
	*session.Grounding, *session.Explainer, *explain.Explanation,
) {
	ctx := context.Background()
	loaded, err := project.Load(path, project.Options{Threads: 1, Set: asked})
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Ground(ctx, loaded, load.Infer)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := g.InferAgain(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := g.Explainer(answer)
	if err != nil {
		t.Fatal(err)
	}
	e, err := x.Explain(ctx, explain.Options{Shown: -1}, predicate, args...)
	if err != nil {
		t.Fatal(err)
	}
	return g, x, e
}

// What little weights and what is left of coefficients ask for is answered beside others that are far larger.
func TestLeast(t *testing.T) {
	t.Run("least weights", func(t *testing.T) {
		path := extreme(t, []float64{0.5, 0.5, 1}, "0.02: 1 * S(B, A) + -3 * T(C) + 0.5 * O(B) = 0",
			"0.000000001: S(C, A) & (A != C) -> O(A)", "0.000000001: T(A)")
		inferred(t, path)
		path = extreme(t, []float64{1, 1, 0.1}, "0.0000000001: T(A) ^2", "0.0000001: S(A, B)",
			"100: 1 * S(A, +B) + -1 * T(A) <= 1 ^2", "1 * S(A, +B) + -1 * T(A) >= 2 .",
			"S(C, A) & S(A, B) & (A != C) & (B != C) & (B != A) -> T(A) .")
		inferred(t, path)
	})
	t.Run("squares beside a steep hinge", func(t *testing.T) {
		path := extreme(t, []float64{0, 0, 0}, "0.000000000000001: !T(A) ^2", "S(A, A) & !O(A) -> T(A) .",
			"0.000001: -10000 * T(A) >= 0", "0.000000001: S(A, 'a') & T(A) & T(B) & (B != A) -> !T('a') ^2",
			"0.00000000000002: S(A, B) ^2")
		inferred(t, path)
	})
	t.Run("multipliers that hide others", func(t *testing.T) {
		path := extreme(t, []float64{0.5, 1, 1}, "0.00000000000001: T(A)", "1 * T(A) <= 0 .",
			"0.037: 1 / |B| * S(A, +B) >= 0.7 ^2", "0.00000000000001: S(A, B) & O(A) & (B != A) -> T(A)",
			"-1 * S(B, A) + 1 * T(A) + 1 * S(A, B) <= 0 .")
		for _, set := range []string{"inference.presolve=true", "inference.presolve=false"} {
			answer := inferred(t, path, set)
			if want := 5.3e-14; math.Abs(answer.Objective-want) > 1e-15 {
				t.Errorf("%s: objective %v, and the optimum is %v", set, answer.Objective, want)
			}
		}
	})
	t.Run("what repeated atoms leave", func(t *testing.T) {
		of := func(coef float64, name string, args ...string) term {
			return term{coef: coef, atom: literal{name: name, args: args}}
		}
		p := &prog{constants: 1, observed: map[string]float64{"O(a)": 0}, rules: []rule{
			{weight: 1e-9, clause: []literal{{name: "T", args: []string{"A"}}}},
			{weight: -1, op: "<=", terms: []term{ // of T(a), 1e-12 is left
				of(1.001*0x1p-30, "T", "A"), of(-0x1p-30, "T", "C"), of(-0x1p-30, "S", "A", "C"),
			}},
		}}
		got, err := p.run(t.TempDir(), project.Options{Threads: 1, Set: asked})
		if err != nil {
			t.Fatal(err)
		}
		rows := p.ground()
		if wrong := p.wrong(rows, solveRows(rows, len(p.targets())), got); wrong != "" {
			t.Errorf("%s: %v", wrong, got)
		}
	})
}

// Where rounding leaves other methods without a proof, one is found on a face of the feasible points.
func TestLastDigits(t *testing.T) {
	for _, test := range []struct {
		name  string
		truth []float64
		rules []string
	}{
		{"absolute values left by next to nothing", []float64{0, 1, 1}, []string{
			"0.000000001: 10000 * S(A, 'a') = 0.5 ^2",
			"0.00000002: 1.001 * S(A, +B) + -1 * T(A) = 0 ^2 {B: !O(B)}",
			"0.000000037: -0.001 * S(C, A) + 100.1 * T('a') = 2", "1 * S(A, 'a') + 0.5 * T(B) + 2 * T(A) <= 0.7 .",
		}},
		{"large multipliers at a bound", []float64{0, 0, 0}, []string{
			"0.001 * S(A, B) + 10000 * T(A) <= 0 .", "0.000000005: T(A) ^2",
			"0.000000037: 10000 / |B| * S(A, +B) >= 0.5 ^2",
		}},
		{"multipliers in their last digit", []float64{0, 0, 1e-6}, []string{
			"0.000000000010000000000000001: T(A) ^2",
			"0.005: 1 * S(B, C) + 10000 * T('a') + -0.01 * O(A) = 0.5",
		}},
		{"multipliers of all sizes", []float64{0, 1, 1}, []string{
			"0.000000000000001: S(A, B)",
			"0.000000000000037: 1 / |B| * S(A, +B) <= -0.25", "-3 * S(B, C) + 0.3333 * T(A) <= -0.25 .",
			"0.01: T(A)", "O(B) & S('a', B) & O(C) & (C != B) -> T(C) .",
		}},
		{"values that rounding is less of", []float64{0, 0, 0}, []string{
			"0.000000000000001: 1 * T(A) <= 0.5",
			"0.001: 100 / |B| * S(A, +B) + -100 * T(A) = 0.7",
		}},
	} {
		t.Run(test.name, func(t *testing.T) { inferred(t, extreme(t, test.truth, test.rules...)) })
	}
}

// inferred solves a configuration, which must be proven.
func inferred(t *testing.T, path string, set ...string) *session.Answer {
	loaded, err := project.Load(path, project.Options{Threads: 1, Set: append(set, asked...)})
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Ground(context.Background(), loaded, load.Infer)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := g.Infer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status != "optimal" {
		t.Errorf("%s, with a gap of %v", answer.Status, answer.Gap)
	}
	return answer
}

// parted solves a configuration in two parts, which must have a proof together.
func parted(t *testing.T, ctx context.Context, path, by string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, got, err := sharded(ctx, path, filepath.Join(t.TempDir(), "parts"), by, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "optimal" {
		t.Errorf("%s, with a gap of %v", got.Status, got.Gap)
	}
}

package session_test

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// baseline grounds one of the models in the folder that DEEPPSL_BASELINES names, and infers to a gap.
func baseline(t testing.TB, name, gap string) (*session.Grounding, *session.Answer) {
	t.Helper()
	return inferred(t, filepath.Join(folder(t), name, name+".json"), gap)
}

// folder has the models.
func folder(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("DEEPPSL_BASELINES")
	if folder == "" {
		t.Skip("DEEPPSL_BASELINES names no folder")
	}
	return filepath.Join(folder, "models")
}

// inferred grounds a configuration, and infers to a gap.
func inferred(t testing.TB, path, gap string) (*session.Grounding, *session.Answer) {
	t.Helper()
	loaded, err := project.Load(path, project.Options{Set: []string{"inference.gap=" + gap}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Ground(context.Background(), loaded, load.Infer)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	answer, err := g.InferAgain(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s to a gap of %.0e in %v", filepath.Base(path), answer.Status, answer.Gap, time.Since(start))
	return g, answer
}

// On models of the size of experiments, too, pushes must add up to 0 and leaves to the values.
func TestBaselinesAreExplained(t *testing.T) {
	for name, sample := range map[string]int{
		"acquaintances": 400, "cora-pre": 60, "er-eval": 60, "friendship-1m": 60, "transitivity-1m": 2,
	} {
		g, answer := baseline(t, name, "1e-4")
		x, err := g.Explainer(answer)
		if err != nil {
			t.Fatal(err)
		}
		worst, sum, unique, n := 0.0, 0.0, 0, 0
		var first, slowest time.Duration
		atoms := 0
		for range g.Atoms(answer, nil) {
			atoms++
		}
		k := 0
		for a := range g.Atoms(answer, nil) {
			if k++; k%max(1, atoms/sample) != 0 {
				continue
			}
			start := time.Now()
			e, err := x.Explain(context.Background(), explain.Options{}, a.Predicate, a.Arguments...)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); n == 0 {
				first = took
			} else {
				slowest = max(slowest, took)
			}
			n++
			total := 0.0
			for _, leaf := range e.Leaves {
				total += leaf.Contribution
			}
			if e.Unique && len(e.Leaves) > 0 {
				unique++
				sum = max(sum, math.Abs(total-e.Value))
			}
			if e.Sizes > 0 {
				worst = max(worst, math.Abs(e.Unexplained)/e.Sizes)
			}
		}
		t.Logf("%s: %d of %d atoms, %d unique; first %v, then at most %v; unexplained %.1e, leaves off by %.1e", name,
			n, atoms, unique, first, slowest, worst, sum)
		if worst > 1e-6 || sum > 1e-6 {
			t.Errorf("%s: unexplained %v, leaves off by %v", name, worst, sum)
		}
	}
}

// The table of all atoms must leave nothing unexplained of any atom of any model.
func TestBaselinesAreExplainedAsAWhole(t *testing.T) {
	for _, name := range []string{
		"acquaintances", "cora", "cora-pre", "er-eval", "er-learn", "friendship-1m", "transitivity-1m",
	} {
		g, answer := baseline(t, name, "1e-4")
		x, err := g.Explainer(answer)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		all, err := x.WriteAll(context.Background(), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d atoms in %v, unexplained %.1e", name, all.Atoms, time.Since(start), all.Unexplained)
		if all.Unexplained > 1e-6 || all.Atoms != g.Variables() {
			t.Errorf("%s: %v is unexplained of one of %d atoms", name, all.Unexplained, all.Atoms)
		}
	}
}

// fact is a leaf of an atom that is read from a file.
type fact struct {
	atom *explain.Explanation
	leaf explain.Leaf
}

// facts are those that contribute most to atoms spread over a model, but for those of the predicate that is asked
// about: without one of them, a cold run lacks a target.
func facts(t *testing.T, g *session.Grounding, answer *session.Answer, x *session.Explainer, count int) (out []fact) {
	t.Helper()
	for _, a := range explained(g, answer, 10*count) {
		if len(out) == count {
			break
		}
		e := ask(t, x, &a)
		k := slices.IndexFunc(e.Leaves, func(l explain.Leaf) bool {
			return l.Fact.File != "" && math.Abs(l.Slope) > 1e-3 && !strings.HasPrefix(l.Name, a.Predicate)
		})
		if k >= 0 {
			out = append(out, fact{e, e.Leaves[k]})
		}
	}
	if len(out) < count {
		t.Fatalf("only %d of %d facts", len(out), count)
	}
	return out
}

// with is the counterfactual of a fact at a value, or without it.
func (f *fact) with(t *testing.T, x *session.Explainer, value float64) *explain.Counterfactual {
	t.Helper()
	parts := strings.FieldsFunc(f.leaf.Name, func(r rune) bool { return strings.ContainsRune("('), ", r) })
	found, err := x.WithFact(context.Background(), f.atom, value, parts[0], parts[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// What is said of a model without a fact is what a cold run says whose table has no line for it: within both gaps.
func TestCounterfactualsOfBaselinesAreColdRuns(t *testing.T) {
	for _, name := range []string{"acquaintances", "cora-pre"} {
		g, answer := baseline(t, name, "1e-6")
		x, err := g.Explainer(answer)
		if err != nil {
			t.Fatal(err)
		}
		config, err := os.ReadFile(filepath.Join(folder(t), name, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts(t, g, answer, x, 3) {
			found := f.with(t, x, -1)
			_, cold := inferred(t, without(t, name, string(config), f.leaf.Fact.File, f.leaf.Fact.Line), "1e-6")
			room := found.Gap*math.Abs(found.Objective) + cold.Gap*math.Abs(cold.Objective)
			t.Logf("%s %s: %.8g (gap %.0e), cold %.8g (gap %.0e)", name, found.Change, found.Objective, found.Gap,
				cold.Objective, cold.Gap)
			if math.Abs(found.Objective-cold.Objective) > room || math.Abs(cold.Objective-answer.Objective) <= room/100 {
				t.Errorf("%s: %s is %v, and a cold run %v", name, f.leaf.Name, found, cold.Objective)
			}
		}
	}
}

// without writes a configuration with one line less in a table, and returns its path.
func without(t *testing.T, name, config, file string, line int) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	table := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(table, []byte(strings.Join(slices.Delete(lines, line-1, line), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	from := regexp.MustCompile(`"([^"]*/[^"/]*[.]txt)"`)
	config = from.ReplaceAllStringFunc(config, func(quoted string) string {
		path := filepath.Join(folder(t), name, quoted[1:len(quoted)-1])
		if path == filepath.Clean(file) {
			path = table
		}
		return strconv.Quote(path)
	})
	path := filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The leaves of facts say how values change with them: central differences of counterfactuals do, too, but for values
// at a kink, from which the slopes to both sides differ.
func TestLeavesOfBaselinesAreDerivatives(t *testing.T) {
	for _, name := range []string{"acquaintances", "cora-pre"} {
		g, answer := baseline(t, name, "1e-6")
		x, err := g.Explainer(answer)
		if err != nil {
			t.Fatal(err)
		}
		var inner, one, other float64
		kinks := 0
		all := facts(t, g, answer, x, 20)
		for _, f := range all {
			const step = 1e-3
			low, high := max(0, f.leaf.Value-step), min(1, f.leaf.Value+step)
			down, up := f.with(t, x, low).Value, f.with(t, x, high).Value
			if low < f.leaf.Value && f.leaf.Value < high && math.Abs(up+down-2*f.atom.Value) > 0.02*step {
				kinks++
				continue
			}
			difference := (up - down) / (high - low)
			inner, one, other = inner+f.leaf.Slope*difference, one+f.leaf.Slope*f.leaf.Slope, other+difference*difference
		}
		cosine := inner / math.Sqrt(one*other)
		t.Logf("%s: the cosine is %v, of %d facts with %d at kinks", name, cosine, len(all), kinks)
		if !(cosine >= 0.999) || kinks > len(all)/4 {
			t.Errorf("%s: the cosine of slopes and differences is %v, with %d kinks", name, cosine, kinks)
		}
	}
}

package session_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
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
	folder := os.Getenv("DEEPPSL_BASELINES")
	if folder == "" {
		t.Skip("DEEPPSL_BASELINES names no folder")
	}
	loaded, err := project.Load(filepath.Join(folder, "models", name, name+".json"),
		project.Options{Set: []string{"inference.gap=" + gap}})
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
	t.Logf("%s: %s to a gap of %.0e in %v", name, answer.Status, answer.Gap, time.Since(start))
	return g, answer
}

// On models of the size of experiments, too, pushes must add up to 0 and leaves to the values.
func TestBaselinesAreExplained(t *testing.T) {
	for _, name := range []string{"acquaintances", "cora-pre", "er-eval", "friendship-1m"} {
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
			if k++; k%max(1, atoms/40) != 0 {
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

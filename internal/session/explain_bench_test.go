package session_test

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/session"
	_ "github.com/deeppsl/deeppsl/parquet"
)

// explained are atoms of the baselines, spread over the model.
func explained(g *session.Grounding, answer *session.Answer, count int) (out []session.Atom) {
	n := 0
	for range g.Atoms(answer, nil) {
		n++
	}
	k := 0
	for a := range g.Atoms(answer, nil) {
		if k++; k%max(1, n/count) == 0 {
			out = append(out, a)
		}
	}
	return out
}

// ask explains an atom.
func ask(t testing.TB, x *session.Explainer, a *session.Atom) *explain.Explanation {
	t.Helper()
	e, err := x.Explain(context.Background(), explain.Options{}, a.Predicate, a.Arguments...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// overBaselines runs a benchmark for each of the baselines, with what explains its answer and some of its atoms.
func overBaselines(b *testing.B, run func(b *testing.B, fresh func() *session.Explainer, atoms []session.Atom)) {
	for _, name := range []string{"cora-pre", "er-eval"} {
		b.Run(name, func(b *testing.B) {
			g, answer := baseline(b, name, "1e-4")
			run(b, func() *session.Explainer {
				x, err := g.Explainer(answer)
				if err != nil {
					b.Fatal(err)
				}
				return x
			}, explained(g, answer, 40))
		})
	}
}

// The first explanation of an answer, with all that is made for those that follow.
func BenchmarkExplainFirst(b *testing.B) {
	overBaselines(b, func(b *testing.B, fresh func() *session.Explainer, atoms []session.Atom) {
		for k := 0; b.Loop(); k++ {
			ask(b, fresh(), &atoms[k%len(atoms)])
		}
	})
}

// Explanations after others.
func BenchmarkExplainWarm(b *testing.B) {
	overBaselines(b, func(b *testing.B, fresh func() *session.Explainer, atoms []session.Atom) {
		x := fresh()
		for i := range atoms {
			ask(b, x, &atoms[i])
		}
		for k := 0; b.Loop(); k++ {
			ask(b, x, &atoms[k%len(atoms)])
		}
	})
}

// Five counterfactuals of an atom: of so many atoms as the benchmark has rounds.
func BenchmarkCounterfactuals(b *testing.B) {
	overBaselines(b, func(b *testing.B, fresh func() *session.Explainer, atoms []session.Atom) {
		x := fresh()
		var times []time.Duration
		for k := 0; b.Loop(); k++ {
			b.StopTimer()
			e := ask(b, x, &atoms[k%len(atoms)])
			b.StartTimer()
			start := time.Now()
			if err := x.Changes(context.Background(), e, 5); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		for name, q := range map[string]float64{"median": 0.5, "p90": 0.9, "worst": 1} {
			b.ReportMetric(float64(times[int(q*float64(len(times)-1))].Microseconds()), "µs-"+name)
		}
	})
}

// A table of all atoms, beside inference.
func BenchmarkExplainAll(b *testing.B) {
	overBaselines(b, func(b *testing.B, fresh func() *session.Explainer, _ []session.Atom) {
		for b.Loop() {
			all, err := fresh().WriteAll(context.Background(), io.Discard)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(all.Unexplained, "unexplained")
		}
	})
}

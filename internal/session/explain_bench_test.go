package session_test

import (
	"context"
	"io"
	"testing"

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

// The first explanation of an answer, with all that is made for those that follow.
func BenchmarkExplainFirst(b *testing.B) {
	for _, name := range []string{"cora-pre", "er-eval"} {
		b.Run(name, func(b *testing.B) {
			g, answer := baseline(b, name, "1e-4")
			atoms, k := explained(g, answer, 40), 0
			for b.Loop() {
				x, err := g.Explainer(answer)
				if err != nil {
					b.Fatal(err)
				}
				k = (k + 1) % len(atoms)
				ask(b, x, &atoms[k])
			}
		})
	}
}

// Explanations after others.
func BenchmarkExplainWarm(b *testing.B) {
	for _, name := range []string{"cora-pre", "er-eval"} {
		b.Run(name, func(b *testing.B) {
			g, answer := baseline(b, name, "1e-4")
			x, err := g.Explainer(answer)
			if err != nil {
				b.Fatal(err)
			}
			atoms, k := explained(g, answer, 40), 0
			for i := range atoms {
				ask(b, x, &atoms[i])
			}
			for b.Loop() {
				k = (k + 1) % len(atoms)
				ask(b, x, &atoms[k])
			}
		})
	}
}

// Five counterfactuals of an atom.
func BenchmarkCounterfactuals(b *testing.B) {
	for _, name := range []string{"cora-pre", "er-eval"} {
		b.Run(name, func(b *testing.B) {
			g, answer := baseline(b, name, "1e-4")
			x, err := g.Explainer(answer)
			if err != nil {
				b.Fatal(err)
			}
			atoms, k := explained(g, answer, 40), 0
			for b.Loop() {
				k = (k + 1) % len(atoms)
				if err := x.Changes(context.Background(), ask(b, x, &atoms[k]), 5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A table of all atoms, beside inference.
func BenchmarkExplainAll(b *testing.B) {
	for _, name := range []string{"cora-pre", "er-eval"} {
		b.Run(name, func(b *testing.B) {
			g, answer := baseline(b, name, "1e-4")
			for b.Loop() {
				x, err := g.Explainer(answer)
				if err != nil {
					b.Fatal(err)
				}
				all, err := x.WriteAll(context.Background(), io.Discard)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(all.Unexplained, "unexplained")
			}
		})
	}
}

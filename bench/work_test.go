package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// workSize is the size of the problems whose work is counted.
const workSize = 10000

// grounded grounds a generated problem of the size.
func grounded(t testing.TB, m *model, size, threads int) (*mrf.Model, *ground.Report, []float64) {
	t.Helper()
	d := m.generate(size, 1)
	compiled, err := d.compile(m.rules)
	if err != nil {
		t.Fatal(err)
	}
	problem, counts, err := ground.Ground(context.Background(), compiled, d.store, ground.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, len(compiled.Rules))
	for k, rule := range compiled.Rules {
		theta[k] = rule.Weight.Value
	}
	return problem, counts, theta
}

// Times cannot be tested, but work can: how many groundings of each rule are looked at, kept and cut off.
func TestWorkOfGrounding(t *testing.T) {
	for _, m := range models {
		var got bytes.Buffer
		_, counts, _ := grounded(t, &m, workSize, 2)
		for k, rule := range counts.Rules {
			fmt.Fprintf(&got, "%d %+v\n", k+1, rule.Counts)
		}
		goldentest.File(t, filepath.Join("testdata", "work", m.name+".txt"), got.Bytes())
	}
}

// Solving may take fewer steps than these, which leave some room, but no more.
func TestWorkOfSolving(t *testing.T) {
	most := map[string]int{"friendship": 16, "transitivity": 12, "citation": 70, "entity": 24}
	for _, m := range models {
		problem, _, theta := grounded(t, &m, workSize, 2)
		answer, err := answerTo(context.Background(), problem, theta, settings{gap: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Gap > 1e-6 || answer.Iterations < 1 || answer.Iterations > most[m.name] {
			t.Errorf("%s: %d steps to a gap of %.1e, want at most %d to 1e-6", m.name, answer.Iterations, answer.Gap,
				most[m.name])
		}
	}
}

// BenchmarkGround measures grounding, plans and indexes included, and BenchmarkSolve solving to a gap of 1e-4, set-up
// included. Both report ground rules by second.
func BenchmarkGround(b *testing.B) {
	benchmarkModels(b, func(b *testing.B, m *model) int {
		d := m.generate(1e6, 1)
		compiled, err := d.compile(m.rules)
		if err != nil {
			b.Fatal(err)
		}
		rules := 0
		for b.Loop() {
			problem, _, err := ground.Ground(context.Background(), compiled, d.store, ground.Options{})
			if err != nil {
				b.Fatal(err)
			}
			rules = problem.Potentials()
		}
		return rules
	})
}

func BenchmarkSolve(b *testing.B) {
	benchmarkModels(b, func(b *testing.B, m *model) int {
		problem, _, theta := grounded(b, m, 1e6, 0)
		for b.Loop() {
			if _, err := answerTo(context.Background(), problem, theta, settings{gap: 1e-4}); err != nil {
				b.Fatal(err)
			}
		}
		return problem.Potentials()
	})
}

// BenchmarkGenerate measures the making of relations, which no other figure includes.
func BenchmarkGenerate(b *testing.B) {
	benchmarkModels(b, func(b *testing.B, m *model) int {
		for b.Loop() {
			m.generate(1e6, 1)
		}
		return 1e6
	})
}

// benchmarkModels runs a stage, which returns how many ground rules it dealt with each time, for every model.
func benchmarkModels(b *testing.B, stage func(b *testing.B, m *model) int) {
	for _, m := range models {
		b.Run(fmt.Sprintf("%s=1e6", m.name), func(b *testing.B) {
			rules := stage(b, &m)
			b.ReportMetric(float64(rules)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrules/s")
		})
	}
}

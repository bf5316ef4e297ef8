package solve_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
)

// ways are what a user can have a problem solved by: simplified presolves, and solves components apart.
var ways = []struct {
	name string
	make func(*mrf.Field, solve.Settings) solve.Solver
}{
	{"newton", func(f *mrf.Field, s solve.Settings) solve.Solver { return newton.New(f, s) }},
	{"simplified", simplified},
	{"interior", func(f *mrf.Field, s solve.Settings) solve.Solver { return interior.New(f, s) }},
	{"sgd", func(f *mrf.Field, s solve.Settings) solve.Solver {
		return sgd.New(f, s, sgd.Options{LearningRate: 1e-3, Threshold: 1e-300})
	}},
	{"sgd, full", func(f *mrf.Field, s solve.Settings) solve.Solver {
		return sgd.New(f, s, sgd.Options{Full: true, LearningRate: 1e-3, Threshold: 1e-300})
	}},
}

// copies is n examples of a random shape side by side, which have no variable in common.
func copies(n int, shape mrftest.Shape) *mrf.Field {
	m, theta, x := mrftest.Random(rand.New(rand.NewPCG(8, 3)), shape)
	f := mrf.NewField(mrftest.Repeat(m, n))
	f.SetWeights(theta)
	f.SetInputs(slices.Repeat(x, n))
	return f
}

// Every method must have the same bits for any number of threads.
func TestThreadsDoNotChangeAnyAnswer(t *testing.T) {
	for _, kinds := range [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All} {
		shape := mrftest.Shape{Variables: 8, Inputs: 2, Blocks: 6, Potentials: 6, Kinds: kinds, Arity: 4, Scales: true}
		for _, way := range ways {
			var want []float64
			for _, threads := range []int{1, 2, 4} {
				r := run(t, way.make(copies(300, shape), solve.Settings{Gap: 1e-6, Threads: threads, MaxIterations: 200}))
				bits := append(slices.Concat(r.Y, r.Multipliers), r.Objective, r.DualBound, r.Gap, float64(r.Iterations))
				if want == nil {
					want = bits
				}
				if !slices.Equal(bits, want) {
					t.Errorf("%s: %d threads give other bits than one", way.name, threads)
				}
			}
		}
	}
}

// Whatever ends a method, and wherever, its answer must have a certificate that holds, and be no worse than what it
// said of itself last.
func TestLimitsLeaveTheBestAnswer(t *testing.T) {
	for k, shape := range shapes {
		reference := run(t, newton.New(randomField(5, shape), tight))
		for _, way := range ways {
			for _, asked := range []int64{0, 1, 2, 3, 5, 8, 13, 21, 34, 55} {
				f := randomField(5, shape)
				name := fmt.Sprintf("shape %d, %s, asked %d times", k, way.name, asked)
				last := solve.Iteration{DualBound: math.Inf(-1)}
				s := way.make(f, solve.Settings{Gap: 1e-14, Feasibility: 1e-12, MaxIterations: 1000,
					Trace: func(i solve.Iteration) { last = i }})
				ctx := contexttest.Countdown(asked)
				r, err := s.Solve(ctx)
				if err != nil || asked < 2 && r.Status != solve.Cancelled && r.Status != solve.Optimal {
					t.Fatalf("%s: %v, %v", name, r.Status, err)
				}
				checkProof(t, f, r)
				if r.DualBound > reference.Objective+1e-7*max(1, math.Abs(reference.Objective)) {
					t.Errorf("%s: bound %v, the optimum is %v", name, r.DualBound, reference.Objective)
				}
				gap := math.Abs(solve.Relative(f, last.Objective-last.DualBound, last.Objective))
				if math.Abs(r.Gap) > gap*(1+1e-6)+1e-9 && r.MaxViolation >= last.Violation {
					t.Errorf("%s: gap %v with violation %v; it was %v with %v", name, r.Gap, r.MaxViolation, gap,
						last.Violation)
				}
			}
			f := randomField(5, shape)
			r := run(t, way.make(f, solve.Settings{Gap: 1e-14, TimeLimit: time.Nanosecond}))
			if checkProof(t, f, r); r.Status != solve.TimeLimit && r.Status != solve.Optimal {
				t.Errorf("shape %d, %s: %v after a nanosecond", k, way.name, r.Status)
			}
		}
	}
}

// BenchmarkMethods measures each method but the paper's on 300 small problems side by side, set-up included.
func BenchmarkMethods(b *testing.B) {
	shape := mrftest.Shape{Variables: 30, Inputs: 2, Blocks: 8, Potentials: 20, Kinds: mrftest.All, Arity: 4, Scales: true}
	f := copies(300, shape)
	for _, way := range ways[:3] {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				r, err := way.make(f, solve.Settings{}).Solve(context.Background())
				if err != nil || r.Status != solve.Optimal {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(float64(f.Model.Potentials())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrules/s")
		})
	}
}

package sgd_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
)

// shape is of models most of whose hinges are not active.
var shape = mrftest.Shape{Variables: 20, Inputs: 6, Blocks: 6, Potentials: 30, Kinds: mrftest.Soft, Arity: 3,
	Scales: true}

// sparse is a random model of that shape.
func sparse(seed uint64) (m *mrf.Model, theta, x []float64) {
	m, theta, x = mrftest.Random(rand.New(rand.NewPCG(seed, 41)), shape)
	for k, b := range m.Blocks {
		if k%3 > 0 {
			b.Constant -= 1
		}
	}
	return m, theta, x
}

// run solves.
func run(t testing.TB, s solve.Solver) *solve.Result {
	t.Helper()
	r, err := s.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const rate, gamma = 2e-3, 20

// descend is the method as it is defined: so many steps along the gradient of all of f̃.
func descend(f *mrf.Field, start float64, passes int) []float64 {
	y, g := make([]float64, f.Model.Variables), make([]float64, f.Model.Variables)
	for i := range y {
		y[i] = start
	}
	for range passes {
		f.EnergyGradient(y, g)
		for i, v := range y {
			y[i] -= rate * (g[i] + 2*gamma*(max(0, v-1)-max(0, -v)))
		}
	}
	for i, v := range y {
		y[i] = min(max(v, 0), 1)
	}
	return y
}

// Leaving out what cannot be active must change nothing, from any start and as far as it goes.
func TestFullStepsAreThoseOfTheWholeGradient(t *testing.T) {
	for seed := range uint64(20) {
		f := mrftest.Field(sparse(seed))
		for _, passes := range []int{1, 10, 700} {
			const start = 0.75
			s := sgd.New(f, solve.Settings{MaxIterations: passes},
				sgd.Options{Full: true, LearningRate: rate, Threshold: 1e-300, Gamma: gamma, Start: start})
			for range 2 { // the second time from the start too, and not from where the first one ended
				r := run(t, s)
				for i, want := range descend(f, start, r.Iterations) {
					if math.Abs(r.Y[i]-want) > 1e-9 {
						t.Fatalf("seed %d, %d passes: variable %d is %v, want %v", seed, passes, i, r.Y[i], want)
					}
				}
			}
		}
	}
}

// A batch of examples side by side must go where each of them goes alone, as often as the batch does.
func TestBatchIsItsExamples(t *testing.T) {
	const n = 5
	model, theta, x := sparse(3)
	random := rand.New(rand.NewPCG(4, 4))
	batch := make([]float64, 0, n*len(x))
	for range n {
		batch = append(batch, mrftest.Uniform(random, len(x))...)
	}
	options := sgd.Options{Full: true, LearningRate: rate, Threshold: 1e-4, Start: 0.05}
	together := run(t, sgd.New(mrftest.Field(mrftest.Repeat(model, n), theta, batch), solve.Settings{}, options))
	if together.Iterations < 20 || together.Iterations >= 1000 {
		t.Fatalf("%d passes test nothing", together.Iterations)
	}
	options.Threshold = 1e-300
	for e := range n {
		alone := run(t, sgd.New(mrftest.Field(model, theta, batch[e*len(x):(e+1)*len(x)]),
			solve.Settings{MaxIterations: together.Iterations}, options))
		for i, want := range alone.Y {
			if got := together.Y[e*len(alone.Y)+i]; math.Abs(got-want) > 1e-9 {
				t.Fatalf("example %d, variable %d: %v in the batch, %v alone", e, i, got, want)
			}
		}
	}
}

// With small steps and a steep box, it ends at the optimum.
func TestFullReachesTheOptimum(t *testing.T) {
	for seed := range uint64(6) {
		f := mrftest.Field(sparse(seed))
		want := run(t, newton.New(f, solve.Settings{Gap: 1e-9})).Objective
		got := run(t, sgd.New(f, solve.Settings{MaxIterations: 10000},
			sgd.Options{Full: true, LearningRate: 2e-4, Threshold: 1e-9, Gamma: 200})).Objective
		if math.Abs(got-want) > 0.02*max(1, math.Abs(want)) {
			t.Errorf("seed %d: %v, the optimum is %v", seed, got, want)
		}
	}
}

// The same bits for any number of threads, on a model of several lanes.
func TestFullBitsDoNotDependOnThreads(t *testing.T) {
	model, theta, x := sparse(5)
	const n = 400
	var want []float64
	for _, threads := range []int{1, 2, 4} {
		r := run(t, sgd.New(mrftest.Field(mrftest.Repeat(model, n), theta, slices.Repeat(x, n)),
			solve.Settings{Threads: threads, MaxIterations: 50}, sgd.Options{Full: true, LearningRate: rate}))
		bits := append(slices.Concat(r.Y, r.Multipliers), r.Objective, r.DualBound)
		if want == nil {
			want = bits
		}
		if !slices.Equal(bits, want) {
			t.Errorf("%d threads give other bits than one", threads)
		}
	}
}

// A rate that is too large must be noticed.
func TestFullDiverges(t *testing.T) {
	r := run(t, sgd.New(mrftest.Field(sparse(1)), solve.Settings{}, sgd.Options{Full: true, LearningRate: 1e9}))
	if r.Status != solve.NumericalError {
		t.Errorf("%v", r.Status)
	}
}

// sums are pairs of digits, by what a network says about each, and their sum: each hinge of the first rule for a pair,
// each of the second for a pair and a sum.
func sums() *mrf.Model {
	first := &mrf.Block{Rule: 0, Exponent: 2, Coef: []float64{-1}, InputCoef: []float64{1, 1}, Constant: -1}
	second := &mrf.Block{Rule: 0, Exponent: 2, Coef: []float64{1}, InputCoef: []float64{1, 1}, Constant: -2}
	for a := range int32(10) {
		for b := range int32(10) {
			first.Vars, first.Inputs, first.Len = append(first.Vars, a+b), append(first.Inputs, a, 10+b), first.Len+1
			for s := range int32(19) {
				second.Vars = append(second.Vars, s)
				second.Inputs, second.Len = append(second.Inputs, a, 10+b), second.Len+1
			}
		}
	}
	terms := make([]mrftest.Term, 19)
	for s := range terms {
		terms[s] = mrftest.Term{Index: s, Coef: 1}
	}
	m := mrftest.New(19, 20, 2).Rule(1, mrf.Absolute, 2).Add(-1, terms, nil).Model()
	m.Blocks = append([]*mrf.Block{first, second}, m.Blocks...)
	return m
}

// BenchmarkBatch measures inference for a batch of pairs of digits that a network is rather sure of, and its passes.
func BenchmarkBatch(b *testing.B) {
	const n = 16
	random := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 0, 20*n)
	for range 2 * n {
		sure, at := 0.7+0.3*random.Float64(), random.IntN(10)
		for d := range 10 {
			v := (1 - sure) / 9
			if d == at {
				v = sure
			}
			x = append(x, v)
		}
	}
	for _, full := range []bool{true, false} {
		f := mrftest.Field(mrftest.Repeat(sums(), n), []float64{1, 10}, x)
		s := sgd.New(f, solve.Settings{Threads: 1, MaxIterations: 5000},
			sgd.Options{Full: full, Threshold: 1e-4, Start: 1. / 19})
		b.Run(map[bool]string{true: "full", false: "stochastic"}[full], func(b *testing.B) {
			passes := 0
			for b.Loop() {
				passes += run(b, s).Iterations
			}
			b.ReportMetric(float64(passes)/float64(b.N), "passes")
			b.ReportMetric(float64(f.Model.Potentials())*float64(passes)/b.Elapsed().Seconds()/1e6, "Mpotentials/s")
		})
	}
}

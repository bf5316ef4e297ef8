package split_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/dense"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/split"
)

func method(f *mrf.Field, s solve.Settings) solve.Solver { return newton.New(f, s) }

func apart(t testing.TB, f *mrf.Field, s solve.Settings) *solve.Result {
	t.Helper()
	r, err := split.Solve(context.Background(), f, partition.Find(f.Model), method, s, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// groups is a model of n copies of the shape, drawn at random, that have no variable in common.
func groups(seed uint64, n int, kinds []mrftest.Form) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 11))
	whole := &mrf.Model{}
	var theta, inputs []float64
	for range n {
		m, w, x := mrftest.Random(rng, mrftest.Shape{Variables: 8, Inputs: 2, Blocks: 4, Potentials: 5, Kinds: kinds,
			Arity: 3, Scales: true})
		for _, b := range m.Blocks {
			b.Rule += whole.Rules
			b.First += int32(whole.Variables)
			for k := range b.Vars {
				b.Vars[k] += int32(whole.Variables)
			}
			for k := range b.Inputs {
				b.Inputs[k] += int32(whole.Inputs)
			}
		}
		whole.Blocks = append(whole.Blocks, m.Blocks...)
		whole.Variables, whole.Inputs = whole.Variables+m.Variables, whole.Inputs+m.Inputs
		whole.Rules += m.Rules
		theta, inputs = append(theta, w...), append(inputs, x...)
	}
	return mrftest.Field(whole, theta, inputs)
}

func TestPartsReachTheOptimum(t *testing.T) {
	for seed := range uint64(30) {
		f := groups(seed, 6, [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All}[seed%3])
		var exact solve.Solver = dense.New(f, solve.Settings{Gap: 1e-6, Feasibility: 1e-8})
		if f.Model.Hard() { // of these, the dense method finds some too hard
			exact = newton.New(f, solve.Settings{Gap: 1e-9})
		}
		reference, err := exact.Solve(context.Background())
		if err != nil || reference.Status != solve.Optimal {
			t.Fatal(reference.Status, err)
		}
		r := apart(t, f, solve.Settings{Gap: 1e-8})
		if r.Status != solve.Optimal || math.Abs(r.Objective-reference.Objective) > 2e-6*max(1, math.Abs(r.Objective)) {
			t.Errorf("seed %d: %v with %v, together %v", seed, r.Status, r.Objective, reference.Objective)
		}
		if again := solve.Certify(f, r.Y, r.Multipliers); again != r.Certificate || r.Gap > 1e-8 {
			t.Errorf("seed %d: %+v, certified again %+v", seed, r.Certificate, again)
		}
	}
}

// many is of thousands of components, each with an energy so small that its relative gap says nothing.
func many(n int) *mrf.Field {
	m := &mrf.Model{Variables: 2 * n, Rules: 2, Blocks: []*mrf.Block{
		{Kind: mrf.Hinge, Exponent: 1, Coef: []float64{-1}, Constant: 1e-3, Bias: make([]float32, 2*n), Len: 2 * n},
		{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Coef: []float64{1, -0.5}, Len: n},
	}}
	for i := range int32(2 * n) {
		m.Blocks[0].Vars = append(m.Blocks[0].Vars, i)
		m.Blocks[1].Vars = append(m.Blocks[1].Vars, i)
		m.Blocks[0].Bias[i] = float32(i%17) / 500
	}
	return mrf.NewField(m)
}

// The gaps of small energies add up: parts must then be solved more exactly than the whole was to be.
func TestGapsAddUp(t *testing.T) {
	r := apart(t, many(20000), solve.Settings{Gap: 1e-6})
	if r.Status != solve.Optimal || r.Gap > 1e-6 {
		t.Errorf("%v: %+v", r.Status, r.Certificate)
	}
}

func TestThreadsDoNotChangeTheAnswer(t *testing.T) {
	f := groups(5, 40, mrftest.Soft)
	large := many(3000)
	for _, field := range []*mrf.Field{f, large} {
		var want []float64
		for _, threads := range []int{1, 2, 4} {
			r := apart(t, field, solve.Settings{Threads: threads})
			got := append(append(slices.Clone(r.Y), r.Multipliers...), r.Objective, r.DualBound, r.Gap)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d threads give other bits than one", threads)
			}
		}
	}
}

// Only what an answer does not prove is solved again, to what solving all of it gives.
func TestImproveSolvesWhatIsNotProven(t *testing.T) {
	const n, gap = 16, 1e-8
	for seed := range uint64(3) {
		f := groups(seed, n, [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All}[seed])
		c := partition.Find(f.Model)
		best := apart(t, f, solve.Settings{Gap: gap / 1000})
		broken := &solve.Result{Y: slices.Clone(best.Y), Multipliers: slices.Clone(best.Multipliers)}
		spoilt := func(i int) bool { return i/8 == 3 || i/8 == 11 } // in groups of 8
		for i := range broken.Y {
			if spoilt(i) {
				broken.Y[i] = 1 - broken.Y[i]
			}
		}
		var want []float64
		for _, threads := range []int{1, 2} {
			var solved atomic.Int64
			counted := func(f *mrf.Field, s solve.Settings) solve.Solver {
				solved.Add(int64(f.Model.Variables))
				return newton.New(f, s)
			}
			r, err := split.Improve(context.Background(), f, c, counted, solve.Settings{Gap: gap, Threads: threads}, broken)
			if err != nil || r.Status != solve.Optimal || r.Gap > gap ||
				math.Abs(r.Objective-best.Objective) > 2*gap*max(1, math.Abs(best.Objective)) {
				t.Fatalf("seed %d: %v, %+v, %v; the best is %+v", seed, r.Status, r.Certificate, err, best.Certificate)
			}
			if solved.Load() > 2*8 {
				t.Errorf("seed %d: %d variables were solved for", seed, solved.Load())
			}
			for i, v := range r.Y {
				if !spoilt(i) && v != best.Y[i] {
					t.Errorf("seed %d: variable %d of a good part went from %v to %v", seed, i, best.Y[i], v)
				}
			}
			bits := slices.Concat(r.Y, r.Multipliers, []float64{r.Objective, r.DualBound, float64(r.Iterations)})
			if want == nil {
				want = bits
			}
			if !slices.Equal(bits, want) {
				t.Errorf("seed %d: %d threads give other bits than one", seed, threads)
			}
		}
	}
}

// A method that ends without a proof must not take the place of a better answer.
func TestImproveKeepsTheBetterAnswer(t *testing.T) {
	f := groups(4, 20, mrftest.Soft)
	good := apart(t, f, solve.Settings{Gap: 1e-6})
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := split.Improve(stopped, f, partition.Find(f.Model), method, solve.Settings{Gap: 1e-15}, good)
	if err != nil || r.Status != solve.Cancelled || r.Gap > good.Gap*(1+1e-9) {
		t.Errorf("%v, %+v, %v; it was %+v", r.Status, r.Certificate, err, good.Certificate)
	}
}

func TestOnePartDecidesTheStatus(t *testing.T) {
	broken := mrftest.New(5, 0, 2).Rule(0, mrf.Hinge, 1).Add(1, row(0), nil).Add(1, row(1), nil).
		Rule(1, mrf.Equal, 0).Add(-0.2, row(2), nil).Add(-1, row(2), nil).Add(-0.5, row(3), nil).Model()
	f := mrf.NewField(broken)
	r := apart(t, f, solve.Settings{})
	if r.Status != solve.Infeasible || !slices.Equal(r.Conflict, []int{2, 3}) {
		t.Errorf("%v, conflict %v", r.Status, r.Conflict)
	}
	late := apart(t, groups(1, 5, mrftest.Soft), solve.Settings{TimeLimit: time.Nanosecond})
	if late.Status != solve.TimeLimit || math.IsNaN(late.Gap) {
		t.Errorf("%v: %+v", late.Status, late.Certificate)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	m := groups(1, 5, mrftest.Soft)
	stopped, err := split.Solve(cancelled, m, partition.Find(m.Model), method, solve.Settings{}, nil, nil)
	if err != nil || stopped.Status != solve.Cancelled || stopped.DualBound > stopped.Objective {
		t.Errorf("%+v, %v", stopped, err)
	}
}

func row(i int) []mrftest.Term { return []mrftest.Term{{Index: i, Coef: 1}} }

// BenchmarkSplit compares solving apart with solving together.
func BenchmarkSplit(b *testing.B) {
	linear := []mrftest.Form{{Kind: mrf.Hinge, Exponent: 1}}
	for name, kinds := range map[string][]mrftest.Form{"squared": mrftest.Squared, "linear": linear} {
		f := groups(2, 2000, kinds)
		b.Run(name+"/apart", func(b *testing.B) {
			for b.Loop() {
				apart(b, f, solve.Settings{Gap: 1e-4})
			}
		})
		b.Run(name+"/together", func(b *testing.B) {
			for b.Loop() {
				if _, err := newton.New(f, solve.Settings{Gap: 1e-4}).Solve(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

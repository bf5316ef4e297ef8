package solve_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// path makes a model of n variables with noisy observations, and links of some consecutive ones each: coefficients and
// a constant.
func path(n int, kind mrf.Kind, exponent int, constant float64, link ...float64) *mrftest.Builder {
	b := mrftest.New(n, 0, 3).Rule(0, kind, exponent)
	for i := range n - len(link) + 1 {
		var row []term
		for k, a := range link {
			row = append(row, term{Index: i + k, Coef: a})
		}
		b.Add(constant, row, nil)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	b.Rule(1, mrf.Absolute, max(1, exponent))
	for i := range n {
		o := 0.5 + 0.3*math.Sin(20*float64(i)/float64(n)) + 0.2*rng.NormFloat64()
		b.Add(-min(1, max(0, o)), []term{{Index: i, Coef: 1}}, nil)
	}
	return b
}

// at is a row of a single variable.
func at(i int, coef float64) []term { return []term{{Index: i, Coef: coef}} }

// structures are problems in which variables far apart have to do with each other, along which iterative methods crawl.
var structures = []struct {
	name       string
	model      func(n int) *mrf.Model
	infeasible bool
}{
	{"smooth", func(n int) *mrf.Model { return path(n, mrf.Absolute, 2, 0, 30, -30).Model() }, false},
	{"total variation", func(n int) *mrf.Model { return path(n, mrf.Absolute, 1, 0, 10, -10).Model() }, false},
	{"isotonic", func(n int) *mrf.Model { return path(n, mrf.LessEqual, 0, 0, 1, -1).Model() }, false},
	{"straight", func(n int) *mrf.Model { return path(n, mrf.Equal, 0, 0, -1, 2, -1).Model() }, false},
	{"convex", func(n int) *mrf.Model { return path(n, mrf.LessEqual, 0, 0, -1, 2, -1).Model() }, false},
	{"halves around an odd cycle", func(n int) *mrf.Model {
		b := path(n|1, mrf.Equal, 0, -1, 1, 1).Rule(2, mrf.Equal, 0)
		return b.Add(-1, []term{{Index: 0, Coef: 1}, {Index: n | 1 - 1, Coef: 1}}, nil).Model()
	}, false},
	{"true at one end and false at the other", func(n int) *mrf.Model {
		b := path(n, mrf.LessEqual, 0, 0, 1, -1).Rule(2, mrf.Hinge, 1)
		return b.Add(1, at(0, -1), nil).Add(0, at(n-1, 1), nil).Model()
	}, false},
	{"hard at both ends", func(n int) *mrf.Model {
		b := path(n, mrf.LessEqual, 0, 0, 1, -1).Rule(2, mrf.LessEqual, 0)
		return b.Add(0.6, at(0, -1), nil).Add(-0.5, at(n-1, 1), nil).Model()
	}, true},
	{"growth", func(n int) *mrf.Model {
		b := path(n, mrf.LessEqual, 0, 0, 1.05, -1).Rule(2, mrf.LessEqual, 0)
		return b.Add(0.1, at(0, -1), nil).Model()
	}, true},
	{"differences", func(n int) *mrf.Model {
		return path(n, mrf.LessEqual, 0, 1.0001/float64(n-1), 1, -1).Model()
	}, true},
	{"steep", func(n int) *mrf.Model { return path(n, mrf.LessEqual, 0, 0.999/float64(n-1), 1, -1).Model() }, false},
	{"means within means", func(n int) *mrf.Model {
		rng := rand.New(rand.NewPCG(3, 3))
		n *= 4
		b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
		for size := n; size >= 4; size /= 2 {
			for from := 0; from+size <= n; from += size {
				var row []term
				for i := range size {
					row = append(row, term{Index: from + i, Coef: 1 / float64(size)})
				}
				b.Add(-0.4-0.1*rng.NormFloat64(), row, nil)
			}
		}
		b.Rule(1, mrf.Hinge, 1)
		for i := range n {
			b.Add(rng.Float64(), at(i, -1), nil)
		}
		return b.Model()
	}, false},
	{"budgets", func(n int) *mrf.Model {
		rng := rand.New(rand.NewPCG(2, 2))
		b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
		for range 12 {
			var row []term
			for i := range n {
				if rng.IntN(2) == 0 {
					row = append(row, term{Index: i, Coef: 1})
				}
			}
			b.Add(-float64(n)/8, row, nil)
		}
		b.Rule(1, mrf.Hinge, 1)
		for i := range n {
			b.Add(rng.Float64(), at(i, -1), nil)
		}
		return b.Model()
	}, false},
}

// Every structure is proven optimal, or contradictory, with the same bits for any number of threads.
func TestStructures(t *testing.T) {
	for _, s := range structures {
		for _, n := range []int{60, 3000} {
			t.Run(fmt.Sprint(s.name, " ", n), func(t *testing.T) {
				m := s.model(n)
				var first []float64
				for _, threads := range []int{1, 3} {
					r := solveBy(t, "auto", m, threads)
					wantProof(t, m, r, s.infeasible)
					if first == nil {
						first = slices.Clone(r.Y)
					} else if !slices.Equal(first, r.Y) {
						t.Errorf("other bits with %d threads", threads)
					}
				}
				wantProof(t, m, solveBy(t, "interior", m, 1), s.infeasible)
			})
		}
	}
}

// Along a straight line of 50,000, multipliers are so large that what keeps the matrix of a step regular must not take
// part in the step.
func TestLongStraightLine(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	m := path(50_000, mrf.Equal, 2, 0, -1, 2, -1).Model()
	wantProof(t, m, solveBy(t, "interior", m, 1), false)
}

// Hard rules that contradict each other by less than is accepted do not forbid an answer, whatever pulls at it.
func TestAcceptedContradictions(t *testing.T) {
	for _, by := range []float64{1e-7, 3.3333e-7, 1e-6} {
		for _, exponent := range []int{1, 2} {
			b := mrftest.New(1, 0, 2).Rule(0, mrf.Equal, 0).Add(-0.7, at(0, 1), nil).Rule(1, mrf.Hinge, exponent).
				Add(0, at(0, 1), nil)
			b.Rule(0, mrf.Equal, 0).Add(0, at(0, 1), nil)
			m := b.Model()
			last := m.Blocks[2]
			last.Bias, last.Bias64 = nil, []float64{m.Blocks[0].Own(0) + by}
			for _, method := range []string{"interior", "auto"} {
				wantProof(t, m, solveBy(t, method, m, 1), false)
			}
			last.Bias64[0] += 3e-6
			wantProof(t, m, solveBy(t, "interior", m, 1), true)
		}
	}
}

// What violates hard rules by less than is accepted is proven against all that violates them as little, though no
// multipliers prove its gap: what they leave is what the violation gains.
func TestYieldingConstraints(t *testing.T) {
	for _, by := range []float64{1e-8, 5e-7, 8.3e-7, 9e-7, 9.8e-7, 0.999e-6, 0.9999999e-6} {
		for _, steep := range []float64{1, 1e3, 1e6} {
			b := mrftest.New(4, 0, 2).Rule(0, mrf.LessEqual, 0) // 0.3333·y ≤ -by, y1 + y2 + y3 ≥ 3 + by
			b.Add(0, at(0, 0.3333), nil).Rule(0, mrf.LessEqual, 0)
			b.Add(3, []term{{Index: 1, Coef: -1}, {Index: 2, Coef: -1}, {Index: 3, Coef: -1}}, nil)
			b.Rule(1, mrf.Linear, 1)
			for i := range 4 {
				b.Add(1, at(i, -steep*float64(1+i)), nil)
			}
			m := b.Model()
			for _, block := range m.Blocks[:2] {
				block.Bias, block.Bias64 = nil, []float64{block.Own(0) + by}
			}
			for _, method := range []string{"interior", "auto"} {
				r := solveBy(t, method, m, 1)
				if r.Status != solve.Optimal || r.MaxViolation > 1e-6 || r.MaxViolation < by || math.Abs(r.Gap) > 1e-6 {
					t.Errorf("%v by %s: %v, %+v", by, method, r.Status, r.Certificate)
				}
			}
		}
	}
}

// Where rules round a cycle contradict each other by nearly as much as each may be violated, there is next to no room
// between them, and multipliers can grow all round it.
func TestCyclesThatNearlyYield(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for range 20 {
		const length = 10
		b := mrftest.New(length, 0, 3).Rule(0, mrf.LessEqual, 0)
		for i := range length {
			b.Add(0.1*float64(1-2*(i%2))+0.9e-6, []term{{Index: i, Coef: 1}, {Index: (i + 1) % length, Coef: -1}}, nil)
		}
		b.Rule(1, mrf.Absolute, 1)
		for i := range length {
			b.Add(-rng.Float64(), at(i, 1), nil)
		}
		r := solveBy(t, "interior", b.Model(), 1)
		if r.Status != solve.Optimal || r.MaxViolation > 1e-6 || math.Abs(r.Gap) > 1e-6 {
			t.Errorf("%v, %+v", r.Status, r.Certificate)
		}
	}
}

// Of components that contradict themselves a little, some are proven against points that violate nothing, some only
// against those that violate as little: what the former violate, times large multipliers, is no part of the gap.
func TestSomeComponentsYield(t *testing.T) {
	const chains, length = 4, 1000
	b, rng := mrftest.New(chains*length, 0, 2).Rule(0, mrf.LessEqual, 0), rand.New(rand.NewPCG(3, 0))
	for i := range chains * length {
		if i%length > 0 {
			b.Add(0, []term{{Index: i - 1, Coef: 1}, {Index: i, Coef: -1}}, nil)
		}
	}
	b.Rule(1, mrf.Absolute, 1)
	for i := range chains * length {
		b.Add(-rng.Float64(), at(i, 1), nil)
	}
	m := b.Model()
	for _, by := range []float64{1e-8, 1e-7, 3e-7, 1e-6, 3e-6} {
		m.Blocks[0].Bias, m.Blocks[0].Constant = nil, (1+by)/(length-1)
		for _, method := range []string{"interior", "auto"} {
			field, settings := mrf.NewField(m), solve.Settings{Gap: 1e-6, Threads: 1}
			solver, err := auto.Inference(method, field, settings, auto.Options{Presolve: true, Split: true})
			if err != nil {
				t.Fatal(err)
			}
			r, err := solver.Solve(context.Background())
			if err != nil || r.Status != solve.Optimal || r.MaxViolation > 1e-6 || math.Abs(r.Gap) > 1e-6 {
				t.Errorf("%v by %s: %v, %v, %+v", by, method, err, r.Status, r.Certificate)
			}
		}
	}
}

// So is what violates them by just what is accepted.
func TestJustAccepted(t *testing.T) {
	b := mrftest.New(1, 0, 2).Rule(0, mrf.LessEqual, 0).Add(0, at(0, 0.3333), nil)
	m := b.Rule(1, mrf.Linear, 1).Add(1, at(0, -1), nil).Model()
	m.Blocks[0].Bias, m.Blocks[0].Constant = nil, 1e-6
	r := solveBy(t, "auto", m, 1)
	if r.Status != solve.Optimal || r.MaxViolation > 1e-6 || !r.Yields || math.Abs(r.Gap) > 1e-6 {
		t.Errorf("%v, %+v", r.Status, r.Certificate)
	}
}

// Whatever order the terms are in that leave just what is accepted, and whatever rounding makes of their sum.
func TestJustAcceptedInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 4 {
		b := mrftest.New(100, 0, 2).Rule(0, mrf.LessEqual, 0)
		for range 50 { // sums that come to 3.3 are to be at least 3.300001
			terms := make([]term, 6)
			for n, i := range rng.Perm(100)[:len(terms)] {
				terms[n] = term{Index: i, Coef: -1 + 0.9*float64(n%2)}
			}
			rng.Shuffle(len(terms), func(i, k int) { terms[i], terms[k] = terms[k], terms[i] })
			b.Add(0, terms, nil)
		}
		b.Rule(1, mrf.Hinge, 1)
		for i := range 100 {
			b.Add(-rng.Float64(), at(i, 1), nil)
		}
		m := b.Model()
		m.Blocks[0].Bias, m.Blocks[0].Bias64 = nil, slices.Repeat([]float64{3.300001}, 50)
		r := solveBy(t, "auto", m, 1)
		if r.Status != solve.Optimal || r.MaxViolation > 1.1e-6 || r.Gap < 0 || r.Gap > 1e-6 {
			t.Errorf("%v, %+v", r.Status, r.Certificate)
		}
	}
}

// What violates hard rules by little costs less than all that violate none, and is proven against those that violate
// none by more: no gap is below nought.
func TestNoGapIsNegative(t *testing.T) {
	for by := range 20 {
		b := mrftest.New(3, 0, 2).Rule(0, mrf.LessEqual, 0)
		b.Add(-1-float64(by)*1e-7, []term{{Index: 0, Coef: 1}, {Index: 1, Coef: 1.5}, {Index: 2, Coef: 0.7}}, nil)
		b.Rule(1, mrf.Hinge, 2)
		for i := range 3 {
			b.Add(0.9, at(i, -1-float64(by)/10), nil)
		}
		r := solveBy(t, "auto", b.Model(), 1)
		if r.Status != solve.Optimal || r.Gap < 0 || r.DualBound > r.Objective {
			t.Errorf("%d: %v, %+v", by, r.Status, r.Certificate)
		}
	}
}

// Two variables, one pulled a little beyond where two hard rules let it go, by a weight of any size.
func TestTwoVariables(t *testing.T) {
	for _, weight := range []float64{1e-6, 1, 1e6} {
		for exponent, within := range map[int]float64{1: 1e-6, 2: 1e-3} { // a gap of d is d of a value, or its square
			for _, want := range []float64{0.7500001, 0.76} {
				b := mrftest.New(2, 0, 3).Rule(0, mrf.Absolute, exponent).Add(-want, at(0, 1), nil)
				b.Rule(1, mrf.Equal, 0).Add(-1, []term{{Index: 0, Coef: 1}, {Index: 1, Coef: 1}}, nil)
				b.Rule(2, mrf.LessEqual, 0).Add(-0.5, []term{{Index: 0, Coef: 1}, {Index: 1, Coef: -1}}, nil)
				m := b.Model()
				m.Blocks[0].Bias, m.Blocks[0].Bias64 = nil, []float64{-want}
				f := mrftest.Field(m, []float64{weight, 0, 0}, nil)
				for _, method := range []string{"newton", "interior", "auto"} {
					solver, err := auto.Inference(method, f, solve.Settings{Gap: 1e-6}, auto.Options{Presolve: true, Split: true})
					if err != nil {
						t.Fatal(err)
					}
					r, err := solver.Solve(t.Context())
					if err != nil || r.Status != solve.Optimal || math.Abs(r.Y[0]-0.75) > within || r.Iterations > 60 {
						t.Errorf("%g to %v, ^%d, by %s: %v, %d steps, %v, %+v", weight, want, exponent, method, r.Status,
							r.Iterations, r.Y, r.Certificate)
					}
				}
			}
		}
	}
}

// What weights ask for that are a billionth of others is not lost where these hold.
func TestSmallBesideLarge(t *testing.T) {
	b := mrftest.New(2, 0, 3).Rule(0, mrf.Linear, 1).Add(1, at(0, -1), nil) // 1e-13: T
	b.Rule(1, mrf.Absolute, 1).Add(0, []term{{Index: 0, Coef: 1}, {Index: 1, Coef: -1}}, nil)
	b.Rule(2, mrf.Hinge, 2).Add(0.7, []term{{Index: 0, Coef: 1}, {Index: 1, Coef: -1}}, nil)
	f := mrftest.Field(b.Model(), []float64{1e-13, 3.7e-4, 3.7e-12}, nil)
	for _, method := range []string{"interior", "auto"} {
		solver, err := auto.Inference(method, f, solve.Settings{}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := solver.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || r.Y[0] < 0.999 || math.Abs(r.Y[1]-r.Y[0]) > 1e-6 {
			t.Errorf("%s: %v at %v: %+v, %v", method, r.Status, r.Y, r.Certificate, err)
		}
	}
}

// solveBy solves without presolving.
func solveBy(t *testing.T, method string, m *mrf.Model, threads int) *solve.Result {
	t.Helper()
	solver, err := auto.Inference(method, mrf.NewField(m), solve.Settings{Gap: 1e-6, Threads: threads}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantProof checks what an answer says by its own point and multipliers.
func wantProof(t *testing.T, m *mrf.Model, r *solve.Result, infeasible bool) {
	t.Helper()
	want := solve.Optimal
	if infeasible {
		want = solve.Infeasible
	}
	c := solve.Certify(mrf.NewField(m), r.Y, slices.Clone(r.Multipliers))
	if r.Status != want {
		t.Fatalf("%v by %s, want %v: %+v", r.Status, r.Method, want, r.Certificate)
	}
	if infeasible {
		if len(r.Conflict) == 0 || c.DualBound < c.Objective {
			t.Errorf("no proof in %d constraints: %+v", len(r.Conflict), c)
		}
		return
	}
	if math.Abs(c.Gap) > 1e-6 || c.MaxViolation > 1e-6 {
		t.Errorf("not proven: %+v", c)
	}
}

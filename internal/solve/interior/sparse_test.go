package interior_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Equations that follow from others leave pivots of rounding alone, which must neither spoil the steps near the end nor
// hide that they contradict each other: sums of the rows and of the columns of a table.
func TestEquationsThatFollow(t *testing.T) {
	const n = 60
	for _, c := range []struct {
		name   string
		excess float64 // of the columns' sums over the rows'
		want   solve.Status
	}{{"balanced", 0, solve.Optimal}, {"unbalanced", 1e-3, solve.Infeasible}} {
		b := mrftest.New(n*n, 0, 2).Rule(0, mrf.Linear, 1)
		for k := range n * n {
			b.Add(0, []mrftest.Term{{Index: k, Coef: math.Abs(float64(k/n-k%n)) / n}}, nil)
		}
		b.Rule(1, mrf.Equal, 0)
		for i := range n {
			var row, column []mrftest.Term
			for k := range n {
				row = append(row, mrftest.Term{Index: i*n + k, Coef: 1})
				column = append(column, mrftest.Term{Index: k*n + i, Coef: 1})
			}
			b.Add(-0.5, row, nil).Add(-0.25-0.5*float64(i%2)-c.excess/n, column, nil)
		}
		r, err := interior.New(mrf.NewField(b.Model()), solve.Settings{Gap: 1e-6, MaxIterations: 25}).Solve(t.Context())
		if err != nil || r.Status != c.want || c.want == solve.Infeasible && (r.Iterations > 0 || len(r.Conflict) != 2*n) {
			t.Errorf("%s: %v after %d steps, %+v, conflict of %d, %v", c.name, r.Status, r.Iterations, r.Certificate,
				len(r.Conflict), err)
		}
	}
}

// Of random equations of which one follows from all others, one is left out, however many pivots are weak.
func TestEquationsOfWhichOneFollows(t *testing.T) {
	for _, n := range []int{100, 300} {
		rng := rand.New(rand.NewPCG(1, 3))
		b := mrftest.New(n, 0, 2).Rule(0, mrf.Absolute, 2)
		mean := 0.0
		for i := range n {
			guess := rng.Float64()
			mean += guess / float64(n)
			b.Add(-guess, []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		b.Rule(1, mrf.Equal, 0)
		for own := range n { // each variable is in one at least
			row := []mrftest.Term{{Index: own, Coef: 1}}
			for k, i := range rng.Perm(n - 1)[:5] {
				row = append(row, mrftest.Term{Index: (own + 1 + i) % n, Coef: float64(2*(k%2) - 1)})
			}
			b.Add(0, row, nil)
		}
		r, err := interior.New(mrf.NewField(b.Model()), solve.Settings{Gap: 1e-6, MaxIterations: 25}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Fatalf("%d: %v after %d steps, %+v, %v", n, r.Status, r.Iterations, r.Certificate, err)
		}
		for _, y := range r.Y { // all the same, as nothing else solves the equations
			if math.Abs(y-mean) > 1e-3 {
				t.Fatalf("%d: a value of %v, and not of %v", n, y, mean)
			}
		}
	}
}

// A flow along links at random, of which more is to arrive than sets out: before any step, and without a factor, its
// equations are found to contradict each other; if as much does, it is solved though one follows from the others.
func TestFlowsThatFill(t *testing.T) {
	const nodes, links = 2000, 4
	for _, excess := range []float64{0, 0.3} {
		rng := rand.New(rand.NewPCG(2, 7))
		balance := make([][]mrftest.Term, nodes)
		b := mrftest.New(nodes*links, 0, 2).Rule(0, mrf.Linear, 1)
		for k := range nodes * links {
			to := (k/links + 1 + rng.IntN(nodes-1)) % nodes
			if k%links == 0 {
				to = (k/links + 1) % nodes
			}
			balance[k/links] = append(balance[k/links], mrftest.Term{Index: k, Coef: 1})
			balance[to] = append(balance[to], mrftest.Term{Index: k, Coef: -1})
			b.Add(0, []mrftest.Term{{Index: k, Coef: 0.1 + rng.Float64()}}, nil)
		}
		b.Rule(1, mrf.Equal, 0)
		for i, row := range balance {
			constant := 0.05 * float64(1-2*(i%2))
			if i == 0 {
				constant += excess
			}
			b.Add(constant, row, nil)
		}
		solver := interior.New(mrf.NewField(b.Model()), solve.Settings{Gap: 1e-6, Threads: 1})
		work, want := 1e9, solve.Optimal
		if excess > 0 {
			work, want = 1, solve.Infeasible
		}
		r, left := solver.Try(t.Context(), work)
		if r == nil || r.Status != want || want == solve.Infeasible && r.Iterations > 0 {
			t.Fatalf("excess %v: not %v, and %v is left", excess, want, left)
		}
	}
}

// Rows that hold, of weights that are many times others, must leave the digits of what the least weights ask for.
func TestLeastWeights(t *testing.T) {
	const width, n = 25, 625
	for _, least := range []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-8} {
		b := mrftest.New(n, 0, 3)
		each := func(kind int, add func(i, k int)) {
			for i := range n {
				if i%3 == kind && (i+1)%width > 0 {
					add(i, i+1)
				}
				if (i+1)%3 == kind && i+width < n {
					add(i, i+width)
				}
			}
		}
		b.Rule(0, mrf.Absolute, 1)
		each(0, func(i, k int) { b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: k, Coef: -1}}, nil) })
		b.Rule(2, mrf.LessEqual, 0)
		each(1, func(i, k int) { b.Add(-700, []mrftest.Term{{Index: i, Coef: 1000}, {Index: k, Coef: 0.001}}, nil) })
		each(2, func(i, k int) { b.Add(-80, []mrftest.Term{{Index: i, Coef: 0.01}, {Index: k, Coef: 100}}, nil) })
		b.Rule(1, mrf.Absolute, 2)
		for i := range n {
			b.Add(-math.Mod(float64(i)*0.618, 1), []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{1, least, 0})
		r, err := interior.New(field, solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("least weight %v: %v after %d steps, %+v, %v", least, r.Status, r.Iterations, r.Certificate, err)
		}
	}
}

// Values that are means of others and of what they have of their own, by equations, make many weak pivots, none of them
// of an equation that follows from others: the search ends after as long as a factorisation takes.
func TestSearchesForEquationsEnd(t *testing.T) {
	const n, links = 1200, 4
	rng := rand.New(rand.NewPCG(3, 9))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Absolute, 1)
	for i := range n {
		b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	b.Rule(1, mrf.Equal, 0)
	for i := range n {
		row := []mrftest.Term{{Index: i, Coef: -1}}
		for _, k := range rng.Perm(n - 1)[:links] {
			row = append(row, mrftest.Term{Index: (i + 1 + k) % n, Coef: 0.85 / links})
		}
		b.Add(0.15*rng.Float64(), row, nil)
	}
	ctx, asked := contexttest.Counting()
	r, err := interior.New(mrf.NewField(b.Model()), solve.Settings{Gap: 1e-6, Threads: 1}).Solve(ctx)
	if err != nil || r.Status != solve.Optimal || asked() > 670 {
		t.Errorf("%v after %d steps, asked %d times, %v", r.Status, r.Iterations, asked(), err)
	}
}

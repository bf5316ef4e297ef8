package auto_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Sums that nothing divides fill a factor, and steps of an interior point method can do without one: it is tried long
// before Newton's method has worked for as long as factorisations would take.
func TestTriedWithoutFactors(t *testing.T) {
	const rows, terms, n = 3000, 8, 12000
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Equal, 0)
	for range 2 {
		of := rng.Perm(n)
		for k := range rows / 2 {
			var row []mrftest.Term
			for _, i := range of[k*terms : (k+1)*terms] {
				row = append(row, mrftest.Term{Index: i, Coef: 1})
			}
			b.Add(-1, row, nil)
		}
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n {
		b.Add(0, []mrftest.Term{{Index: i, Coef: rng.Float64()}}, nil)
	}
	field := mrftest.Field(b.Model(), []float64{0, 1}, nil)
	inference, err := auto.Inference("auto", field, solve.Settings{Threads: 1}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solvesWithoutFactors(t, inference)
}

// So are limits of sums within sums of two orders, where Newton's method gets nowhere: factors of them fill memory.
func TestLimitsAreTriedWithoutFactors(t *testing.T) {
	const n, smallest, growth = 4000, 4, 6
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
	for range 2 {
		of := rng.Perm(n)
		for size := smallest; size < n; size *= growth {
			for some := range slices.Chunk(of, size) {
				var row []mrftest.Term
				for _, i := range some {
					row = append(row, mrftest.Term{Index: i, Coef: 1 / float64(len(some))})
				}
				b.Add(0.04*math.Log(float64(size))-0.55, row, nil)
			}
		}
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n {
		c := rng.Float64()
		b.Add(c, []mrftest.Term{{Index: i, Coef: -c}}, nil)
	}
	field := mrftest.Field(b.Model(), []float64{0, 1}, nil)
	settings := solve.Settings{Threads: 1, TimeLimit: time.Minute}
	inference, err := auto.Inference("auto", field, settings, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learning, err := auto.New("auto", field, settings) // infers as much
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []solve.Solver{inference, learning} {
		solvesWithoutFactors(t, s)
	}
}

// So is what has no hard rules, where weights of all sizes leave Newton's method nowhere.
func TestWeightsOfAllSizesAreTriedWithoutFactors(t *testing.T) {
	const n = 6000
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(n, 0, 3)
	for k, constant := range []float64{-2, 1.5} {
		b.Rule(k, mrf.Hinge, 1+k)
		for range n / 2 {
			var row []mrftest.Term
			for range 4 {
				row = append(row, mrftest.Term{Index: rng.IntN(n), Coef: float64(1 - 2*k)})
			}
			b.Add(constant, row, nil)
		}
	}
	b.Rule(2, mrf.Absolute, 1)
	for i := range n {
		b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	field := mrftest.Field(b.Model(), []float64{1e8, 0.01, 1}, nil)
	inference, err := auto.Inference("auto", field, solve.Settings{Threads: 1}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solvesWithoutFactors(t, inference)
}

// So are squares of sums whose guesses have weights of all sizes, though Newton's method gains a little all the time.
func TestSquaresAreTriedWithoutFactors(t *testing.T) {
	const n, sizes = 8000, 5
	rng := rand.New(rand.NewPCG(1, 1))
	weights := []float64{1000}
	b := mrftest.New(n, 0, 1+sizes).Rule(0, mrf.Absolute, 2)
	for range n / 2 {
		of := rng.Perm(n)
		b.Add(0, []mrftest.Term{{Index: of[0], Coef: 1}, {Index: of[1], Coef: 1}, {Index: of[2], Coef: -1},
			{Index: of[3], Coef: -1}}, nil)
	}
	for k := range sizes {
		weights = append(weights, math.Pow(10, float64(3*k-6)))
		b.Rule(1+k, mrf.Absolute, 2)
		for i := k; i < n; i += sizes {
			b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
	}
	field := mrftest.Field(b.Model(), weights, nil)
	inference, err := auto.Inference("auto", field, solve.Settings{Threads: 1}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solvesWithoutFactors(t, inference)
}

// Limits that costs of all sizes press against leave Newton's method far from a proof: it is not for as long as the
// other's steps take that this is found out. Nor is it where clauses leave it nearer, but with much to do.
func TestLimitsAreTriedSoon(t *testing.T) {
	cover := mrftest.Cover{Variables: 4000, Terms: 5, Times: 1,
		Cost: func(rng *rand.Rand) float64 { return math.Pow(10, 6*rng.Float64()-3) }}
	for _, c := range []struct {
		name  string
		field *mrf.Field
		most  int // steps of Newton's method
	}{{"cover", cover.Field(), 60}, {"clauses", randomClauses(4000, 2), 120}} {
		t.Run(c.name, func(t *testing.T) {
			inference, err := auto.Inference("auto", c.field, solve.Settings{Threads: 1}, auto.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := solvesWithoutFactors(t, inference)
			var steps int
			if _, err := fmt.Sscanf(r.Reason, "After %d steps of Newton's", &steps); err != nil || steps > c.most {
				t.Errorf("handed over late: %s (%v)", r.Reason, err)
			}
		})
	}
}

// randomClauses are so many clauses of two or three literals for each of n variables, of weight 3, and for each
// variable what it costs to be true.
func randomClauses(n, per int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 3))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Hinge, 1)
	for range per * n {
		clause, missing := []mrftest.Term(nil), 1.0
		for _, i := range rng.Perm(n)[:2+rng.IntN(2)] {
			sign := 1 - 2*float64(rng.IntN(2))
			if sign > 0 {
				missing--
			}
			clause = append(clause, mrftest.Term{Index: i, Coef: sign})
		}
		b.Add(missing, clause, nil)
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n {
		b.Add(0, []mrftest.Term{{Index: i, Coef: rng.Float64()}}, nil)
	}
	return mrftest.Field(b.Model(), []float64{3, 1}, nil)
}

// So are knapsacks of things that had better not be taken together: columns are a million times as large in terms of
// their first basis as those in it, and pivots of a larger one fill, so that they are exchanged one by one.
func TestKnapsacksAreTriedWithoutFactors(t *testing.T) {
	const n, terms = 5000, 12
	rng := rand.New(rand.NewPCG(1, 2))
	b := mrftest.New(n, 0, 3).Rule(0, mrf.LessEqual, 0)
	for range n / 5 {
		var row []mrftest.Term
		for k, i := range rng.Perm(n)[:terms] {
			row = append(row, mrftest.Term{Index: i, Coef: []float64{1, 2, 5}[k%3]})
		}
		b.Add(-6, row, nil)
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n {
		for range 2 {
			b.Add(-1, []mrftest.Term{{Index: i, Coef: 1}, {Index: (i + 1 + rng.IntN(n-1)) % n, Coef: 1}}, nil)
		}
	}
	b.Rule(2, mrf.Hinge, 1)
	for i := range n {
		worth := rng.Float64()
		b.Add(worth, []mrftest.Term{{Index: i, Coef: -worth}}, nil)
	}
	field := mrftest.Field(b.Model(), []float64{0, 0.6, 1}, nil)
	inference, err := auto.Inference("auto", field, solve.Settings{Threads: 1}, auto.Options{})
	if err != nil {
		t.Fatal(err)
	}
	solvesWithoutFactors(t, inference)
}

// solvesWithoutFactors checks that a solver finds the optimum by the interior point method, without factorisations, and
// returns what it found.
func solvesWithoutFactors(t *testing.T, s solve.Solver) *solve.Result {
	t.Helper()
	r, err := s.Solve(t.Context())
	if err != nil || r.Status != solve.Optimal || r.Method != "interior" || !strings.HasSuffix(r.Reason, "without.") {
		t.Fatalf("%v by %q, %v: %s", r.Status, r.Method, err, r.Reason)
	}
	return r
}

// A start with multipliers from which Newton's method gets nowhere is no reason to go without presolving.
func TestStartsThatLeadNowhereArePresolved(t *testing.T) {
	const n = 2000
	field := mrftest.Cover{Variables: n, Terms: 8, Times: 2, // once more than presolving leaves in
		Cost: (*rand.Rand).Float64}.Field()
	solved := func(start []float64, multipliers []float64) *solve.Result {
		inference, err := auto.Inference("auto", field, solve.Settings{Threads: 1}, auto.Options{Presolve: true})
		if err != nil {
			t.Fatal(err)
		}
		if start != nil {
			inference.WarmStart(start, multipliers)
		}
		result, err := inference.Solve(t.Context())
		if err != nil || result.Status != solve.Optimal {
			t.Fatal(result, err)
		}
		return result
	}
	cold, nowhere := solved(nil, nil), solved(make([]float64, n), make([]float64, field.Model.Potentials()))
	if nowhere.Presolve == nil || math.Abs(nowhere.Objective-cold.Objective) > 2e-6*cold.Objective {
		t.Errorf("objective %v, and %v from nothing; presolved: %v", nowhere.Objective, cold.Objective, nowhere.Presolve)
	}
	if near := solved(cold.Y, solved(cold.Y, cold.Multipliers).Multipliers); near.Presolve != nil {
		t.Error("a start near the answer was presolved")
	}
}

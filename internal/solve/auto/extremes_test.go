package auto_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// extremes draws a problem of up to 40 variables whose coefficients, rows, weights and constants are up to twelve
// orders of magnitude apart. Nearly all can be satisfied.
func extremes(seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 4711))
	size := func(digits float64) float64 {
		v := digits * (2*rng.Float64() - 1)
		if rng.IntN(2) == 0 {
			v = math.Round(v)
		}
		return math.Pow(10, v)
	}
	digits := func() float64 { return []float64{0, 1, 3, 6}[rng.IntN(4)] }
	n := 2 + rng.IntN([]int{6, 39}[rng.IntN(2)])
	rows, weights, constants := digits(), digits(), digits()
	entries := min(digits(), 6-rows)
	y := make([]float64, n)
	for i := range y {
		y[i] = min(max(2*rng.Float64()-0.5, 0), 1)
	}
	hard, squared := []float64{0, 0.2, 0.5}[rng.IntN(3)], []float64{0, 0.5, 1}[rng.IntN(3)]
	m := &mrf.Model{Variables: n}
	var theta []float64
	for range n/2 + rng.IntN(2*n+1) + 1 {
		b := &mrf.Block{Rule: len(m.Blocks), Kind: mrf.Hinge, Len: 1, Exponent: 1}
		many := 1 + rng.IntN(min(n, 4))
		if rng.IntN(10) == 0 {
			many = n
		}
		base := size(rows)
		for _, i := range rng.Perm(n)[:many] {
			a := base * size(entries) * float64(1-2*rng.IntN(2))
			b.Vars, b.Coef = append(b.Vars, int32(i)), append(b.Coef, a)
			b.Constant -= a * y[i]
		}
		w := math.Ldexp(1, int(math.Round(math.Log2(size(weights))))) // shares of the largest are exact
		switch is := rng.Float64() < hard; {
		case is && rng.IntN(2) == 0:
			b.Kind, w = mrf.Equal, 0
		case is:
			b.Kind, w = mrf.LessEqual, 0
			b.Constant -= base * float64(rng.IntN(2)) * rng.Float64()
			if rng.IntN(10) == 0 {
				b.Constant += base * math.Pow(10, -7*rng.Float64())
			}
		default:
			if rng.IntN(3) == 0 {
				b.Kind = mrf.Absolute
			}
			if rng.Float64() < squared {
				b.Exponent = 2
			}
			switch rng.IntN(3) {
			case 0:
				b.Constant += (2*rng.Float64() - 1) * base
			case 1:
				b.Constant = (2*rng.Float64() - 1) * size(constants)
			}
		}
		m.Blocks, theta = append(m.Blocks, b), append(theta, w)
	}
	m.Rules = len(theta)
	f := mrf.NewField(m)
	f.SetWeights(theta)
	return f
}

// bits are those of numbers that are as good as exact here.
const bits = 400

func exact(v float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(v) }

// bound is what no point costs less than by the multipliers, exactly: of hard rows alone, a proof that none satisfies
// them if it is more than 0.
func bound(f *mrf.Field, multipliers []float64, hardOnly bool) *big.Float {
	g, least := make([]*big.Float, f.Model.Variables), exact(0)
	for i := range g {
		g[i] = exact(0)
	}
	for j, b := range f.Model.Blocks {
		if hardOnly && !b.Kind.Hard() {
			continue
		}
		w := f.Weights()[b.Rule]
		lo, hi := solve.Domain(b, w)
		mu := exact(min(max(multipliers[j], lo), hi))
		least.Add(least, exact(0).Mul(mu, exact(b.Constant)))
		if b.Squared() && w > 0 {
			square := exact(0).Mul(mu, mu)
			least.Sub(least, square.Quo(square, exact(4*w)))
		}
		for e, i := range b.Vars {
			g[i].Add(g[i], exact(0).Mul(mu, exact(b.Coef[e])))
		}
	}
	for _, v := range g {
		if v.Sign() < 0 {
			least.Add(least, v)
		}
	}
	return least
}

// Scales of all sizes at once must have an answer with a proof that holds in exact terms.
func TestScalesOfAllSizes(t *testing.T) {
	verdicts := make(map[solve.Status]int)
	for seed := range uint64(600) {
		f := extremes(seed)
		s, err := auto.Inference("auto", f, solve.Settings{Gap: 1e-6, Threads: 1},
			auto.Options{Presolve: true, Split: true, Polish: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		verdicts[r.Status]++
		least := bound(f, r.Multipliers, r.Status == solve.Infeasible)
		switch r.Status {
		case solve.Infeasible:
			if least.Sign() <= 0 {
				t.Errorf("seed %d: called infeasible, with a proof of %v", seed, least)
			}
		case solve.Optimal:
			if gap, _ := least.Sub(exact(r.Objective), least).Float64(); !r.Yields &&
				solve.Relative(f, gap, r.Objective) > 1.1e-6 {
				t.Errorf("seed %d: a gap of %g is called %g", seed, solve.Relative(f, gap, r.Objective), r.Gap)
			}
		default:
			t.Errorf("seed %d: %v, gap %g, violation %g", seed, r.Status, r.Gap, r.MaxViolation)
		}
	}
	t.Log(verdicts)
}

// What rounding keeps from a proof is finished in numbers of twice the length before Newton's method goes on, which
// takes up to thousands of steps there.
func TestFinerNumbersComeFirst(t *testing.T) {
	for _, seed := range []uint64{17, 127, 165, 422, 537} {
		steps := 0
		s, err := auto.Inference("auto", extremes(seed),
			solve.Settings{Gap: 1e-6, Threads: 1, Trace: func(solve.Iteration) { steps++ }}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background())
		if err != nil || r.Status != solve.Optimal || steps > 20 {
			t.Errorf("seed %d: %v after %d steps, %v", seed, r.Status, steps, err)
		}
	}
}

// Thousands of ground rules of all sizes are finished so, too, where their factors are sparse.
func TestTreesOfAllSizes(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 11))
		size := func() float64 { return math.Pow(10, 12*rng.Float64()-6) }
		const n = 700
		m, theta := &mrf.Model{Variables: n}, make([]float64, 0, 2*n)
		for i := range n {
			prior := &mrf.Block{Rule: len(theta), Kind: mrf.Absolute, Len: 1, Exponent: 1, Vars: []int32{int32(i)},
				Coef: []float64{1}, Constant: -rng.Float64()}
			m.Blocks, theta = append(m.Blocks, prior), append(theta, size())
			if i == 0 {
				continue
			}
			link := &mrf.Block{Rule: len(theta), Kind: mrf.Hinge, Len: 1, Exponent: 1 + rng.IntN(2),
				Vars: []int32{int32(rng.IntN(i)), int32(i)}, Coef: []float64{size(), -size()}}
			if rng.IntN(5) == 0 {
				link.Kind, link.Exponent = mrf.LessEqual, 0
			}
			m.Blocks, theta = append(m.Blocks, link), append(theta, size())
		}
		m.Rules = len(theta)
		s, err := auto.Inference("auto", mrftest.Field(m, theta, nil), solve.Settings{Gap: 1e-6, Threads: 1},
			auto.Options{Presolve: true, Split: true, Polish: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("seed %d: %v, gap %g, violation %g, %v", seed, r.Status, r.Gap, r.MaxViolation, err)
		}
	}
}

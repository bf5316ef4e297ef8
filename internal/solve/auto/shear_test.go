package auto_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// nearly makes groups of variables whose means are variables of their own by equations, and constraints that are nearly
// those equations and say that means are at most a half; or, if plain, that say so.
func nearly(seed uint64, plain bool) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 1))
	const n, groups, members = 30, 10, 6
	m := &mrf.Model{Variables: n + groups, Rules: 1}
	hard := func(kind mrf.Kind) *mrf.Block {
		b := &mrf.Block{Kind: kind, VarStart: []int32{0}, InputStart: []int32{0}, Bias64: []float64{}}
		m.Blocks = append(m.Blocks, b)
		return b
	}
	add := func(b *mrf.Block, constant float64, vars []int32, coef ...float64) {
		b.Vars, b.Bias64 = append(b.Vars, vars...), append(b.Bias64, constant)
		for _, a := range coef {
			b.VarCoef.Append(a)
		}
		b.Len++
		b.VarStart, b.InputStart = append(b.VarStart, int32(len(b.Vars))), append(b.InputStart, 0)
	}
	equal, below := hard(mrf.Equal), hard(mrf.LessEqual)
	for g := range groups {
		vars, mean := []int32{int32(n + g)}, []float64{-1}
		beside, less := []float64{-1}, []float64{0}
		for _, i := range rng.Perm(n)[:members] {
			vars, mean = append(vars, int32(i)), append(mean, 1.0/members)
			beside, less = append(beside, 1.0001/members), append(less, 1.0/members)
		}
		add(equal, 0, vars, mean...)
		if plain {
			add(below, -0.5, vars[1:], less[1:]...)
		} else {
			add(below, -0.00005, vars, beside...)
		}
	}
	for i := range n {
		m.Blocks = append(m.Blocks, &mrf.Block{Kind: mrf.Absolute, Exponent: 1 + int(seed%2), Len: 1, Coef: []float64{1},
			Vars: []int32{int32(i)}, Constant: -rng.Float64()})
	}
	f := mrf.NewField(m)
	f.SetWeights([]float64{1})
	return f
}

// Constraints that are nearly an equation must have the answer of what they say beside it, and multipliers that prove
// it; so must a solve that begins there.
func TestNearlyAnEquation(t *testing.T) {
	for seed := range uint64(20) {
		results := make([]*solve.Result, 2)
		for k, plain := range []bool{true, false} {
			f := nearly(seed, plain)
			solver, err := auto.Inference("auto", f, solve.Settings{}, auto.Options{Presolve: true, Split: true})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if results[k], err = solver.Solve(context.Background()); err != nil || results[k].Status != solve.Optimal {
					t.Fatalf("seed %d, plain %v: %v, %v", seed, plain, err, results[k])
				}
				c := solve.Certify(f, results[k].Y, results[k].Multipliers)
				if results[k].Yields {
					c = c.Yielding(f)
				}
				if c != results[k].Certificate {
					t.Errorf("seed %d, plain %v: the certificate is %v, and says %v", seed, plain, c, results[k].Certificate)
				}
				solver.WarmStart(results[k].Y, results[k].Multipliers)
			}
		}
		if a, b := results[0].Objective, results[1].Objective; math.Abs(a-b) > 4e-6*max(1, a) {
			t.Errorf("seed %d: %v, and %v of what it says", seed, b, a)
		}
	}
}

package oracle

import (
	"context"
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/dense"
)

// energy returns what a state costs, and by how much it violates the worst hard ground rule.
func energy(rows []row, y []float64) (cost, violation float64) {
	for _, r := range rows {
		d := r.c
		for i, a := range r.a {
			d += a * y[i]
		}
		switch {
		case r.twoSided:
			d = math.Abs(d)
		default:
			d = max(0, d)
		}
		switch {
		case r.w < 0:
			violation = max(violation, d)
		case r.squared:
			cost += r.w * d * d
		default:
			cost += r.w * d
		}
	}
	return cost, violation
}

// leastWeight is about the least weight, but no less than 1e-8 of about the largest: what energies are relative to if
// they are less.
func leastWeight(rows []row) float64 {
	low, high, n := 0.0, 0.0, 0.0
	for _, r := range rows {
		if r.w > 0 && (r.twoSided || r.most() > 1e-13) { // others always hold
			low, high, n = low+math.Pow(r.w, -4), high+math.Pow(r.w, 4), n+1
		}
	}
	if n == 0 {
		return 1
	}
	return max(math.Pow(low/n, -0.25), 1e-8*math.Pow(high/n, 0.25))
}

// optimum is what the reference knows of a problem.
type optimum struct {
	// violation is the least that the worst hard ground rule can be violated by.
	violation float64
	// cost is that of the best state, and bound what none is below; push is the sum of the hard ground rules' multipliers:
	// what a violation can gain. Off is by how much the state violates hard ground rules: where coefficients are 10,000
	// and 0.001, the reference ends with values that are far from any that satisfy them. Far is how far those of a ground
	// rule may be at most, by its least coefficient.
	cost, bound, push, off, far float64
}

// solve finds the optimum of n variables.
func solveRows(rows []row, n int) optimum {
	out := optimum{violation: leastViolation(rows, n)}
	if out.violation > 1e-9 {
		return out
	}
	m := &mrf.Model{Variables: n}
	theta := []float64{}
	for _, r := range rows {
		b := r.block(len(m.Blocks))
		m.Blocks = append(m.Blocks, b)
		theta = append(theta, max(0, r.w))
	}
	m.Rules = len(theta)
	result := answer(m, theta)
	out.cost, out.bound, out.off = result.Objective, result.DualBound, result.MaxViolation
	for j, r := range rows {
		if r.w < 0 {
			out.push += math.Abs(result.Multipliers[j])
			_, off := energy(rows[j:j+1], result.Y)
			out.far = max(out.far, off/r.smallest())
		}
	}
	return out
}

// leastViolation minimises t subject to violations of at most t.
func leastViolation(rows []row, n int) float64 {
	m := &mrf.Model{Variables: n + 1, Rules: 1}
	m.Blocks = append(m.Blocks, &mrf.Block{Kind: mrf.Linear, Len: 1, Coef: []float64{1}, Vars: []int32{int32(n)}})
	most := 1.0
	for _, r := range rows {
		size := math.Abs(r.c)
		for _, a := range r.a {
			size += math.Abs(a)
		}
		most = max(most, size)
	}
	for _, r := range rows {
		for sign := 1.0; r.w < 0 && sign >= -1; sign -= 2 {
			if sign < 0 && !r.twoSided {
				break
			}
			b := r.block(0)
			b.Kind, b.Constant = mrf.LessEqual, sign*b.Constant
			for k := range b.Coef {
				b.Coef[k] *= sign
			}
			b.Coef, b.Vars = append(b.Coef, -most), append(b.Vars, int32(n))
			m.Blocks = append(m.Blocks, b)
		}
	}
	return max(0, most*answer(m, []float64{1}).Objective)
}

// smallest is the size of the smallest coefficient.
func (r *row) smallest() float64 {
	least := math.Inf(1)
	for _, a := range r.a {
		if math.Abs(a) > tiny {
			least = min(least, math.Abs(a))
		}
	}
	return least
}

// tiny is what is no coefficient.
const tiny = 1e-12

// block is a ground rule as a block of its own.
func (r *row) block(rule int) *mrf.Block {
	b := &mrf.Block{Rule: rule, Len: 1, Exponent: 1, Constant: r.c}
	for i, a := range r.a {
		if math.Abs(a) > tiny {
			b.Coef, b.Vars = append(b.Coef, a), append(b.Vars, int32(i))
		}
	}
	if r.squared {
		b.Exponent = 2
	}
	switch {
	case r.w < 0 && r.twoSided:
		b.Kind = mrf.Equal
	case r.w < 0:
		b.Kind = mrf.LessEqual
	case r.twoSided:
		b.Kind = mrf.Absolute
	}
	return b
}

// answer solves a model with the dense method.
func answer(m *mrf.Model, theta []float64) *solve.Result {
	f := mrf.NewField(m)
	f.SetWeights(theta)
	result, err := dense.New(f, solve.Settings{Gap: 1e-9, Feasibility: 1e-9}).Solve(context.Background())
	if err != nil {
		panic(err)
	}
	return result
}

package squares

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The step of a response leaves no slope along the variables that are pushed, and does not move the others.
func TestResponse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	var r Response
	for n := range int32(12) {
		variables := n + 3
		slopes := make([]float64, variables)
		type square struct {
			vars []int32
			coef []float64
			w    float64
		}
		var all []square
		r.Reset(int(variables))
		for i := range variables {
			all = append(all, square{[]int32{i}, []float64{1 + rng.Float64()}, 1})
			all = append(all, square{[]int32{i, (i + 1) % variables, (i + 2) % variables},
				[]float64{1, rng.NormFloat64(), -1}, 20 * rng.Float64()})
		}
		for _, q := range all {
			r.Square(q.vars, q.coef, q.w)
		}
		for i := range variables {
			if slopes[i] = rng.NormFloat64(); i != 1 {
				r.Push(i, slopes[i])
			}
		}
		step := r.Step(200)
		for _, q := range all {
			d := 0.0
			for e, i := range q.vars {
				d += q.coef[e] * step[i]
			}
			for e, i := range q.vars {
				slopes[i] += 2 * q.w * q.coef[e] * d
			}
		}
		for i, slope := range slopes {
			if i == 1 && step[i] != 0 || i != 1 && math.Abs(slope) > 0.02 {
				t.Errorf("%d variables: the slope along %d is %v after a step of %v", variables, i, slope, step[i])
			}
		}
	}
}

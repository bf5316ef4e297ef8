package solve_test

import (
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

// isotonic returns the ascending values that are nearest to those of y, in squares (pool adjacent violators).
func isotonic(y []float64) (out []float64) {
	type pool struct{ sum, n float64 }
	var pools []pool
	for _, v := range y {
		pools = append(pools, pool{v, 1})
		for k := len(pools) - 1; k > 0 && pools[k-1].sum/pools[k-1].n > pools[k].sum/pools[k].n; k-- {
			pools[k-1] = pool{pools[k-1].sum + pools[k].sum, pools[k-1].n + pools[k].n}
			pools = pools[:k]
		}
	}
	for _, p := range pools {
		out = append(out, slices.Repeat([]float64{p.sum / p.n}, int(p.n))...)
	}
	return out
}

// What rules of weight 1 ask for must be found as exactly beside rules of any larger weight, which cost nothing in the
// end: order along a chain, weighed so that it is worth more than all else.
func TestLargeWeightsHideNothing(t *testing.T) {
	const n = 40
	random := rand.New(rand.NewPCG(4, 4))
	data := make([]float64, n)
	b := mrftest.New(n, 0, 2).Rule(1, mrf.Absolute, 2)
	for i := range data {
		data[i] = float64(float32(float64(i)/n*0.6 + 0.4*random.Float64())) // as a model keeps it
		b.Add(-data[i], at(i, 1), nil)
	}
	b.Rule(0, mrf.Hinge, 1)
	for i := range n - 1 {
		b.Add(0, append(at(i, 1), at(i+1, -1)...), nil)
	}
	model, best := b.Model(), 0.0
	for i, v := range isotonic(data) {
		best += (v - data[i]) * (v - data[i])
	}
	for _, weight := range []float64{100, 1e4, 1e6, 1e9} {
		for _, method := range []string{"newton", "interior", "auto"} {
			if method == "newton" && weight > 1e6 {
				continue // which crawls there, and says so
			}
			t.Run(fmt.Sprint(method, " with ", weight), func(t *testing.T) {
				field := mrf.NewField(model)
				field.SetWeights([]float64{weight, 1})
				solver, err := auto.Inference(method, field, solve.Settings{}, auto.Options{Presolve: true, Split: true})
				if err != nil {
					t.Fatal(err)
				}
				r := run(t, solver)
				if r.Status != solve.Optimal || math.Abs(r.Objective-best) > 2e-6*best {
					t.Errorf("%v, objective %v with a gap of %v; the optimum is %v", r.Status, r.Objective, r.Gap, best)
				}
			})
		}
	}
}

package mrftest

import (
	"math/rand/v2"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Cover is a linear program that nothing divides: half as many limits as there are variables, each of which wants one
// of so many of them to be true and is written so many times, and for each variable what that costs.
type Cover struct {
	Variables, Terms, Times int
	Cost                    func(rng *rand.Rand) float64
}

// Field draws the model.
func (c Cover) Field() *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 1))
	b := New(c.Variables, 0, 2).Rule(0, mrf.LessEqual, 0)
	for range c.Variables / 2 {
		var row []Term
		for _, i := range rng.Perm(c.Variables)[:c.Terms] {
			row = append(row, Term{Index: i, Coef: -1})
		}
		for range c.Times {
			b.Add(1, row, nil)
		}
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range c.Variables {
		b.Add(0, []Term{{Index: i, Coef: c.Cost(rng)}}, nil)
	}
	return Field(b.Model(), []float64{0, 1}, nil)
}

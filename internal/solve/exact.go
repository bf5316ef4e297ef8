package solve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// countable is the number of potentials up to which a proof is worth being added up exactly: a few milliseconds.
const countable = 20000

// exactly is the sum of what Certify adds up, and the objective, where slacks and gradients are rounded once: weights
// may be so far apart that rounding of a sum's terms is more than the least of them asks for.
func exactly(field *mrf.Field, y, multipliers []float64) (gap, objective float64) {
	m := field.Model
	var all, cost Sum
	g, number := make([]Sum, m.Variables), 0
	var buffer mrf.RowBuffer
	for k, b := range m.Blocks {
		constants := make([]float64, b.Len)
		field.Constants(k, 0, b.Len, constants)
		for j, c := range constants {
			w := field.Weights()[b.Rule]
			if b.Scale != nil {
				w *= float64(b.Scale[j])
			}
			d := Sum{high: c}
			vars, coef := b.Row(j, &buffer)
			for e, i := range vars {
				d.AddProduct(coef[e], y[i])
			}
			mu, part, value := Contribution(b, w, d.Value(), multipliers[number])
			for e, i := range vars {
				g[i].AddProduct(coef[e], mu)
			}
			all.Add(part)
			cost.Add(value)
			number++
		}
	}
	for i, y := range y {
		slope := g[i].Value()
		all.AddProduct(slope, y)
		all.Add(-min(0, slope))
	}
	return all.Value(), cost.Value()
}

// Sum is a sum of twice the usual length (Dekker 1971), whose roundings are those that Knuth's two-sum has: so what is
// the small difference of what comes and goes is not lost.
type Sum struct{ high, low float64 }

// Add adds a number.
func (s *Sum) Add(v float64) {
	high := s.high + v
	back := high - s.high
	s.low += (s.high - (high - back)) + (v - back)
	s.high = high
}

// AddProduct adds a product, without rounding it.
func (s *Sum) AddProduct(a, b float64) {
	product := a * b
	s.Add(product)
	s.low += math.FMA(a, b, -product)
}

// Merge adds another sum.
func (s *Sum) Merge(other Sum) {
	s.Add(other.high)
	s.low += other.low
}

// Value is the sum, rounded once.
func (s *Sum) Value() float64 { return s.high + s.low }

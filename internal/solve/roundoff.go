package solve

import (
	"iter"
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Rounding is about what soft potentials cost at y only because its values have 53 bits: those that are not squared and
// would be 0 but for that. Values of more digits would cost less, which none of as many do by much.
func Rounding(field *mrf.Field, y []float64) (cost float64) {
	for p := range linear(field) {
		slack, terms := p.constant, 0.0
		for e, i := range p.vars {
			v := p.coef[e] * y[i]
			slack += v
			terms += v * v
		}
		cost += p.weight * Roundoff(slack, terms)
	}
	return cost
}

// straight is a potential that is not squared: a weight times a sum where that is above 0, or times its absolute value.
type straight struct {
	weight   float64
	hinge    bool
	vars     []int32 // like coef, until the next one is asked for
	coef     []float64
	constant float64
}

// linear are the soft potentials that are not squared.
func linear(field *mrf.Field) iter.Seq[straight] {
	return func(yield func(straight) bool) {
		var buffer mrf.RowBuffer
		for k, b := range field.Model.Blocks {
			if b.Kind != mrf.Hinge && b.Kind != mrf.Absolute || b.Exponent != 1 {
				continue
			}
			d := make([]float64, b.Len)
			field.Constants(k, 0, b.Len, d)
			for j, constant := range d {
				vars, coef := b.Row(j, &buffer)
				w := field.Weights()[b.Rule] * b.Factor(j)
				if !yield(straight{w, b.Kind == mrf.Hinge, vars, coef, constant}) {
					return
				}
			}
		}
	}
}

// Roundoff is about what rounding leaves of a sum of terms whose squares add up to that, if the sum is no more than it
// can leave, and else 0.
func Roundoff(sum, squares float64) float64 {
	left := Hidden(squares)
	if math.Abs(sum) > surely*left {
		return 0
	}
	return evenly * left
}

// evenly is the deviation of a rounding, of values of all sizes, in terms of Hidden's: that of an even distribution.
const evenly = 0.4

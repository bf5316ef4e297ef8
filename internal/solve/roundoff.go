package solve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Rounding is about what soft potentials cost at y only because its values have 53 bits: those that are not squared and
// would be 0 but for that. Values of more digits would cost less, which none of as many do by much.
func Rounding(field *mrf.Field, y []float64) (cost float64) {
	var buffer mrf.RowBuffer
	for k, b := range field.Model.Blocks {
		if b.Kind != mrf.Hinge && b.Kind != mrf.Absolute || b.Exponent != 1 {
			continue
		}
		d := make([]float64, b.Len)
		field.Constants(k, 0, b.Len, d)
		for j, slack := range d {
			terms := 0.0
			vars, coef := b.Row(j, &buffer)
			for e, i := range vars {
				v := coef[e] * y[i]
				slack += v
				terms += v * v
			}
			cost += field.Weights()[b.Rule] * b.Factor(j) * Roundoff(slack, terms)
		}
	}
	return cost
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

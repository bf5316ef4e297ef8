package label

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// Degrees of truth between 0 and 1 are compared by how far values are from them, as if what is left were normal: its
// variance is that of the degrees over the exponent, which takes the part of a temperature. A cross-entropy would have
// that of the degrees themselves in it, so that what tells those between 0.4 and 0.6 apart well hardly lowers it.

// leastVariance bounds the variance of degrees from below: nearly the same one for all tells no scale.
const leastVariance = 1e-6

// Degrees tells whether some labels are neither true nor false. Values are to be like these, not only on their side.
func (l *Labels) Degrees() bool {
	return slices.ContainsFunc(l.Truth, func(truth float64) bool { return truth > 0 && truth < 1 })
}

// Discrete tells whether all labels are 0 or 1.
func (l *Labels) Discrete() bool {
	return !slices.ContainsFunc(l.Truth, func(v float64) bool { return v != 0 && v != 1 })
}

// variance is that of the labels.
func (l *Labels) variance() float64 {
	if len(l.Truth) < 2 {
		return leastVariance
	}
	return max(leastVariance, math.Pow(stat.Deviation(l.Truth), 2))
}

// normal returns -log of the density of a value so far off, whose variance is the given one over the exponent; what is
// the same for all exponents is left out.
func normal(distance, variance, exponent float64) float64 {
	return (exponent*distance*distance/variance - math.Log(exponent)) / 2
}

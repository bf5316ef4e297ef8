// Package stat summarises repeated measurements. Gonum's package of that name has the same and links two megabytes of
// linear algebra into every program, of which gonum/mathext, used here, needs none.
package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Mean returns the mean of the values, NaN of none.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Deviation returns the standard deviation of what the values are a sample of, NaN of fewer than two.
func Deviation(values []float64) float64 {
	mean, squares := Mean(values), 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// StandardError returns the standard deviation of the mean of such values, NaN of fewer than two.
func StandardError(values []float64) float64 {
	return Deviation(values) / math.Sqrt(float64(len(values)))
}

// Student returns the t that a variable of Student's distribution with so many degrees of freedom exceeds, on either
// side, with the probability p in (0, 1): P(|T| > t) = I(ν/(ν+t²); ν/2, ½), the regularised incomplete beta function.
func Student(freedom, p float64) float64 {
	x := mathext.InvRegIncBeta(freedom/2, 0.5, p)
	return math.Sqrt(freedom * (1/x - 1))
}

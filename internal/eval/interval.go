package eval

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval returns the mean of repeated measurements and half the width of its 95 % confidence interval, by Student's t
// with len(values)-1 degrees of freedom. One measurement has no width, none has no mean either: then it is NaN.
func Interval(values []float64) (mean, ci95 float64) {
	n := len(values)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	mean = stat.Mean(values, nil)
	if n == 1 {
		return mean, math.NaN()
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	return mean, t * stat.StdDev(values, nil) / math.Sqrt(float64(n))
}

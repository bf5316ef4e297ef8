package eval

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// Interval returns the mean of repeated measurements and half the width of its 95 % confidence interval, by Student's t
// with len(values)-1 degrees of freedom. It is NaN where nothing is known of it: one measurement has no width, nor have
// ones that are all the same, which is no proof that the next would be; none has no mean either.
func Interval(values []float64) (mean, ci95 float64) {
	n := len(values)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	mean = stat.Mean(values)
	if n == 1 || slices.Min(values) == slices.Max(values) {
		return mean, math.NaN()
	}
	return mean, stat.Student(float64(n-1), 0.05) * stat.StandardError(values)
}

// z is the normal quantile of two-sided 95 % intervals.
const z = 1.959963984540054

// StandardError is about that of a number with this interval.
func StandardError(interval [2]float64) float64 { return (interval[1] - interval[0]) / (2 * z) }

// unknown is the interval of a number whose accuracy is not known.
var unknown = [2]float64{math.NaN(), math.NaN()}

// share is a value that is a proportion: k of n, with Wilson's score interval, good for small n and near 0 or 1.
func share(name string, k, n float64) Value {
	return Value{Name: name, Number: ratio(k, n), Interval: wilson(k, n)}
}

// Share returns the result of an evaluator that counts how many of n things are right.
func Share(evaluator, name string, right, n int) Result {
	return Result{Evaluator: evaluator, Values: []Value{share(name, float64(right), float64(n))}, Count: n}
}

func wilson(k, n float64) [2]float64 {
	if n == 0 {
		return unknown
	}
	p := k / n
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return [2]float64{max(0, centre-half), min(1, centre+half)}
}

// f1 is the harmonic mean of precision and recall. It is a monotone function, 2J/(1+J), of the proportion
// J = hits/(hits+errors), and so is its interval of that of J.
func f1(hits, errors float64) Value {
	v := Value{Name: "F1", Number: ratio(2*hits, 2*hits+errors), Interval: wilson(hits, hits+errors)}
	for k, j := range v.Interval {
		v.Interval[k] = 2 * j / (1 + j)
	}
	return v
}

// mean is the mean of n numbers with the given sum and sum of squares, and the normal interval, which is not below 0.
// Numbers that do not vary, but for rounding, have none.
func mean(name string, sum, squares, n float64) Value {
	m := sum / n
	v := Value{Name: name, Number: m, LowerIsBetter: true, Interval: unknown}
	if variance := squares/n - m*m; n > 1 && variance > 1e-12*m*m {
		half := z * math.Sqrt(variance/(n-1))
		v.Interval = [2]float64{max(0, m-half), m + half}
	}
	return v
}

// rocInterval is that of an area under a ROC curve over so many true and false atoms: all areas whose own standard
// deviation (Hanley and McNeil 1982, with the mean of the two numbers in place of each) allows the one that was found
// (Newcombe 2006, method 5). Unlike that deviation at the area itself, it has a width also at 0 and 1.
func rocInterval(area, positives, negatives float64) [2]float64 {
	size := (positives + negatives) / 2
	excess := func(a float64) float64 {
		variance := a * (1 - a) * (1 + (size-1)*((1-a)/(2-a)+a/(1+a))) / (positives * negatives)
		return math.Abs(area-a) - z*math.Sqrt(variance)
	}
	if math.IsNaN(excess(0.5)) {
		return unknown
	}
	return [2]float64{crossing(excess, area, 0), crossing(excess, area, 1)}
}

// crossing finds by bisection where a function that is at most 0 at from becomes more, on the way to to.
func crossing(f func(float64) float64, from, to float64) float64 {
	if from == to || f(to) <= 0 {
		return to
	}
	for range 60 {
		if middle := (from + to) / 2; f(middle) <= 0 {
			from = middle
		} else {
			to = middle
		}
	}
	return from
}

// precisionInterval is that of an average precision over so many relevant atoms, as if it were the share of them that
// is right (Boyd, Eng and Page 2013, with Wilson's interval in place of the normal one).
func precisionInterval(area, relevant float64) [2]float64 { return wilson(area*relevant, relevant) }

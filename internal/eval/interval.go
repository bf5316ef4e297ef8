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

// z is the normal quantile of two-sided 95 % intervals.
const z = 1.959963984540054

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
func mean(name string, sum, squares, n float64) Value {
	m := sum / n
	half := z * math.Sqrt(max(0, squares/n-m*m)/(n-1))
	return Value{Name: name, Number: m, LowerIsBetter: true, Interval: [2]float64{max(0, m-half), m + half}}
}

// rocInterval is that of an area under a ROC curve over so many true and false atoms (Hanley and McNeil 1982).
func rocInterval(area, positives, negatives float64) [2]float64 {
	q1, q2 := area/(2-area), 2*area*area/(1+area)
	variance := area*(1-area) + (positives-1)*(q1-area*area) + (negatives-1)*(q2-area*area)
	half := z * math.Sqrt(variance/(positives*negatives))
	return [2]float64{max(0, area-half), min(1, area+half)}
}

// precisionInterval is that of an average precision over so many relevant atoms, on the logit scale (Boyd, Eng and Page
// 2013). At 0 and 1 it has no width.
func precisionInterval(area, relevant float64) [2]float64 {
	logit, half := math.Log(area/(1-area)), z/math.Sqrt(relevant*area*(1-area))
	if math.IsInf(logit, 0) {
		return [2]float64{area, area}
	}
	return [2]float64{1 / (1 + math.Exp(half-logit)), 1 / (1 + math.Exp(-half-logit))}
}

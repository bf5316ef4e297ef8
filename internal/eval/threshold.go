package eval

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// fewestSides is how many labels that are true, and how many that are false, tell a threshold.
const fewestSides = 5

// LearnThreshold finds from which prediction on atoms had best count as true, where atoms of the same kind are to be
// decided whose truth is not known. The labels are dealt into parts, -1 being none: each is decided by the threshold
// that is best for the others. It returns false where that is not better than the options' own threshold by a standard
// error, the jackknife's over the parts, and a hundredth. The options must be those of an evaluation that was no error.
func LearnThreshold(options map[string]string, s *Scored, part []int) (threshold float64, better bool) {
	o := optionReader{prefix: "discreteevaluator.", options: options}
	own := o.threshold()
	r := discrete(s, own, own)
	o.representative(&r)
	if name := r.Primary().Name; name != "F1" && name != "Accuracy" {
		return own, false // of precision or recall alone, all or nothing is best
	}
	parts := 0
	var sides [2]int
	for k, truth := range s.Truth {
		if !math.IsNaN(truth) {
			sides[bit(truth >= own)]++
			parts = max(parts, part[k]+1)
		}
	}
	if min(sides[0], sides[1]) < fewestSides || parts < 2 {
		return own, false
	}
	// By part: how the labels are decided by the threshold that is best for the others, and by their own.
	learned, given := make([]confusion, parts), make([]confusion, parts)
	for p := range parts {
		best := BestThreshold(options, s.without(part, p)).Threshold
		for k, truth := range s.Truth {
			if !math.IsNaN(truth) && part[k] == p {
				learned[p][bit(truth >= own)][bit(s.Prediction[k] >= best)]++
				given[p][bit(truth >= own)][bit(s.Prediction[k] >= own)]++
			}
		}
	}
	gain := func(without int) float64 {
		a, b := sumOf(learned, without), sumOf(given, without)
		return a.ratio(r.Representative) - b.ratio(r.Representative)
	}
	gains := make([]float64, parts)
	for p := range parts {
		gains[p] = gain(p)
	}
	deviation := stat.StandardError(gains) * float64(parts-1)
	return BestThreshold(options, s).Threshold, gain(-1) > max(deviation, 0.01)
}

// without is s with the labels of a part unknown.
func (s *Scored) without(part []int, p int) *Scored {
	rest := &Scored{Prediction: s.Prediction, Truth: slices.Clone(s.Truth)}
	for k := range rest.Truth {
		if part[k] == p {
			rest.Truth[k] = math.NaN()
		}
	}
	return rest
}

// sumOf adds confusions up, but for one.
func sumOf(all []confusion, without int) (sum confusion) {
	for p, c := range all {
		if p != without {
			for truth := range c {
				for prediction := range c[truth] {
					sum[truth][prediction] += c[truth][prediction]
				}
			}
		}
	}
	return sum
}

package eval

import (
	"cmp"
	"math"
	"slices"
)

// discrete scores atoms as true or false: the truth is true from threshold on, and a prediction from decision on. A
// ratio whose denominator is 0 is 0. The representative is F1.
func discrete(s *Scored, threshold, decision float64) Result {
	var c confusion
	n := s.known(func(prediction, truth float64) { c[bit(truth >= threshold)][bit(prediction >= decision)]++ })
	return c.result(n)
}

// confusion counts atoms by truth, then by prediction.
type confusion [2][2]float64

// add counts atoms that are true with a probability, by what they are said to be.
func (c *confusion) add(probability float64, said int, count float64) {
	c[1][said] += count * probability
	c[0][said] += count * (1 - probability)
}

// result is what the discrete evaluator says of n atoms.
func (c *confusion) result(n int) Result {
	truePositive, trueNegative := c[1][1], c[0][0]
	falsePositive, falseNegative := c[0][1], c[1][0]
	return Result{Evaluator: "discrete", Count: n, Representative: 1, Values: []Value{
		share("Accuracy", truePositive+trueNegative, float64(n)),
		f1(truePositive, falsePositive+falseNegative),
		share("PositivePrecision", truePositive, truePositive+falsePositive),
		share("PositiveRecall", truePositive, truePositive+falseNegative),
		share("NegativePrecision", trueNegative, trueNegative+falseNegative),
		share("NegativeRecall", trueNegative, trueNegative+falsePositive),
	}}
}

// ratio is the number of result that stands at the place.
func (c *confusion) ratio(place int) float64 {
	hit, miss := c[1][1], c[0][0]
	switch place {
	case 0:
		return ratio(hit+miss, hit+miss+c[0][1]+c[1][0])
	case 1:
		return ratio(2*hit, 2*hit+c[0][1]+c[1][0])
	case 2:
		return ratio(hit, hit+c[0][1])
	case 3:
		return ratio(hit, hit+c[1][0])
	case 4:
		return ratio(miss, miss+c[1][0])
	}
	return ratio(miss, miss+c[0][1])
}

// Best is a threshold with the best value that an evaluation can have, and the threshold that it has by default.
type Best struct{ Threshold, Value, Default float64 }

// BestThreshold finds from which prediction on atoms had best count as true, by the representative value of the
// discrete evaluator; what is true keeps its threshold. It lies halfway between two predictions. The evaluation's own
// threshold stays if none is better. The options must be those of an evaluation that was no error.
func BestThreshold(options map[string]string, s *Scored) Best {
	o := optionReader{prefix: "discreteevaluator.", options: options}
	threshold := o.threshold()
	var atoms []chance
	s.known(func(prediction, truth float64) {
		atoms = append(atoms, chance{prediction, float64(bit(truth >= threshold))})
	})
	r := new(confusion).result(0)
	o.representative(&r)
	return bestCut(atoms, r.Representative, s.decision(threshold))
}

// chance is how probable it is that an atom with a prediction is true.
type chance struct{ prediction, probability float64 }

// bestCut finds the threshold, the default or another, whose expected confusion has the best ratio at a place.
func bestCut(atoms []chance, place int, byDefault float64) Best {
	atoms = slices.Clone(atoms)
	slices.SortStableFunc(atoms, func(a, b chance) int { return cmp.Compare(b.prediction, a.prediction) })
	var c, given confusion // of nothing being predicted, and of the default
	for _, a := range atoms {
		c.add(a.probability, 0, 1)
		given.add(a.probability, bit(a.prediction >= byDefault), 1)
	}
	best := Best{byDefault, given.ratio(place), byDefault}
	for k, a := range atoms {
		c.add(a.probability, 0, -1)
		c.add(a.probability, 1, 1)
		if k+1 < len(atoms) && atoms[k+1].prediction == a.prediction {
			continue
		}
		if value := c.ratio(place); value > best.Value {
			best.Threshold, best.Value = a.prediction, value
			if k+1 < len(atoms) {
				best.Threshold = between(atoms[k+1].prediction, a.prediction)
			}
		}
	}
	return best
}

// between is halfway from low to high, and above low however near they are.
func between(low, high float64) float64 {
	if middle := low + (high-low)/2; middle > low {
		return middle
	}
	return high
}

// bit makes an index of a truth value.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ratio is a/b, or 0 where nothing is counted, so that no undefined score guides learning.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// continuous measures how far predictions are from the truth. The representative is the mean squared error.
func continuous(s *Scored) Result {
	var absolute, squared, fourth float64
	n := s.known(func(prediction, truth float64) {
		square := (prediction - truth) * (prediction - truth)
		absolute += math.Abs(prediction - truth)
		squared += square
		fourth += square * square
	})
	mse := mean("MSE", squared, fourth, float64(n))
	rmse := Value{Name: "RMSE", Number: math.Sqrt(mse.Number), LowerIsBetter: true}
	for k, bound := range mse.Interval {
		rmse.Interval[k] = math.Sqrt(bound)
	}
	return Result{Evaluator: "continuous", Count: n, Representative: 1, Values: []Value{
		mean("MAE", absolute, squared, float64(n)), mse, rmse,
	}}
}

// auc measures how well predictions rank true atoms, those with a truth from threshold on, before false ones: the area
// under the receiver operating characteristic, and the average precision of either class. Atoms of equal prediction
// count as one step of a curve, so that their order has no influence. An area is NaN without true or false atoms.
// The representative is AUROC.
func auc(s *Scored, threshold float64) Result {
	var ranking []ranked
	n := s.known(func(prediction, truth float64) {
		ranking = append(ranking, ranked{prediction, truth >= threshold})
	})
	slices.SortFunc(ranking, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	roc, positive := curves(ranking)
	slices.Reverse(ranking)
	for k := range ranking {
		ranking[k].relevant = !ranking[k].relevant
	}
	_, negative := curves(ranking)
	falses := 0.0
	for _, atom := range ranking {
		falses += float64(bit(atom.relevant))
	}
	trues := float64(n) - falses
	return Result{Evaluator: "auc", Count: n, Values: []Value{
		{Name: "AUROC", Number: roc, Interval: rocInterval(roc, trues, falses)},
		{Name: "PositiveAUPRC", Number: positive, Interval: precisionInterval(positive, trues)},
		{Name: "NegativeAUPRC", Number: negative, Interval: precisionInterval(negative, falses)},
	}}
}

// ranked is an atom of a ranking.
type ranked struct {
	score    float64
	relevant bool
}

// curves walks down a ranking once and returns the area under the ROC curve, by trapezoids, and the average precision
// Σ (R_k - R_{k-1}) P_k. Linear interpolation would be wrong between precisions (Davis and Goadrich 2006).
func curves(ranking []ranked) (roc, precision float64) {
	var hits, misses, area, sum float64
	for k := 0; k < len(ranking); {
		oldHits, oldMisses := hits, misses
		for step := ranking[k].score; k < len(ranking) && cmp.Compare(ranking[k].score, step) == 0; k++ {
			if ranking[k].relevant {
				hits++
			} else {
				misses++
			}
		}
		area += (misses - oldMisses) * (hits + oldHits) / 2
		sum += (hits - oldHits) * hits / (hits + misses)
	}
	return area / (hits * misses), sum / hits
}

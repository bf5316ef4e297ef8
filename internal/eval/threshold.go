package eval

import (
	"math"
	"slices"
)

// fewestSides is how many labels that are true, and how many that are false, tell a threshold.
const fewestSides = 5

// plainlyBetter is the least gain for which a threshold is learned.
const plainlyBetter = 0.01

// LearnThreshold finds from which prediction on atoms had best count as true, where atoms of the same kind are to be
// decided whose truth is not known: where the value that the evaluation is expected to have is best, if predictions are
// as right as a curve says that is fitted to the labels. The best value on the labels themselves says less: of few that
// are true, one more or less moves it far. The labels are dealt into parts, -1 being none: each is decided by the
// threshold that the others tell, and if that is not plainly better than the options' own threshold, it returns false.
// The options must be those of an evaluation that was no error.
func LearnThreshold(options map[string]string, s *Scored, part []int) (threshold float64, better bool) {
	o := optionReader{prefix: "discreteevaluator.", options: options}
	own := o.threshold()
	r := new(confusion).result(0)
	o.representative(&r)
	if name := r.Primary().Name; name != "F1" && name != "Accuracy" {
		return own, false // of precision or recall alone, all or nothing is best
	}
	var labels []label
	parts := 0
	for k, truth := range s.Truth {
		if !math.IsNaN(truth) {
			labels = append(labels, label{s.Prediction[k], bit(truth >= own), part[k]})
			parts = max(parts, part[k]+1)
		}
	}
	if sides := countSides(labels); min(sides[0], sides[1]) < fewestSides || parts < 2 {
		return own, false
	}
	var learned, given confusion
	for p := range parts {
		cut := expectedCut(labels, p, r.Representative, own)
		for _, l := range labels {
			if l.part == p {
				learned[l.truth][bit(l.prediction >= cut)]++
				given[l.truth][bit(l.prediction >= own)]++
			}
		}
	}
	better = learned.ratio(r.Representative)-given.ratio(r.Representative) > plainlyBetter
	return expectedCut(labels, noPart, r.Representative, own), better
}

// TellsThreshold tells whether there are labels enough for a threshold.
func TellsThreshold(truth []float64) bool {
	var sides [2]int
	for _, t := range truth {
		sides[bit(t >= DefaultThreshold)]++
	}
	return min(sides[0], sides[1]) >= fewestSides
}

// label is an atom whose truth is known.
type label struct {
	prediction  float64
	truth, part int
}

// noPart is no label's part: those of -1 are in none, and tell thresholds as all others do.
const noPart = -2

// countSides counts the labels that are false and those that are true.
func countSides(labels []label) (sides [2]int) {
	for _, l := range labels {
		sides[l.truth]++
	}
	return sides
}

// expectedCut is the threshold with the best expected value, by all labels but those of a part.
func expectedCut(labels []label, part, place int, own float64) float64 {
	rest := slices.DeleteFunc(slices.Clone(labels), func(l label) bool { return l.part == part })
	c := calibrate(rest)
	if c.slope <= 0 {
		return own
	}
	atoms := make([]chance, len(rest))
	for k, l := range rest {
		atoms[k] = chance{l.prediction, c.probability(l.prediction)}
	}
	return bestCut(atoms, place, own).Threshold
}

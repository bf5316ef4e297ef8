package learn

import "math"

// temperatures are the exponents that values are raised to before they are compared.
var temperatures = []float64{0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8}

// leastValue bounds values from below, so that one wrong label does not decide alone.
const leastValue = 1e-3

// Refined returns what a state says about the labels however sure it is of it: the mean cross-entropy over entities,
// at the temperature that makes it least. Training end to end makes values sharper, and rules make them blunter;
// neither makes an answer right. The values of an entity with several labels, if these have one true class, are taken
// as shares of their sum; any other label is taken by itself.
func (l *Labels) Refined(y []float64) float64 {
	groups := l.choices()
	least := math.Inf(1)
	for _, exponent := range temperatures {
		sum, n := 0.0, 0
		for _, group := range groups {
			if group.choice {
				sum -= math.Log(l.share(y, group.labels, exponent))
				n++
				continue
			}
			for _, k := range group.labels {
				sum += binary(l.Truth[k], y[l.Variables[k]], exponent)
				n++
			}
		}
		least = math.Min(least, sum/float64(max(1, n)))
	}
	return least
}

// entityLabels are the labels of an entity, by their places; choice tells whether one class is true, and no other.
type entityLabels struct {
	labels []int
	choice bool
}

// choices groups the labels by their entities, in the order of the labels.
func (l *Labels) choices() []entityLabels {
	var groups []entityLabels
	place := make(map[int32]int)
	for k, entity := range l.Entities {
		at, seen := place[entity]
		if !seen {
			at = len(groups)
			place[entity] = at
			groups = append(groups, entityLabels{})
		}
		groups[at].labels = append(groups[at].labels, k)
	}
	for g := range groups {
		sum, most := 0.0, 0.0
		for _, k := range groups[g].labels {
			sum += l.Truth[k]
			most = math.Max(most, l.Truth[k])
			if l.Classes[k] == NoClass {
				most = 2 // each is by itself
			}
		}
		groups[g].choice = len(groups[g].labels) > 1 && most == 1 && sum == 1
	}
	return groups
}

// share returns the share of the true class in an entity's values.
func (l *Labels) share(y []float64, labels []int, exponent float64) float64 {
	sum, right := 0.0, 0.0
	for _, k := range labels {
		v := math.Pow(math.Max(y[l.Variables[k]], leastValue), exponent)
		sum += v
		right += l.Truth[k] * v
	}
	return right / sum
}

// binary returns the cross-entropy of one label.
func binary(truth, y, exponent float64) float64 {
	yes := math.Pow(math.Max(y, leastValue), exponent)
	no := math.Pow(math.Max(1-y, leastValue), exponent)
	return -truth*math.Log(yes/(yes+no)) - (1-truth)*math.Log(no/(yes+no))
}

package label

import (
	"cmp"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// temperatures are the exponents that values are raised to before they are compared.
var temperatures = [...]float64{0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8, 11, 16, 23, 32}

// plain is the place of the temperature that leaves values as they are.
const plain = 4

// leastValue bounds values from below.
const leastValue = 1e-3

// doubt is the share of labels that are taken to be wrong by chance: one that is missed then does not decide alone, and
// a few that are all met do not seem to be met with certainty.
const doubt = 0.02

// doubted returns the probability of a label under doubt, one of so many classes.
func doubted(p float64, classes int) float64 { return (1-doubt)*p + doubt/float64(classes) }

// A Verdict is what states say about labels that were held out, however sure they are of it: the cross-entropy of each
// entity, at the temperature that makes their mean least. Training end to end makes values sharper, and rules make them
// blunter; neither makes an answer right. The values of an entity with several labels, if these have one true class,
// are taken as shares of their sum; any other label is taken by itself, and by its distance where labels are degrees.
type Verdict struct {
	losses [len(temperatures)][]float64 // by entity
	right  int
	often  map[int32]int // how often each class is the true one, of entities that have one
}

// Judge returns the verdict of the labels on a state.
func (l *Labels) Judge(y []float64) Verdict {
	groups := l.Groups()
	v := Verdict{often: make(map[int32]int)}
	degrees, variance := l.Degrees(), l.variance()
	for _, group := range groups {
		v.right += l.right(y, group)
		if group.Choice {
			v.often[l.Classes[group.Told(l.Truth)]]++
		}
	}
	for t, exponent := range temperatures {
		for _, group := range groups {
			if group.Choice {
				share := doubted(l.share(y, group.Labels, exponent), len(group.Labels))
				v.losses[t] = append(v.losses[t], -math.Log(share))
				continue
			}
			for _, k := range group.Labels {
				truth, value := l.Truth[k], y[l.Variables[k]]
				if degrees {
					v.losses[t] = append(v.losses[t], normal(value-truth, variance, exponent))
				} else {
					v.losses[t] = append(v.losses[t], binary(truth, value, exponent))
				}
			}
		}
	}
	return v
}

// JudgeLikely returns the verdict on what is true, by how likely each is said to be.
func JudgeLikely(likely []float64) Verdict {
	v := Verdict{often: make(map[int32]int)}
	for _, p := range likely {
		for t, exponent := range temperatures {
			v.losses[t] = append(v.losses[t], binary(1, p, exponent))
		}
		if p > 0.5 {
			v.right++
		}
	}
	return v
}

// OfSides tells whether each label is by itself and true or false, so that only the side of a half counts that values
// are on.
func (l *Labels) OfSides() bool { return l.single() && !l.Degrees() }

// Coupled tells whether each label that is not true is of an entity one of whose classes is: then the true ones say it
// all.
func (l *Labels) Coupled() bool {
	for _, group := range l.Groups() {
		if !group.Choice && slices.ContainsFunc(group.Labels, func(k int) bool { return l.Truth[k] < 1 }) {
			return false
		}
	}
	return true
}

// single tells whether each label is by itself.
func (l *Labels) single() bool {
	for _, group := range l.Groups() {
		if group.Choice {
			return false
		}
	}
	return len(l.Entities) > 0
}

// Refined returns the mean loss of a verdict at a temperature, and writes its derivative.
func (l *Labels) Refined(y []float64, exponent float64, slope []float64) float64 {
	clear(slope)
	groups, degrees, variance := l.Groups(), l.Degrees(), l.variance()
	count, sum := 0.0, 0.0
	for _, group := range groups {
		if group.Choice {
			sum -= math.Log(doubted(l.share(y, group.Labels, exponent), len(group.Labels)))
			l.shareSlope(y, group.Labels, exponent, slope)
			count++
			continue
		}
		for _, k := range group.Labels {
			i, truth := l.Variables[k], l.Truth[k]
			if degrees {
				sum += normal(y[i]-truth, variance, exponent)
				slope[i] += exponent * (y[i] - truth) / variance
			} else {
				sum += binary(truth, y[i], exponent)
				slope[i] += binarySlope(truth, y[i], exponent)
			}
			count++
		}
	}
	for i := range slope {
		slope[i] /= count
	}
	return sum / count
}

// right counts what is told right of an entity: 1 if its true class alone has the highest value, or labels whose values
// are on the side of ½ that the truth is on.
func (l *Labels) right(y []float64, group Group) int {
	count, best, rivals := 0, 0.0, 0.0
	for _, k := range group.Labels {
		v := y[l.Variables[k]]
		if (v > 0.5) == (l.Truth[k] > 0.5) {
			count++
		}
		if l.Truth[k] == 1 {
			best = v
		} else {
			rivals = max(rivals, v)
		}
	}
	switch {
	case !group.Choice:
		return count
	case best > rivals:
		return 1
	}
	return 0
}

// Right counts the entities, or labels, that are told right.
func (v Verdict) Right() int { return v.right }

// Together returns the verdict on all that several are about: they share one temperature.
func Together(verdicts ...Verdict) Verdict {
	all := Verdict{often: make(map[int32]int)}
	for _, v := range verdicts {
		all.right += v.right
		for class, count := range v.often {
			all.often[class] += count
		}
		for t, losses := range v.losses {
			all.losses[t] = append(all.losses[t], losses...)
		}
	}
	return all
}

// Loss returns the mean over the entities.
func (v Verdict) Loss() float64 { return mean(v.least()) }

// Entities counts what it is about.
func (v Verdict) Entities() int { return len(v.losses[0]) }

// fewEntities is the number of entities below which a verdict is not called a guess.
const fewEntities = 20

// Guesses tells whether it is no better than a guess, where each entity has one class.
func (v Verdict) Guesses() bool {
	t := Count(v.often)
	return t.Labels >= max(fewEntities, v.Entities()) && t.Guessed(v.right)
}

// noLikelier is the share of the entropy of how frequent classes are from which on a loss tells no more than that.
const noLikelier = 0.95

// Chance tells whether it is about entities with one class each, of which no more are told right than by always saying
// the most frequent one, and none is likelier than by how frequent they are.
func (v Verdict) Chance() (t Tally, chance bool) {
	t = Count(v.often)
	if !v.Guesses() {
		return t, false
	}
	entropy := 0.0
	for _, count := range v.often {
		share := float64(count) / float64(t.Labels)
		entropy -= share * math.Log(share)
	}
	return t, v.Loss() >= noLikelier*entropy
}

// Exponent is the temperature at which the mean is least.
func (v Verdict) Exponent() float64 {
	best := 0
	for t := range v.losses {
		if mean(v.losses[t]) < mean(v.losses[best]) {
			best = t
		}
	}
	return temperatures[best]
}

// least returns the losses at the temperature whose mean is least.
func (v Verdict) least() []float64 {
	return slices.MinFunc(v.losses[:], func(a, b []float64) int { return cmp.Compare(mean(a), mean(b)) })
}

// Trifle is a gain that means nothing, however sure it is.
const Trifle = 0.01

// Beats tells whether a verdict is better than another on the same entities by more than some standard errors, and than
// a trifle. The entity that gains most does not count: one that comes out right by luck is not to decide.
func (v Verdict) Beats(other Verdict, errors float64) bool {
	gain, deviation := v.Gain(other)
	return gain > max(errors*deviation, Trifle)
}

// Better tells whether a verdict is better than another on the same entities by more than some standard errors, however
// little that is, and no worse by values as they are: being less sure than labels bear out is forgiven by temperatures
// alone. All entities count: where few labels are true, a gain lies with these.
func (v Verdict) Better(other Verdict, errors float64) bool {
	gains := v.gains(other)
	return len(gains) > 0 && stat.Mean(gains) > errors*stat.StandardError(gains) &&
		mean(v.losses[plain]) <= mean(other.losses[plain])
}

// gains returns by how much a verdict is better than another, entity by entity.
func (v Verdict) gains(other Verdict) []float64 {
	gains := slices.Clone(other.least())
	for k, loss := range v.least() {
		gains[k] -= loss
	}
	return gains
}

// Gain returns by how much a verdict is better than another on the same entities, in the mean over all but the one that
// gains most, and the standard error of that; 0 and 0 of fewer than three.
func (v Verdict) Gain(other Verdict) (gain, deviation float64) {
	gains := v.gains(other)
	slices.Sort(gains)
	if len(gains) < 3 {
		return 0, 0
	}
	gains = gains[:len(gains)-1]
	return stat.Mean(gains), stat.StandardError(gains)
}

// mean returns the mean, or 0 of nothing.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stat.Mean(values)
}

// Group is the labels of an entity.
type Group struct {
	Labels []int // their places
	Choice bool  // one class is true, and no other
}

// Told returns the place of the label of a choice that is true.
func (g Group) Told(truth []float64) int {
	return g.Labels[slices.IndexFunc(g.Labels, func(k int) bool { return truth[k] == 1 })]
}

// Groups groups the labels by their entities, in the order of the labels.
func (l *Labels) Groups() []Group {
	var groups []Group
	place := make(map[int32]int)
	for k, entity := range l.Entities {
		at, seen := place[entity]
		if !seen {
			at = len(groups)
			place[entity] = at
			groups = append(groups, Group{})
		}
		groups[at].Labels = append(groups[at].Labels, k)
	}
	for g := range groups {
		sum, most := 0.0, 0.0
		for _, k := range groups[g].Labels {
			sum += l.Truth[k]
			most = math.Max(most, l.Truth[k])
			if l.Classes[k] == NoClass {
				most = 2 // each is by itself
			}
		}
		groups[g].Choice = len(groups[g].Labels) > 1 && most == 1 && sum == 1
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

// shareSlope adds the derivative of the loss of a group's share.
func (l *Labels) shareSlope(y []float64, labels []int, exponent float64, slope []float64) {
	right := l.share(y, labels, exponent)
	sum := 0.0
	for _, k := range labels {
		sum += math.Pow(math.Max(y[l.Variables[k]], leastValue), exponent)
	}
	scale := exponent * (1 - doubt) / doubted(right, len(labels))
	for _, k := range labels {
		if v := y[l.Variables[k]]; v > leastValue {
			slope[l.Variables[k]] -= scale / v * math.Pow(v, exponent) / sum * (l.Truth[k] - right)
		}
	}
}

// binary returns the cross-entropy of one label.
func binary(truth, y, exponent float64) float64 {
	yes := math.Pow(math.Max(y, leastValue), exponent)
	no := math.Pow(math.Max(1-y, leastValue), exponent)
	return -truth*math.Log(doubted(yes/(yes+no), 2)) - (1-truth)*math.Log(doubted(no/(yes+no), 2))
}

// binarySlope is the derivative of binary by y.
func binarySlope(truth, y, exponent float64) float64 {
	yes := math.Pow(math.Max(y, leastValue), exponent)
	no := math.Pow(math.Max(1-y, leastValue), exponent)
	yes, no = yes/(yes+no), no/(yes+no)
	by := 0.0 // the derivative of log yes/no
	if y > leastValue {
		by += exponent / y
	}
	if 1-y > leastValue {
		by += exponent / (1 - y)
	}
	return (1 - doubt) * yes * no * by * ((1-truth)/doubted(no, 2) - truth/doubted(yes, 2))
}

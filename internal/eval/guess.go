package eval

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// Guess is the representative value of an evaluation at the best answer that looks at nothing: the same value for all
// atoms, or of categories how often each is right, but one of a thing's by lot where things have categories of their
// own; F1 at one that calls as many atoms true as the answer, but draws them by lot. It is NaN without a known truth.
// Name and options must be those of an evaluation that was no error.
func Guess(name string, options map[string]string, s *Scored) float64 {
	if r, err := Evaluate(name, options, s); err == nil && r.Primary().Name == "F1" {
		o := optionReader{prefix: "discreteevaluator.", options: options}
		return s.lot(o.threshold())
	}
	var known []float64
	s.known(func(_, truth float64) { known = append(known, truth) })
	if len(known) == 0 {
		return math.NaN()
	}
	if name == "categorical" {
		if drawn, own := s.drawn(options); own {
			return drawn
		}
	}
	slices.Sort(known)
	best := math.NaN()
	for _, same := range []float64{0, 1, stat.Mean(known), known[len(known)/2]} {
		blind := *s
		blind.Decision, blind.Prediction = 0, slices.Repeat([]float64{same}, len(s.Prediction))
		if name == "categorical" {
			blind.Prediction = s.frequencies(options)
		}
		r, err := Evaluate(name, options, &blind)
		if err != nil {
			return math.NaN()
		}
		value := r.Primary()
		if better := value.Number > best; math.IsNaN(best) || better != value.LowerIsBetter && value.Number != best {
			best = value.Number
		}
	}
	return best
}

// lot is the F1 that as many true atoms have by lot: of both shares, the harmonic mean.
func (s *Scored) lot(threshold float64) float64 {
	said, right := 0.0, 0.0
	n := s.known(func(prediction, truth float64) {
		said += float64(bit(prediction >= s.decision(threshold)))
		right += float64(bit(truth >= threshold))
	})
	return ratio(2*said*right, (said+right)*float64(n))
}

// drawn is how often one of a thing's categories is right that is drawn by lot, and tells whether things have
// categories of their own, none of which half of them have: as of words that depend on words of the same sentence, how
// often such a category is right is known of the very things that it is right of.
func (s *Scored) drawn(options map[string]string) (right float64, own bool) {
	categories := s.categories(options)
	things, classes := newGroups(), newGroups()
	var candidates, chosen, having []float64 // by thing, by thing, by class
	for k, truth := range s.Truth {
		thing := things.number(s.pick(k, func(argument int) bool { return !slices.Contains(categories, argument) }))
		class := classes.number(s.pick(k, func(argument int) bool { return slices.Contains(categories, argument) }))
		if thing == len(candidates) {
			candidates, chosen = append(candidates, 0), append(chosen, 0)
		}
		if class == len(having) {
			having = append(having, 0)
		}
		candidates[thing]++
		having[class]++
		chosen[thing] += float64(bit(truth > 0.5))
	}
	sum, total := 0.0, 0.0
	for thing, n := range candidates {
		sum += chosen[thing] / n
		total += chosen[thing]
	}
	return ratio(sum, total), 2*slices.Max(having) < float64(len(candidates))
}

// categories are the arguments that name the category.
func (s *Scored) categories(options map[string]string) []int {
	o := optionReader{prefix: "categoricalevaluator.", options: options}
	return o.categories(s.arity())
}

// frequencies says of each atom how often its category is right.
func (s *Scored) frequencies(options map[string]string) []float64 {
	categories, classes := s.categories(options), newGroups()
	class := make([]int, len(s.Rows))
	count := make([]float64, len(s.Rows))
	for k := range s.Rows {
		class[k] = classes.number(s.pick(k, func(argument int) bool { return slices.Contains(categories, argument) }))
		if s.Truth[k] > 0.5 {
			count[class[k]]++
		}
	}
	out := make([]float64, len(s.Rows))
	for k := range out {
		out[k] = count[class[k]] / float64(len(s.Rows))
	}
	return out
}

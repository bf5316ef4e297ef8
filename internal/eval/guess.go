package eval

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// Guess is the representative value of an evaluation at the best answer that looks at nothing: the same value for all
// atoms, or of categories how often each is right. It is NaN without a known truth. Name and options must be those of
// an evaluation that was no error.
func Guess(name string, options map[string]string, s *Scored) float64 {
	var known []float64
	s.known(func(_, truth float64) { known = append(known, truth) })
	if len(known) == 0 {
		return math.NaN()
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

// frequencies says of each atom how often its category is right.
func (s *Scored) frequencies(options map[string]string) []float64 {
	o := optionReader{prefix: "categoricalevaluator.", options: options}
	categories := o.categories(s.arity())
	classes := newGroups()
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

package eval

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Rarest says how well the category that the fewest objects have is told from all others by the values of its atoms. An
// object of a rare category may have more of it than the others have, and still more of a common one: where none is
// chosen, accuracy does not tell whether they could be found.
type Rarest struct {
	Category []symbol.ID
	Share    float64 // of the objects
	AUROC    Value
	// Best is the value from which objects had best be taken to be of the category, by F1.
	Best Best
}

// rare is the share of the objects up to which a category is rare.
const rare = 0.1

// RarestCategory looks at the answer of a categorical evaluation, whose options must be those of one that was no error.
// It returns nil if no category is rare, and if the rarest is that of nothing else, as of things with candidates of
// their own.
func RarestCategory(options map[string]string, s *Scored) *Rarest {
	o := optionReader{prefix: "categoricalevaluator.", options: options}
	categories := o.categories(s.arity())
	isCategory := func(argument int) bool { return slices.Contains(categories, argument) }
	isObject := func(argument int) bool { return !isCategory(argument) }
	classes, objects := newGroups(), newGroups()
	var count, sample []int // by class: its objects, and one of its atoms
	right := make(map[int]int)
	for k, truth := range s.Truth {
		if !(truth > 0.5) {
			continue
		}
		class := classes.number(s.pick(k, isCategory))
		if class == len(count) {
			count, sample = append(count, 0), append(sample, k)
		}
		count[class]++
		right[objects.number(s.pick(k, isObject))] = class
	}
	if len(count) < 2 || float64(slices.Min(count)) > rare*float64(len(right)) {
		return nil
	}
	rarest := slices.Index(count, slices.Min(count))
	part := &Scored{Atoms: s.Atoms}
	for k, row := range s.Rows {
		class, scored := right[objects.number(s.pick(k, isObject))]
		if !scored || classes.number(s.pick(k, isCategory)) != rarest || math.IsNaN(s.Prediction[k]) {
			continue
		}
		part.Rows, part.Prediction = append(part.Rows, row), append(part.Prediction, s.Prediction[k])
		part.Truth = append(part.Truth, float64(bit(class == rarest)))
	}
	if !slices.Contains(part.Truth, 0) {
		return nil
	}
	return &Rarest{Category: s.pick(sample[rarest], isCategory), Share: float64(count[rarest]) / float64(len(right)),
		AUROC: auc(part, 0.5).Primary(), Best: BestThreshold(nil, part)}
}

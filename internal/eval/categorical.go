package eval

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// categorical scores the choice of one category per object. categories are the arguments that name the category; the
// others name the object. The prediction is an object's atom of the highest value, the first one if several are, and an
// atom with a truth above 0.5 says the right category. Objects without such an atom are not scored.
//
// Accuracy is the share of right predictions, ClassAveragedAccuracy the mean over the categories of each one's share.
// The representative is Accuracy.
func categorical(s *Scored, categories ...int) Result {
	best := s.best(categories)
	var right, total float64
	classes := newGroups()
	var rightOf, totalOf []float64
	for k, truth := range s.Truth {
		if !(truth > 0.5) {
			continue
		}
		total++
		class := classes.number(s.pick(k, func(argument int) bool { return slices.Contains(categories, argument) }))
		if class == len(totalOf) {
			rightOf, totalOf = append(rightOf, 0), append(totalOf, 0)
		}
		totalOf[class]++
		if best[k] {
			right++
			rightOf[class]++
		}
	}
	return Result{Evaluator: "categorical", Count: int(total), Values: []Value{
		share("Accuracy", right, total), classAverage(rightOf, totalOf),
	}}
}

// classAverage is the mean of the classes' shares. Its interval comes from Wilson's of each: what they reach below and
// above the shares is squared and added up (Zou and Donner 2008), so that it has a width where all of a class is right.
func classAverage(right, total []float64) Value {
	average, below, above := 0.0, 0.0, 0.0
	classes := float64(len(total))
	for class, n := range total {
		p, interval := right[class]/n, wilson(right[class], n)
		average += p / classes
		below += (p - interval[0]) * (p - interval[0])
		above += (interval[1] - p) * (interval[1] - p)
	}
	return Value{Name: "ClassAveragedAccuracy", Number: average,
		Interval: [2]float64{average - math.Sqrt(below)/classes, average + math.Sqrt(above)/classes}}
}

// best marks the atom of each object that has the highest prediction.
func (s *Scored) best(categories []int) []bool {
	objects := newGroups()
	var winner []int // by object
	for k := range s.Rows {
		object := objects.number(s.pick(k, func(argument int) bool { return !slices.Contains(categories, argument) }))
		if object == len(winner) {
			winner = append(winner, k)
		} else if s.Prediction[k] > s.Prediction[winner[object]] {
			winner[object] = k
		}
	}
	best := make([]bool, len(s.Rows))
	for _, k := range winner {
		best[k] = true
	}
	return best
}

// pick returns the arguments of the k-th scored atom that keep wants.
func (s *Scored) pick(k int, keep func(argument int) bool) (out []symbol.ID) {
	for argument, column := range s.Atoms.Columns {
		if keep(argument) {
			out = append(out, column[s.Rows[k]])
		}
	}
	return out
}

// groups numbers lists of symbols in the order of their first appearance.
type groups map[string]int

func newGroups() groups { return make(groups) }

// number returns the number of a list, giving it the next one if it is new.
func (g groups) number(ids []symbol.ID) int {
	key := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		key = append(key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	if n, ok := g[string(key)]; ok {
		return n
	}
	g[string(key)] = len(g)
	return len(g) - 1
}

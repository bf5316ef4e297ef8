// Package label is what is known to be true: how far values are from it, and whether one state tells it better than
// another.
package label

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/named"
)

// Labels are the known true values ŷ of some variables.
type Labels struct {
	Variables []int32   // which variables are labelled, mostly each once
	Truth     []float64 // their true values, in [0,1]
	// Entities and Classes say what each label is about and which class it speaks of, so that labels can be held out
	// entity by entity: the numbers of constants, or NoClass. Both are nil where nobody divides.
	Entities, Classes []int32
	// Losses are those of each label, where they differ; nil if all have the one that is asked for.
	Losses []LossKind
}

// NoClass is the class of a label that speaks of none, but says how true something is of its entity.
const NoClass int32 = -1

// Join returns these labels and what others say about further variables. Entities and Classes are left behind unless
// both have them.
func (l *Labels) Join(others *Labels) *Labels {
	known := make(map[int32]bool, len(l.Variables))
	for _, i := range l.Variables {
		known[i] = true
	}
	all := &Labels{Variables: slices.Clone(l.Variables), Truth: slices.Clone(l.Truth)}
	divided := len(l.Entities) == len(l.Variables) && len(others.Entities) == len(others.Variables)
	if divided {
		all.Entities, all.Classes = slices.Clone(l.Entities), slices.Clone(l.Classes)
	}
	for k, i := range others.Variables {
		if known[i] {
			continue
		}
		all.Variables, all.Truth = append(all.Variables, i), append(all.Truth, others.Truth[k])
		if divided {
			all.Entities, all.Classes = append(all.Entities, others.Entities[k]), append(all.Classes, others.Classes[k])
		}
	}
	return all
}

// Loss measures how far inferred values are from the labels: L(ŷ, y) of the paper's eq. eqn_cel. Every loss is a mean
// over the labels, so that learning rates do not depend on how many there are.
type Loss struct {
	Kind LossKind
	// Floor bounds the logarithm's argument from below: under it, -log goes on as its tangent, convex, differentiable and
	// no steeper than 1/Floor. Without it a label that is inferred as 0 has an infinite gradient.
	Floor float64
	// Exponent, if it is not 0, makes the binary cross-entropy one of yᵉ/(yᵉ + (1-y)ᵉ): what is on the right side of a
	// half need not get near 0 or 1.
	Exponent float64
}

// LossKind names a loss.
type LossKind uint8

const (
	// CrossEntropy is the categorical cross-entropy -Σ ŷ log y, divided by Σ ŷ. False labels (ŷ = 0) do not contribute:
	// the program's summation constraint couples them with the true ones.
	CrossEntropy LossKind = iota
	// BinaryCrossEntropy is -Σ [ŷ log y + (1-ŷ) log(1-y)], divided by the number of labels.
	BinaryCrossEntropy
	// SquaredError is Σ (y-ŷ)², divided by the number of labels.
	SquaredError
)

// DefaultFloor is the floor for losses of inferred values, and TinyFloor the one for losses of a network's own outputs,
// where the derivative of the softmax cancels the large slope.
const (
	DefaultFloor = 1e-2
	TinyFloor    = 1e-12
)

// LossInfo is a row of the registry of losses.
type LossInfo struct {
	Name string
	Doc  string // what it is, in a few words
	// Term returns the loss of one label and its derivative in y; the Loss has the floor.
	Term func(l Loss, truth, y float64) (value, slope float64)
	// Mass returns what the sum over the labels is divided by, if it is at least 1.
	Mass func(truth []float64) float64
}

// losses is the registry of losses, by LossKind.
var losses = []LossInfo{
	CrossEntropy: {"cross-entropy", "of true labels alone, whose classes rules couple with the false ones",
		func(l Loss, truth, y float64) (value, slope float64) {
			value, slope = l.negativeLog(y)
			return truth * value, truth * slope
		}, sum},
	BinaryCrossEntropy: {"binary-cross-entropy", "of each label by itself",
		func(l Loss, truth, y float64) (value, slope float64) {
			if l.Exponent > 0 {
				return l.ofSide(truth, y)
			}
			yes, up := l.negativeLog(y)
			no, down := l.negativeLog(1 - y)
			return truth*yes + (1-truth)*no, truth*up - (1-truth)*down
		}, count},
	SquaredError: {"squared-error", "the squared distance",
		func(_ Loss, truth, y float64) (value, slope float64) {
			return (y - truth) * (y - truth), 2 * (y - truth)
		}, count},
}

// Losses returns the registry.
func Losses() []LossInfo { return slices.Clone(losses) }

// RegisterLoss adds a loss. It is called when packages are initialised.
func RegisterLoss(row LossInfo) LossKind {
	losses = append(losses, row)
	return LossKind(len(losses) - 1)
}

// String returns the kind's name as configurations write it.
func (k LossKind) String() string { return losses[k].Name }

// ParseLoss returns the kind of loss with the given name.
func ParseLoss(name string) (LossKind, error) { return named.Of[LossKind](len(losses), name) }

// Value returns L(ŷ, y).
func (l Loss) Value(labels *Labels, y []float64) float64 {
	sum := 0.0
	for k, i := range labels.Variables {
		value, _ := l.of(labels, k).term(labels.Truth[k], y[i])
		sum += value
	}
	return sum / l.Mass(labels)
}

// Least returns a bound from below of what Value can be: that of values which are the truth, of degrees their entropy.
func (l Loss) Least(labels *Labels) float64 {
	sum := 0.0
	for k, truth := range labels.Truth {
		value, _ := l.of(labels, k).term(truth, truth)
		sum += value
	}
	return sum / l.Mass(labels)
}

// of is the loss of a label.
func (l Loss) of(labels *Labels, k int) Loss {
	if labels.Losses != nil {
		l.Kind = labels.Losses[k]
	}
	return l
}

// Gradient writes ∇_y L(ŷ, y) into g, which has one entry per variable, and returns L(ŷ, y).
func (l Loss) Gradient(labels *Labels, y, g []float64) float64 {
	clear(g)
	sum, mass := 0.0, l.Mass(labels)
	for k, i := range labels.Variables {
		value, slope := l.of(labels, k).term(labels.Truth[k], y[i])
		sum += value
		g[i] += slope / mass
	}
	return sum / mass
}

// term returns the loss of one label and its derivative in y.
func (l Loss) term(truth, y float64) (value, slope float64) { return losses[l.Kind].Term(l, truth, y) }

// ofSide returns the binary cross-entropy of one label at a temperature, and its derivative in y.
func (l Loss) ofSide(truth, y float64) (value, slope float64) {
	v := min(max(y, l.Floor), 1-l.Floor)
	p := 1 / (1 + math.Pow((1-v)/v, l.Exponent))
	value = -truth*math.Log(max(p, TinyFloor)) - (1-truth)*math.Log(max(1-p, TinyFloor))
	return value, (p - truth) * l.Exponent / (v * (1 - v))
}

// negativeLog returns -log v and its derivative, with the tangent below the floor.
func (l Loss) negativeLog(v float64) (value, slope float64) {
	if v < l.Floor {
		return -math.Log(l.Floor) + (l.Floor-v)/l.Floor, -1 / l.Floor
	}
	return -math.Log(v), -1 / v
}

// Mass is what the sum over the labels is divided by.
func (l Loss) Mass(labels *Labels) float64 {
	if labels.Losses == nil {
		return math.Max(1, losses[l.Kind].Mass(labels.Truth))
	}
	mass := 0.0
	for kind := range losses {
		var truth []float64
		for k, own := range labels.Losses {
			if own == LossKind(kind) {
				truth = append(truth, labels.Truth[k])
			}
		}
		mass += losses[kind].Mass(truth)
	}
	return math.Max(1, mass)
}

func count(truth []float64) float64 { return float64(len(truth)) }

func sum(truth []float64) (sum float64) {
	for _, t := range truth {
		sum += t
	}
	return sum
}

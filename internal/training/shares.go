package training

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// unseen is how many more labels of each class than there are are taken for seen, to tell how common it is.
const unseen = 5

// share lets networks that have been fitted to few labels see classes as often, in the mean over all things, as they
// are likely to be common: as often as among the labels, and a few more of each class. Rules that relate things make
// them alike, until all are near that mean, and then its largest class is the answer to all (class mass normalisation;
// Zhu, Ghahramani and Lafferty, ICML 2003).
func (g *learner) share(labels *label.Labels, training *Training) error {
	leant := false
	for _, l := range g.leanings(labels, training.Chosen.Perceived) {
		leant = g.Networks.System.Lean(l.network, l.by) || leant
	}
	if !leant {
		return nil
	}
	if err := g.Perceive(); err != nil {
		return err
	}
	copy(training.Chosen.Perceived, g.Inputs)
	return nil
}

// lean is what is added to the logits of all things that a network sees the classes of.
type lean struct {
	network string
	things  [][]int32
	by      []float64
}

// leanings returns what has to be added, by labels and what networks see.
func (g *learner) leanings(labels *label.Labels, x []float64) (all []lean) {
	truth := make(map[int32]float64, len(labels.Variables))
	for k, i := range labels.Variables {
		truth[i] = labels.Truth[k]
	}
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil || !g.sole(k) {
			continue
		}
		things := g.classesSeen(k)
		wanted := slices.Repeat([]float64{unseen}, len(declared.Neural.Classes))
		for _, inputs := range things {
			for class, i := range inputs {
				wanted[class] += truth[i]
			}
		}
		if by := leaning(things, x, wanted); by != nil {
			all = append(all, lean{declared.Neural.Network, things, by})
		}
	}
	return all
}

// leant returns what networks would see.
func leant(all []lean, x []float64) []float64 {
	x = slices.Clone(x)
	for _, l := range all {
		for _, inputs := range l.things {
			sum := 0.0
			for class, i := range inputs {
				x[i] *= math.Exp(l.by[class])
				sum += x[i]
			}
			for _, i := range inputs {
				x[i] /= sum
			}
		}
	}
	return x
}

// sole tells whether a neural predicate is the only one of its network, and has classes of which a thing has one.
func (g *learner) sole(predicate int) bool {
	own := g.Project.Config.Predicates[predicate].Neural
	for k, other := range g.Project.Config.Predicates {
		if k != predicate && other.Neural != nil && other.Neural.Network == own.Network {
			return false
		}
	}
	for _, spec := range g.Networks.Specs {
		if spec.Name == own.Network {
			return len(own.Classes) > 1 && spec.Exclusive()
		}
	}
	return false
}

// classesSeen returns the inputs of each thing that a network sees, in the order of the classes, of things with all.
func (g *learner) classesSeen(predicate int) [][]int32 {
	declared := g.Project.Config.Predicates[predicate].Neural
	atoms := g.Tables.Store.Relations[predicate]
	place := make(map[string]int, len(declared.Classes))
	for at, name := range declared.Classes {
		place[name] = at
	}
	const none = -1
	var things [][]int32
	numbers := make(map[string]int)
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		name, class := "", -1
		for at, column := range atoms.Columns {
			constant := g.Tables.Store.Symbols.Name(column[row])
			if at == declared.Class {
				class = place[constant]
				continue
			}
			name += constant + "\x00"
		}
		number, seen := numbers[name]
		if !seen {
			number = len(things)
			numbers[name] = number
			things = append(things, slices.Repeat([]int32{none}, len(declared.Classes)))
		}
		things[number][class] = atoms.Number(row)
	}
	return slices.DeleteFunc(things, func(inputs []int32) bool { return slices.Contains(inputs, none) })
}

// leanings bounds how often leaning corrects itself.
const leanings = 100

// leaning returns what has to be added to the logits of all things so that each class gets its wanted share of their
// mean; nil of nothing.
func leaning(things [][]int32, x, wanted []float64) []float64 {
	total := 0.0
	for _, share := range wanted {
		total += share
	}
	by, mean, shares := make([]float64, len(wanted)), make([]float64, len(wanted)), make([]float64, len(wanted))
	if len(things) == 0 || total == 0 {
		return nil
	}
	for range leanings {
		clear(mean)
		for _, inputs := range things {
			sum := 0.0
			for class, i := range inputs {
				shares[class] = x[i] * math.Exp(by[class])
				sum += shares[class]
			}
			for class, share := range shares {
				mean[class] += share / sum / float64(len(things))
			}
		}
		for class, share := range wanted {
			by[class] += math.Log(share / total / max(mean[class], label.TinyFloor))
		}
	}
	return by
}

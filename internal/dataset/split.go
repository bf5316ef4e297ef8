package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Split partitions documents, or some of them, by what they are used for. Each list is ascending.
type Split struct {
	Train, Validation, Test []int32
}

// SplitOptions says how large the parts are. Exactly one of PerClass and Train says how to choose the training set.
type SplitOptions struct {
	// PerClass takes this many training documents of each class.
	PerClass int
	// Train takes this many training documents, whatever their class.
	Train int
	// Validation and Test are taken from the rest, whatever the class; a Test of 0 means all that remain.
	Validation, Test int
	Seed             uint64
}

// RandomSplit draws a split of the labelled documents, those whose label is not negative. It is an error if there are
// too few of them.
func RandomSplit(labels []int, o SplitOptions) (Split, error) {
	if (o.PerClass > 0) == (o.Train > 0) {
		return Split{}, fmt.Errorf("split: give either a training set size or a number per class")
	}
	order := shuffledLabelled(labels, o.Seed)
	train, rest, err := chooseTraining(labels, order, o)
	if err != nil {
		return Split{}, err
	}
	test := o.Test
	if test == 0 {
		test = len(rest) - o.Validation
	}
	if o.Validation < 0 || test < 0 || o.Validation+test > len(rest) {
		return Split{}, fmt.Errorf("split: %d documents remain after training, too few for validation %d and test %d",
			len(rest), o.Validation, o.Test)
	}
	s := Split{Train: train, Validation: rest[:o.Validation:o.Validation], Test: rest[o.Validation : o.Validation+test]}
	slices.Sort(s.Train)
	slices.Sort(s.Validation)
	slices.Sort(s.Test)
	return s, nil
}

// shuffledLabelled lists the labelled documents in an order that only the seed decides.
func shuffledLabelled(labels []int, seed uint64) []int32 {
	var order []int32
	for d, label := range labels {
		if label >= 0 {
			order = append(order, int32(d))
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// chooseTraining takes the training set from the front of the order, and returns the rest in the same order.
func chooseTraining(labels []int, order []int32, o SplitOptions) (train, rest []int32, err error) {
	if o.Train > 0 {
		if o.Train > len(order) {
			return nil, nil, fmt.Errorf("split: %d documents have a label, too few for training %d", len(order), o.Train)
		}
		return order[:o.Train:o.Train], order[o.Train:], nil
	}
	taken := make([]int, 1+slices.Max(append(labels, -1)))
	for _, d := range order {
		if class := labels[d]; taken[class] < o.PerClass {
			taken[class]++
			train = append(train, d)
		} else {
			rest = append(rest, d)
		}
	}
	for class, n := range taken {
		if n < o.PerClass {
			return nil, nil, fmt.Errorf("split: class %d has %d documents, too few for %d of each class", class, n, o.PerClass)
		}
	}
	return train, rest, nil
}

package repro

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/training"
	"github.com/deeppsl/deeppsl/paper/published"
)

// heldOut is what was inferred about pairs of the learning fold by networks that had not learned from them.
type heldOut struct{ authors, papers *question }

func newHeldOut(fold *resolution) *heldOut {
	empty := func(items []published.Named) *question {
		return &question{items: items, values: map[pair]float64{}, truth: map[pair]bool{}}
	}
	return &heldOut{empty(fold.AuthorName), empty(fold.PaperTitle)}
}

// add takes over the pairs of the part that was held out.
func (h *heldOut) add(answer *foldAnswer, d division, part int) {
	h.authors.add(answer.authorQuestion(), d.authors, part)
	h.papers.add(answer.paperQuestion(), d.papers, part)
}

// kept is the number of epochs with the best mean of the validation scores, the smallest of equals: each part of a fold
// alone is too small to say.
func kept(trainings []*training.Training) (best int) {
	score := func(epoch int) (sum float64) {
		for _, training := range trainings {
			sum += training.Epochs[epoch].Validation
		}
		return sum
	}
	for epoch := range len(trainings[0].Epochs) {
		if score(epoch) > score(best) {
			best = epoch
		}
	}
	return best
}

// keptFit is the median of the numbers of epochs after which the networks alone were best.
func keptFit(trainings []*training.Training) int {
	var all []int
	for _, training := range trainings {
		all = append(all, training.FitKept)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

package training

import (
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// crossFitting learns with nothing but defaults, in stages: networks are fitted alone; the weights of rules are found
// on labels that the networks have not seen; networks learn what is inferred; then all is trained end to end, or that
// is done from the beginning; or else networks propagate what they say along a relation. What a stage brings is kept if
// held-out labels are told better by it, and by more than chance would have it. Held out is validation's truth, or else
// each of some folds of the labels in turn, and then all is learned once more from all of them.
//
// Rules and networks cannot simply be learned from the same labels: a network that fits them is right about all that is
// asked, so that rules come to trust it blindly, and relations among entities without labels count for nothing.
type crossFitting struct {
	g        *learner
	lesson   lesson
	folds    []fold
	plan     plan
	standing label.Verdict // of the plan
	chosen   CrossFit
	fitsAny  bool // networks were fitted alone to something
	likely   bool // and by the likelihood of labels of what follows from it
	degrees  bool // labels of what networks see are degrees of truth
	// state is the first fold's MAP state by the plan, as far as it has come; the zero one before there is any.
	state learn.Solution
	// found are weights where the search for others had best begin; nil where nothing is known of that.
	found []float64
	// evenly are the weights found from one for all rules, where those written are out of proportion; nil if not.
	evenly []float64
	// bySquares are the weights found as if linear rules were squared; nil if none is linear.
	bySquares []float64
	// written is the verdict on the weights written with the networks fitted alone; nil before.
	written *label.Verdict
	// chance is the logarithm of how many times likelier what ties show is by chance than if a rule held that is doubted.
	chance float64
	// blank says that by those weights all that is held out has one value in each fold, or of each class one, as where
	// rules that contradict each other cost least if nothing is decided, or drown what networks see.
	blank bool
	// squared is what held-out labels say of networks learned by squares, if the rules were squared, too.
	squared *label.Verdict
}

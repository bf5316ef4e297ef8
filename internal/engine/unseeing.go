package engine

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/source"
)

// fewScored are too few scored labels to tell an answer from a guess.
const fewScored = 30

// said are the warnings of learning after which it is no news that an answer is no better than a guess.
var said = []string{"learn-alike", "learn-blind", "learn-by-heart", "learn-chance", "learn-one-side"}

// unseeing warns of answers with what was learned that labels which were not learned from tell hardly better than one
// that looks at nothing: where training held nothing out, as methods that are chosen do, nothing else says so.
func (r *Report) unseeing() (warnings source.Diagnostics) {
	known := func(w source.Plain) bool { return slices.Contains(said, w.ID) }
	if r.Training == nil || slices.ContainsFunc(r.Warnings, known) {
		return nil
	}
	for _, e := range r.Evaluations {
		if e.Count < fewScored {
			continue
		}
		guess, hardly := e.Hardly(eval.StandardError(e.Intervals[e.Primary]))
		if !hardly {
			continue
		}
		hint := "give more labels, or better features; look at AUROC, which tells whether only the threshold is wrong"
		if learning := r.Learned.Project.Learning; !learning.Auto && !learning.Compared {
			hint = "leave out learn.method: by default, labels are held out in turn, which tells what is learned by " +
				"heart; " + hint
		}
		warnings.Warnf("learn-blind", source.Span{}, hint, "%s of %s is %.4g for the %d labels that it is scored by; an "+
			"answer that looks at nothing has %.4g", e.Primary, e.Predicate, e.PrimaryValue(), e.Count, guess)
	}
	return warnings
}

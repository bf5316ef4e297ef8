package training

import (
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/perceive"
)

// lesson is what one training learns from, and for how long.
type lesson struct {
	// anew is the lesson after the epochs are chosen: it takes the truth of the validation phase too, and nothing is
	// left to choose by.
	anew              bool
	fitEpochs, epochs int
	// division leaves labels out, nil none; held are those that score the epochs then.
	division *division
	held     *label.Labels
	// members are the examples that are learned from; nil for all.
	members []int32
	// start counts how often learning has begun before, and sharpening is how sharp outputs are made: see starts.go.
	start      int
	sharpening float64
	// beginning counts how often this start has begun before: see starts.go.
	beginning int
	// settings are those of the method, nil the project's.
	settings *learn.Settings
	// near is where the search for MAP states begins, those of many ground rules; the zero one is nowhere.
	near learn.Solution
	// plan is what held-out labels have chosen; its epochs are those above.
	plan
}

// decayFactors are what the weight decay that suits the number of labels is multiplied by, as long as labels that are
// held out say that more is better: where labels are often wrong, or features say little, more has to be held back.
var decayFactors = [...]float64{1, 4, 16}

// decayGain is by how many standard errors over the entities more decay has to be better. Nothing but held-out labels
// speaks for less decay either; and where few of them are true, or many features say nothing, a whole standard error is
// more than what is won by it.
const decayGain = 0.5

// lessDecay is tried of degrees of truth that do not want more.
var lessDecay = [...]float64{1. / 4, 1. / 16, 1. / 64}

const (
	// latentStarts is how often networks begin that see what nobody has labelled: which class is which is decided by
	// what they begin with, and some beginnings lead to classes that are two in one.
	latentStarts = 5
	// startStride is between the seeds of starts, far from what users count.
	startStride = 1_000_003
)

// manner is what examples are learned from by.
type manner uint8

const (
	byMethod     manner = iota // the project's learn.method
	bySight                    // networks alone, of labels of what they see: see fitSeen
	byLikelihood               // of the labels, through what networks see: see latent.Likelihood
	byAnswers                  // of the labels, by what is inferred at each choice of classes
	byDraws                    // the labels' energy less that of what is inferred, at classes drawn from what is seen
)

// likely tells whether what is learned by is a likelihood.
func (m manner) likely() bool { return m == byLikelihood || m == byAnswers }

// mannered gives the settings of a method what a start from examples changes about them.
func (l lesson) mannered(s *learn.Settings, decaySet bool) {
	s.Sharpen *= l.sharpening
	if l.decay > 0 {
		s.Decay = l.decay
	}
	if l.manner == byMethod {
		return
	}
	s.RuleRate, s.Deviation = 0, 0
	if l.manner == byDraws {
		s.Method, s.Drawn, s.Sharpen = learn.Perceptron, true, 0
		return
	}
	s.Latent, s.Answered = true, l.manner == byAnswers
	switch {
	case l.decay > 0 || decaySet:
	case l.decayFactor > 0:
		s.Decay = -l.decayFactor
	default:
		s.Decay = -decayFactors[1]
	}
}

// division says which entities' labels a lesson leaves out: those of one fold.
type division struct {
	folds map[int32]int
	held  int
}

// learns tells whether the lesson learns from an entity's labels; holds tells whether they are held out.
func (d *division) learns(entity int32) bool { return d.folds[entity] != d.held }

func (d *division) holds(entity int32) bool { return d.folds[entity] == d.held }

// fold is a part of the labels that is held out, and the networks that have learned without it.
type fold struct {
	division *division // nil if validation truth is held out
	held     *label.Labels
	networks *perceive.Networks
	inputs   []float64      // what these see
	ends     []float64      // what they see after the epochs end to end that were chosen; nil where that was not kept
	last     learn.Solution // the MAP state that was judged last, where the next one is looked for
}

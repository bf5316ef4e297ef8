package training

import (
	"time"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Training is what learning did.
type Training struct {
	// Epochs is the learning curve; its last line is the final inference's, unless learning was cut short.
	Epochs []learn.Epoch
	// FitEpochs counts the epochs in which the networks were fitted alone, before.
	FitEpochs int
	// Steps counts the epochs whose gradient steps were taken, or the trials of a search.
	Steps int
	// Ended says why learning ended; Early tells whether that was the context.
	Ended learn.Ending
	// Kept is after how many epochs' steps the parameters were best, and kept; FitKept is that of fitting alone.
	Kept, FitKept int
	// Chosen has the Values and Perceived of these parameters, as validation saw them; nil for batches of examples and
	// after a search, and if learning was cut short. Networks fitted alone infer nothing: Values are 0.
	Chosen *session.Answer
	// Last has the Values and Multipliers of the last MAP state of learning that was cut short, from which inference may
	// go on; nil if there was none, or learning ended by itself.
	Last *session.Answer
	// CrossFit says what held-out labels chose; nil if they chose nothing.
	CrossFit *CrossFit
	// Compared says how weights that were learned did beside those written; nil if they were not compared.
	Compared *Comparison
	// Rehearsed says whether inference had better know the labels learned from; nil where that was not found out.
	Rehearsed *Rehearsed
	// Anew is the learning curve of the option learn.refit, without validation.
	Anew []learn.Epoch
	// Starts are those of learning from examples; nil if there are none to choose from.
	Starts []Start
	// Trials is the table of a search for weights: what was tried, with its score. The best is kept.
	Trials  []search.Trial
	Elapsed time.Duration
	plan    plan // that held-out labels have chosen
	// decay is that of the networks' weights, and penalty what it adds to the loss of the last epoch.
	decay, penalty float64
	// written are the weights that learning began with, if those that were learned were kept in their place.
	written []float64
	// unseen is the verdict of labels that were held out.
	unseen label.Verdict
	// heldOut are those labels, with what is inferred of them; nil where that was not found out.
	heldOut *heldOut
	// folds have networks that have learned like the final ones, but for epochs end to end; nil without any.
	folds []fold
}

// heldOut are labels that were held out, part by part, and a state that was inferred: the folds are those of what they
// are about, or nil where others were learned from. Levels says that from which value on atoms are true is still to be
// learned.
type heldOut struct {
	labels *label.Labels
	folds  map[int32]int
	parts  int
	levels bool
	y      []float64
}

// CrossFit says what learning by default chose by labels that the networks had not seen. Losses are means over what was
// held out.
type CrossFit struct {
	// Folds counts the parts of the labels that were held out in turn; 0 means that the validation phase's truth was.
	Folds int `json:"folds"`
	// Fitted is the loss with the networks fitted alone and the rules' weights as written, Weighed that with the weights
	// that were found.
	Fitted  float64 `json:"loss_fitted"`
	Weighed float64 `json:"loss_weighed"`
	// Doubted are the rules, counted from 1, that say what tied things are like while neither labels nor what networks see
	// of them do: they are presumed to mean nothing.
	Doubted []int `json:"doubted,omitempty"`
	// DecayFactor is what the decay of networks fitted alone that suits the number of labels is multiplied by.
	DecayFactor float64 `json:"decay_factor"`
	// Shared says that what they see of classes was brought to how common these are likely to be.
	Shared bool `json:"shared,omitempty"`
	// Together says that networks were fitted to labels of theirs and to labels that follow from what they see, at once.
	Together bool `json:"together,omitempty"`
	// Curve has the loss after each number of epochs end to end, the least of which was chosen, Epochs; nil if the
	// validation phase chooses.
	Curve  []float64 `json:"curve,omitempty"`
	Epochs int       `json:"epochs"`
	// EndDecay is the weight decay of networks in these, where it is not the option learn.decay.
	EndDecay float64 `json:"end_decay,omitempty"`
	// Smooth says that networks descended as if all rules were squared.
	Smooth bool `json:"smooth,omitempty"`
	// Calibrated says that they descended on the loss at the temperature that suits what is inferred.
	Calibrated bool `json:"calibrated,omitempty"`
	// Rounds counts those in which networks learned what was inferred, and Taught is the loss with them.
	Rounds int     `json:"rounds"`
	Taught float64 `json:"loss_taught"`
	// Afresh says that epochs end to end from the beginning were better than all that begins with fitting.
	Afresh bool `json:"afresh"`
	// Propagated are the networks whose logits are propagated along a relation, as that was better.
	Propagated []Propagated `json:"propagated,omitempty"`
}

// Propagated says along which predicate a network's logits are propagated since held-out labels are told better by it.
type Propagated struct {
	Network string `json:"network"`
	Along   string `json:"along"`
	// Loss is that with it, Without that of the best without it.
	Loss    float64 `json:"loss"`
	Without float64 `json:"loss_without"`
}

// Comparison is that of the rules' weights that were learned with those written. Losses are means of the cross-entropy
// of labels at the best temperature; scores are those of the evaluations that guide learning, NaN without any.
type Comparison struct {
	// Labels are those that both were compared by: "held out", "validation", or those that were "learned from".
	Labels string `json:"labels"`
	// Learned tells whether the weights that were learned were kept.
	Learned bool `json:"learned"`
	// Method is what learned the better ones of those that were learned.
	Method       string  `json:"method"`
	WrittenLoss  float64 `json:"loss_written"`
	LearnedLoss  float64 `json:"loss_learned"`
	WrittenScore float64 `json:"score_written"`
	LearnedScore float64 `json:"score_learned"`
	Reason       string  `json:"reason"`
}

// Rehearsed says whether held-out labels are told better if inference knows the others. Losses and scores are those of
// a Comparison.
type Rehearsed struct {
	Known          bool    `json:"known"`
	ForgottenLoss  float64 `json:"loss_forgotten"`
	KnownLoss      float64 `json:"loss_known"`
	ForgottenScore float64 `json:"score_forgotten"`
	KnownScore     float64 `json:"score_known"`
}

// plan is how to learn, as held-out labels have chosen it.
type plan struct {
	theta []float64 // weights of rules that are found; nil: they are learned with the networks
	// rounds counts those of teaching, and epochs those end to end.
	rounds, epochs int
	// decayFactor multiplies the decay that suits the number of labels, of networks fitted alone or, where it is not 0,
	// by the likelihood of examples; 0 stands for 1 there and for the middle one of decayFactors here.
	decayFactor float64
	// asked says that a method that was asked for descends as held-out labels choose: see asked.go.
	asked bool
	// together fits networks to labels of theirs and to all that follow from what they see: see decay.go.
	together bool
	// afresh learns end to end from the beginning, without fitting or teaching.
	afresh bool
	// shared gives the classes that networks see their shares: see share.
	shared bool
	// decay of networks through rules, if it is not 0, takes the place of learn.decay.
	decay float64
	// smooth has epochs end to end descend as if all rules were squared, whatever they are judged by.
	smooth bool
	// calibrated has these descend on the loss at the temperature that suits what is inferred: see calibrate.go.
	calibrated bool
	// manner is what examples are learned from by.
	manner manner
}

// Start says how one of several beginnings of learning from examples ended.
type Start struct {
	Seed uint64 `json:"seed"`
	// Right is the share of the examples learned from all of whose labels are right, and Held that of examples which were
	// not learned from: those of validation, or else some that were held out; nil without any.
	Right float64  `json:"right"`
	Held  *float64 `json:"held_out,omitempty"`
	// Decay is that of the networks' weights where it is not the option learn.decay.
	Decay float64 `json:"decay,omitempty"`
}

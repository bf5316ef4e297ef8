package learn

import (
	"context"
	"errors"
)

// Ending says why learning ended.
type Ending uint8

const (
	// Completed: all epochs are done.
	Completed Ending = iota
	// OutOfPatience: the validation score has not risen for as many epochs as the patience allows.
	OutOfPatience
	// Settled: the last step hardly moved the rules' weights, and nothing else is learned.
	Settled
	// Converged: the networks' loss on their labels no longer falls.
	Converged
	// Interrupted: the context was cancelled.
	Interrupted
	// TimeLimit: the context's deadline came first.
	TimeLimit
)

var endingNames = [...]string{"epochs done", "patience", "settled", "converged", "interrupted", "time limit"}

// String returns the ending as reports print it.
func (e Ending) String() string { return endingNames[e] }

// Sentence explains the ending to a user.
func (e Ending) Sentence() string {
	return [...]string{
		"all epochs are done",
		"no better validation score within the patience",
		"the last step moved the weights of the rules, relative to their mean, less than learn.movement",
		"the networks' loss on their labels no longer falls",
		"it was interrupted; the best parameters until then are kept",
		"the time limit came first; the best parameters until then are kept",
	}[e]
}

// Early tells whether the context ended before learning did.
func (e Ending) Early() bool { return e == Interrupted || e == TimeLimit }

// CutShort says how learning ended that returned an error, if it did so since the context has: an ending that is Early,
// and true.
func CutShort(ctx context.Context, err error) (Ending, bool) {
	cause := ctx.Err()
	switch {
	case err == nil || cause == nil || !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return Completed, false
	case errors.Is(cause, context.DeadlineExceeded):
		return TimeLimit, true
	}
	return Interrupted, true
}

// Outcome is what a training has come to.
type Outcome struct {
	// Epochs is the learning curve. Its last line is that of the final inference, unless learning was cut short, or
	// learned from batches, which have none.
	Epochs []Epoch
	// Steps is how many epochs' gradient steps were taken, whole; Kept is after how many the parameters were kept.
	Steps, Kept int
	// Decay is the weight decay of networks, and Penalty what it adds to the loss at these parameters.
	Decay, Penalty float64
	Ended          Ending
}

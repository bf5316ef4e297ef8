package learn

import (
	"context"
	"time"
)

// Feed shows a trainer what it learns from, epoch by epoch.
type Feed interface {
	// over says why no further epoch begins; Completed if one may.
	over() Ending
	// epoch learns for one epoch. An ending other than Completed says that no steps were taken, and why.
	epoch(ctx context.Context) (Epoch, Ending, error)
	// finish leaves the parameters that are kept.
	finish(ctx context.Context) error
}

// whole feeds one set of labels: an epoch is an inference with the gradient steps that follow it. The learning curve
// ends with an inference more.
type whole struct{ *Trainer }

func (whole) over() Ending { return Completed }

func (t whole) epoch(ctx context.Context) (Epoch, Ending, error) {
	line, err := t.infer(ctx)
	if err != nil {
		return line, Completed, err
	}
	start := time.Now()
	if ended := t.standstill(line); ended != Completed {
		return line, ended, nil
	}
	err = t.descend(ctx, t.next)
	line.Gradient, line.Gradients = time.Since(start).Seconds(), t.gauge.Take()
	return line, Completed, err
}

func (t whole) finish(ctx context.Context) error {
	line, err := t.infer(ctx)
	if err != nil {
		return err
	}
	line.Number = len(t.history)
	t.record(line)
	return t.restore(ctx)
}

// standstill says why learning ends at an epoch before its steps; Completed if it goes on.
func (t *Trainer) standstill(line Epoch) Ending {
	switch {
	case t.stale(line):
		return OutOfPatience
	case t.settled():
		return Settled
	}
	return Completed
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// grace is how long a run goes on after an interrupt in learning: for the inference that follows.
const grace = 5 * time.Second

// learningShare is the part of a limited time that learning may take; inference has the rest.
const learningShare = 0.9

// budget is the time of a run.
type budget struct {
	start time.Time
	limit time.Duration // 0 for none
}

// newBudget is what the option run.seconds gives a run that began at start.
func (p *Project) newBudget(start time.Time) budget { return budget{start, p.phases[Infer].limit} }

// until returns a context that ends when a share of the time is over.
func (b budget) until(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	if b.limit == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, b.start.Add(time.Duration(share*float64(b.limit))))
}

// leastGrounding is the time that grounding has in any case: a short limit is meant for what follows, which then gives
// the best answer so far. Grounding that is not done has nothing to give.
const leastGrounding = time.Second

// errTimeLimit ends grounding when its time is over.
var errTimeLimit = errors.New("the time limit is over (run.seconds)")

// ground grounds the first phase of a run.
func (b budget) ground(ctx context.Context, p *Project, phase Phase) (*Grounding, error) {
	if b.limit == 0 {
		return p.Ground(ctx, phase)
	}
	limit := max(b.limit, leastGrounding)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeLimit)
	defer cancel()
	g, err := p.Ground(limited, phase)
	if err != nil && errors.Is(context.Cause(limited), errTimeLimit) {
		return nil, fmt.Errorf("grounding was not done within %s: %w", limit, errTimeLimit)
	}
	return g, err
}

// most is the context of learning.
func (b budget) most(ctx context.Context) (context.Context, context.CancelFunc) {
	return b.until(ctx, learningShare)
}

// whole is the context of an inference alone.
func (b budget) whole(ctx context.Context) (context.Context, context.CancelFunc) {
	return b.until(ctx, 1)
}

// rest is the context of what follows learning. If ctx has ended, it is the grace.
func (b budget) rest(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return b.whole(ctx)
	}
	whole, release := b.whole(context.WithoutCancel(ctx))
	last, cancel := context.WithTimeout(whole, grace)
	return last, func() {
		cancel()
		release()
	}
}

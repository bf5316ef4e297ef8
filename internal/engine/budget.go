package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// learningShare is the part of a limited time that learning may take; inference has the rest.
const learningShare = 0.9

// budget is the time of a run.
type budget struct {
	start time.Time
	limit time.Duration // 0 for none
}

// newBudget is what the option run.seconds gives a run that began at start.
func newBudget(p *project.Project, start time.Time) budget {
	return budget{start, p.Phases[load.Infer].Limit}
}

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
func (b budget) ground(ctx context.Context, p *project.Project, phase load.Phase) (*session.Grounding, error) {
	if b.limit == 0 {
		return Ground(ctx, p, phase)
	}
	limit := max(b.limit, leastGrounding)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errTimeLimit)
	defer cancel()
	g, err := Ground(limited, p, phase)
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
	last, cancel := context.WithTimeout(whole, training.Grace)
	return last, func() {
		cancel()
		release()
	}
}

package serve

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/session"
)

// This file is about what a budget leaves undone. Updates are answered with the gap that is proven by then, and the
// rest is inferred behind them: what is near while nothing waits, and the whole beside the updates.

// refinement is what the writer knows about it.
type refinement struct {
	since   time.Time // when a version was first not proven; zero if the last one is
	far     bool      // what is near is not enough
	begun   int       // how many updates there had been when the last whole was begun
	solved  chan *live.Whole
	stop    context.CancelFunc // of the whole that is being solved; nil if none is
	resting atomic.Pointer[context.CancelFunc]
}

// patience is how long versions may stay unproven before the whole is solved, whatever is near.
const patience = time.Second

// inferWithin makes an answer in the budget, and publishes it as that of so many more updates.
func (s *Service) inferWithin(ctx context.Context, updates int) error {
	limited, done := context.WithTimeout(ctx, s.budget)
	defer done()
	answer, err := s.live.InferNear(limited)
	if err == nil {
		s.next(answer, updates)
	}
	return err
}

// next publishes an answer.
func (s *Service) next(answer *session.Answer, updates int) {
	s.counts.inferences.Add(1)
	last := s.Current()
	s.publish(answer, last.Number+1, last.Updates+updates)
	switch {
	case answer.Done():
		s.behind.since = time.Time{}
	case s.behind.since.IsZero():
		s.behind.since = time.Now()
	}
}

// refine goes on with what is not proven: here until something waits, or beside what comes. The second context is that
// of what may outlast the first.
func (s *Service) refine(ctx, working context.Context) {
	n := &s.behind
	if s.budget == 0 || n.since.IsZero() || n.stop != nil || s.live == nil {
		return
	}
	if !n.far {
		s.rest(ctx)
	}
	if n.far || !n.since.IsZero() && time.Since(n.since) > patience {
		s.beginWhole(working)
	}
}

// rest infers what is near for as long as nothing waits.
func (s *Service) rest(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.behind.resting.Store(&stop)
	defer s.behind.resting.Store(nil)
	if len(s.waiting) > 0 {
		return
	}
	s.site = nil
	answer, far, err := s.live.InferLocally(ctx)
	if err == nil {
		s.next(answer, 0)
	}
	s.behind.far = far
	s.warn(err)
}

// beginWhole has the whole solved beside what comes, unless it was when nothing has changed since.
func (s *Service) beginWhole(ctx context.Context) {
	n, updates := &s.behind, s.Current().Updates
	if n.begun == updates {
		return
	}
	whole, err := s.live.Refine()
	if err != nil {
		s.warn(err)
		return
	}
	ctx, n.stop = context.WithCancel(ctx)
	n.begun, n.far = updates, false
	go func() {
		s.warn(whole.Solve(ctx))
		n.solved <- whole
	}()
}

// refined takes over a whole that has been solved.
func (s *Service) refined(ctx context.Context, whole *live.Whole) {
	s.behind.stop()
	s.behind.stop = nil
	if s.live == nil {
		return
	}
	s.site = nil
	s.counts.wholes.Add(1)
	err := s.live.Adopt(whole)
	if err == nil {
		err = s.inferWithin(ctx, 0)
	}
	s.warn(err)
}

// endRefining waits for the whole that is being solved to end.
func (s *Service) endRefining() {
	if s.behind.stop != nil {
		s.behind.stop()
		<-s.behind.solved
	}
}

// interrupt ends what goes on while nothing waits.
func (s *Service) interrupt() {
	if stop := s.behind.resting.Load(); stop != nil {
		(*stop)()
	}
}

// warn says what went wrong where nobody waits for it.
func (s *Service) warn(err error) {
	if err != nil {
		s.model.Project.Log.Warn("the answer could not be refined", "error", err)
	}
}

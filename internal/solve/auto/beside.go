package auto

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// beside is the interior point method at work on a thread of its own while Newton's has its turn, on what it will be
// asked for first, so that this is there, or nearly, when its own turn comes. Turns depend on work that is counted, and
// neither method knows anything of the other: answers have the bits of one thread. What nobody asks for is lost.
type beside struct {
	interior *interior.Solver
	field    *mrf.Field // its own
	cost     interior.Cost
	cancel   context.CancelFunc
	unwanted atomic.Bool // whatever it has not been asked for by now
	// analysed, tried and ended are closed when the cost is known, when there are no more attempts, and at the end.
	analysed, tried, ended chan struct{}
	trying                 bool      // it makes attempts
	attempts               []attempt // those that have not been asked for
	asked                  bool      // some have
	whole                  *attempt  // a whole solution, or nil
	resting                bool      // it has been seen to have ended
	steps                  []solve.Iteration
	fault                  any // what it panicked with
}

// attempt is what a try, or a whole solution, came to, and where that leaves the method.
type attempt struct {
	result             *solve.Result
	err                error
	left, spent, ahead float64
	steps              []solve.Iteration
}

const (
	// mostBeside is the number of potentials up to which Newton's method has little use for a second thread, leastBeside
	// that up to which all is over in some milliseconds, and roomyBeside the memory that a factorisation may take that may
	// not be asked for.
	mostBeside, leastBeside, roomyBeside = 1 << 15, 1000, 1 << 30
	// sooner is the part of the work before the other method's first turn after which that begins beside: much is solved
	// by then.
	sooner = 0.25
)

// mayWorkBeside tells whether there is a thread to spare, and a problem that is not solved again and again.
func (h *hybrid) mayWorkBeside() bool {
	m := h.field.Model
	return h.interior == nil && h.warm <= 1 && !h.settings.Alone && parallel.Threads(h.settings.Threads) > 1 &&
		m.Paged() == nil && m.Potentials() > leastBeside && m.Potentials() <= mostBeside
}

// workBeside has the interior point method begin. Newton's has a thread less from now on.
func (h *hybrid) workBeside(ctx context.Context, began time.Time) {
	ctx, cancel := context.WithCancel(ctx)
	b := &beside{cancel: cancel, analysed: make(chan struct{}), tried: make(chan struct{}),
		ended: make(chan struct{})}
	settings := h.settings
	settings.Threads = 1
	if settings.Trace != nil {
		settings.Trace = func(it solve.Iteration) {
			if b.resting {
				h.settings.Trace(it)
			} else {
				b.steps = append(b.steps, it)
			}
		}
	}
	h.beside = b
	h.field.Threads = max(1, h.field.Threads-1)
	h.field.Unit()
	go b.work(ctx, h.field, settings, h.first, func() time.Duration { return h.left(began) })
}

// work does what will be asked for: the first tries, and a whole solution where these end for good, or are not worth
// making.
func (b *beside) work(ctx context.Context, field *mrf.Field, s solve.Settings, first func(interior.Cost) float64,
	left func() time.Duration,
) {
	defer func() {
		b.fault = recover()
		close(b.ended)
	}()
	b.field = field.Twin(1)
	b.interior = interior.New(b.field, s)
	b.cost = b.interior.CostUnless(b.unwanted.Load) // a context that ends leaves it, as it is told
	b.trying = b.cost.EarlyBytes <= roomy && b.cost.Early <= b.cost.Work && !math.IsInf(b.cost.Early, 1)
	close(b.analysed)
	t := tries{budget: first(b.cost), tired: true}
	if b.trying {
		t.persist(0, func(budget float64) (*solve.Result, float64) {
			b.interior.Within(left())
			a := b.noted(try(ctx, b.interior, budget))
			b.attempts = append(b.attempts, a)
			return a.result, a.left
		})
	}
	close(b.tried)
	if t.tired && ctx.Err() == nil && b.cost.Bytes <= roomyBeside {
		b.interior.Within(left())
		r, err := b.interior.Solve(ctx)
		a := b.noted(attempt{result: r, err: err})
		b.whole = &a
	}
}

// try makes an attempt.
func try(ctx context.Context, s *interior.Solver, budget float64) (a attempt) {
	a.result, a.left = s.Try(ctx, budget)
	a.spent, a.ahead = s.Spent(), s.Ahead()
	return a
}

// noted is an attempt with the steps that it took.
func (b *beside) noted(a attempt) attempt {
	a.steps, b.steps = b.steps, nil
	return a
}

// await waits until it has got so far.
func (b *beside) await(far chan struct{}) {
	select {
	case <-far:
	case <-b.ended:
		if b.fault != nil {
			panic(b.fault)
		}
	}
}

// attempt tries without factorisations within a budget. What was done beside is there; it is as much as was foreseen.
func (h *hybrid) attempt(ctx context.Context, began time.Time, budget float64) (*solve.Result, float64) {
	var a attempt
	b := h.beside
	if b != nil && b.trying && b.next() {
		a, b.attempts, b.asked = b.attempts[0], b.attempts[1:], true
		h.show(a)
	} else {
		h.workAlone(b != nil && !b.trying)
		h.interior.Within(h.left(began))
		a = try(ctx, h.interior, budget)
	}
	h.passed, h.ahead = a.spent, a.ahead
	return a.result, a.left
}

// next tells whether there is an attempt that has not been asked for.
func (b *beside) next() bool {
	b.await(b.tried)
	return len(b.attempts) > 0
}

// conclude solves the problem from where tries have left it.
func (h *hybrid) conclude(ctx context.Context, began time.Time) (*solve.Result, error) {
	b := h.beside
	elsewhere := b != nil && b.trying && !b.asked
	if b != nil && !elsewhere {
		if b.await(b.ended); b.whole != nil {
			h.show(*b.whole)
			return b.whole.result, b.whole.err
		}
	}
	h.workAlone(elsewhere)
	h.interior.Within(h.left(began))
	return h.interior.Solve(ctx)
}

// show shows the steps of an attempt that was made beside.
func (h *hybrid) show(a attempt) {
	for _, it := range a.steps {
		h.settings.Trace(it)
	}
}

// workAlone ends what goes on beside, and has the interior point method begin anew if that has gone elsewhere.
func (h *hybrid) workAlone(elsewhere bool) {
	h.endBeside()
	if elsewhere {
		h.interior, h.twin = nil, nil
		h.analyse()
	}
}

// endBeside ends what goes on beside, if anything does. What was asked for of it stays.
func (h *hybrid) endBeside() {
	b := h.beside
	if b == nil {
		return
	}
	b.unwanted.Store(true)
	b.cancel()
	<-b.ended
	b.resting, h.beside = true, nil
	h.field.Threads = parallel.Threads(h.settings.Threads)
	if b.field != nil {
		b.field.Threads = h.field.Threads
	}
}

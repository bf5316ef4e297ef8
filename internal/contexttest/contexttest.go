// Package contexttest makes contexts for tests of what is left when one ends.
package contexttest

import (
	"context"
	"math"
	"sync/atomic"
)

// countdown is a context without deadline or channel: it only counts how often it is asked.
type countdown struct {
	context.Context
	left atomic.Int64
}

// Countdown returns a context whose Err is context.Canceled from the question after the first n on, so that a test ends
// work at the same place each time. Its Done never closes.
func Countdown(n int64) context.Context {
	c := &countdown{Context: context.Background()}
	c.left.Store(n)
	return c
}

// Err counts down and says whether the context has ended; any goroutine may ask.
func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Counting returns a context that never ends, and what tells how often it has been asked.
func Counting() (ctx context.Context, asked func() int64) {
	c := &countdown{Context: context.Background()}
	c.left.Store(math.MaxInt64)
	return c, func() int64 { return math.MaxInt64 - c.left.Load() }
}

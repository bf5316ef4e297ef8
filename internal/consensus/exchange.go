package consensus

import (
	"context"
	"sync"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// Message is what a block tells in a round.
type Message struct {
	Round int  `json:"round"`
	Sums  Sums `json:"sums"`
	// Values has, for each other block, where the variables are that both have, in steps of 2^-fraction: 4 bytes for
	// each. nil where there are none.
	Values [][]int32 `json:"-"`
}

// Sums are a block's parts of what all blocks add up, to the same decisions.
type Sums struct {
	// Bound is the block's dual bound, Objective what its ground rules cost at the point that was agreed, and Violation
	// the largest violation there.
	Bound, Objective, Violation float64
	// Apart is how far the block's values were from those agreed, in the last round, and Moved how far these had moved:
	// squares weighted by the scales.
	Apart, Moved float64
	// Status is that of the local solve.
	Status solve.Status
	// Work is the time of the local solve in seconds. Nothing depends on it.
	Work float64
}

// Exchange carries messages between blocks. Gather tells a block's message of a round, waits for those of all others,
// and returns the sums of all blocks, and the values that each other block has for this one. A block that asks again
// for a round that it has had gets the same.
type Exchange interface {
	Gather(ctx context.Context, block int, m *Message) (sums []Sums, values [][]int32, err error)
}

// memory is an exchange between goroutines.
type memory struct {
	mu      sync.Mutex
	told    *sync.Cond
	rounds  map[int][]*Message
	read    map[int]int
	blocks  int
	stopped bool
}

// NewMemory returns an exchange within a process.
func NewMemory(blocks int) Exchange {
	x := &memory{rounds: make(map[int][]*Message), read: make(map[int]int), blocks: blocks}
	x.told = sync.NewCond(&x.mu)
	return x
}

// Gather implements Exchange.
func (x *memory) Gather(ctx context.Context, block int, m *Message) ([]Sums, [][]int32, error) {
	defer context.AfterFunc(ctx, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.stopped = true
		x.told.Broadcast()
	})()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.rounds[m.Round] == nil {
		x.rounds[m.Round] = make([]*Message, x.blocks)
	}
	all := x.rounds[m.Round]
	all[block] = m
	x.told.Broadcast()
	for !x.stopped && missing(all) {
		x.told.Wait()
	}
	if x.stopped {
		return nil, nil, context.Cause(ctx)
	}
	sums, values := make([]Sums, x.blocks), make([][]int32, x.blocks)
	for k, other := range all {
		sums[k], values[k] = other.Sums, other.Values[block]
	}
	if x.read[m.Round]++; x.read[m.Round] == x.blocks {
		delete(x.rounds, m.Round)
		delete(x.read, m.Round)
	}
	return sums, values, nil
}

func missing(all []*Message) bool {
	for _, m := range all {
		if m == nil {
			return true
		}
	}
	return false
}

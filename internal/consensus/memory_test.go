package consensus

import (
	"context"
	"slices"
	"sync"
)

// memory is an exchange between goroutines.
type memory struct {
	mu      sync.Mutex
	told    *sync.Cond
	steps   map[int][][][]byte // by step, the letters of each block
	read    map[int]int
	blocks  int
	stopped bool
}

func newMemory(blocks int) Exchange {
	x := &memory{steps: make(map[int][][][]byte), read: make(map[int]int), blocks: blocks}
	x.told = sync.NewCond(&x.mu)
	return x
}

// Gather implements Exchange.
func (x *memory) Gather(ctx context.Context, block, step int, letters [][]byte) ([][]byte, error) {
	defer context.AfterFunc(ctx, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.stopped = true
		x.told.Broadcast()
	})()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.steps[step] == nil {
		x.steps[step] = make([][][]byte, x.blocks)
	}
	all := x.steps[step]
	all[block] = letters
	x.told.Broadcast()
	for !x.stopped && slices.ContainsFunc(all, func(letters [][]byte) bool { return letters == nil }) {
		x.told.Wait()
	}
	if x.stopped {
		return nil, context.Cause(ctx)
	}
	told := make([][]byte, x.blocks)
	for k, other := range all {
		told[k] = other[block]
	}
	if x.read[step]++; x.read[step] == x.blocks {
		delete(x.steps, step)
		delete(x.read, step)
	}
	return told, nil
}

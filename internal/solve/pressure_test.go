//go:build linux

package solve_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// dropCache makes the system forget what it has of a file in memory, as it does where others need the memory.
func dropCache(file *os.File) error {
	return errors.Join(file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// A model in a file must have the same answer if the system has no memory to cache the file.
func TestPagedUnderPressure(t *testing.T) {
	m, theta, _ := mrftest.Random(rand.New(rand.NewPCG(4, 5)),
		mrftest.Shape{Variables: 2000, Blocks: 6, Potentials: 8000, Kinds: mrftest.Soft, Arity: 4})
	settings := solve.Settings{Gap: 1e-3, MaxIterations: 12}
	want := slices.Clone(solvedWith(t, paged(t, m), theta, settings, 1000).Y)
	model, done := paged(t, m), make(chan struct{})
	var dropping sync.WaitGroup
	var dropped atomic.Int64
	dropping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				eachScratch(t, dropCache)
				dropped.Add(1)
			}
		}
	})
	// A busy disk makes dropping slow, so it is solved until it was dropped twice meanwhile.
	for start := dropped.Load(); dropped.Load() < start+2; {
		if got := solvedWith(t, model, theta, settings, 1000); !slices.Equal(got.Y, want) {
			t.Error("other bits where the file was dropped from memory")
			break
		}
	}
	close(done)
	dropping.Wait()
}

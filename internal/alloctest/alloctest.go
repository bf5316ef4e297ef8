// Package alloctest measures what code allocates, for tests that hold readers of files to a bound.
package alloctest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// SkipIfRacing skips a test under the race detector, where more of what code makes is on the heap.
func SkipIfRacing(t testing.TB) {
	t.Helper()
	if racing {
		t.Skip("counts allocations; not with -race")
	}
}

// Bytes returns how many bytes f allocates, those that it gives back included. Nothing else may run beside it.
func Bytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// peakPercent is how much garbage the collector lets be, in percent of what is alive, while Peak measures.
const peakPercent = 10

// Peak returns by how many bytes the heap grows at most while f runs: what is alive, and the little garbage that is not
// collected yet. Nothing else may run beside it.
func Peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(peakPercent))
	runtime.GC()
	before := heap()
	peak := before
	done := make(chan struct{})
	var sampler sync.WaitGroup
	sampler.Go(func() {
		for running := true; running; peak = max(peak, heap()) {
			select {
			case <-done:
				running = false
			case <-time.After(samplePeriod):
			}
		}
	})
	f()
	close(done)
	sampler.Wait()
	return peak - before
}

// samplePeriod is how often Peak looks.
const samplePeriod = 50 * time.Microsecond

// heap returns the bytes of the objects on the heap.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Damage sets all bits of a byte of data, then flips them, and calls visit each time with the place of the byte; and so
// for all bytes, one after the other. data is as before when Damage returns.
func Damage(data []byte, visit func(at int)) {
	for at, was := range data {
		for _, b := range [...]byte{0xff, ^was} {
			data[at] = b
			visit(at)
		}
		data[at] = was
	}
}

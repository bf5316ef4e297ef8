package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A large heap here is arenas without pointers, which live long and cost the collector next to nothing. So it may run
// more often than by default, where garbage could take as much memory again as what is alive.
const (
	largeHeap = 128 << 20
	often     = 20 // per cent of the live heap that may be garbage
)

// SaveMemory lets the collector run more often as soon as the heap is large, unless the user says how often. It looks
// after each collection.
func SaveMemory() {
	afterCollection(func() (again bool) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		if metrics.Read(live); live[0].Value.Uint64() < largeHeap {
			return true
		}
		CollectOften()
		return false
	})
}

// CollectOften lets the collector run more often from now on, unless the user says how often.
func CollectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(often)
	}
}

// leastLimit is the least limit for the garbage collector: below it, a program does little else than collect.
const leastLimit = 64 << 20

// LimitMemory makes the garbage collector keep to the given memory, unless that is 0; a lower limit stays.
func LimitMemory(given int64) {
	limit := max(given, leastLimit)
	if now := debug.SetMemoryLimit(-1); given > 0 && limit < now {
		debug.SetMemoryLimit(limit)
	}
}

// afterCollection calls look after each garbage collection, until it returns false.
func afterCollection(look func() (again bool)) {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		if look() {
			afterCollection(look)
		}
	})
}

package command

import (
	"errors"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/internal/preflight"
)

// bounds end a command from outside, wherever it is: it may be reading, sorting or joining, and need not listen.
type bounds struct {
	memory atomic.Int64 // in bytes; 0 for none
	ended  chan error   // why the command is to be left
}

var errTimeLimit = errors.New("the time limit is over, and there is no answer yet")

// KeepTo ends the command if the process takes more than so many bytes of memory; 0 means that it may take any amount.
// Estimates and sizes are looked at before, where they are known: this is for all else.
func (e *Env) KeepTo(memory int64) { e.bounds.memory.Store(memory) }

// EndAfter ends the command after some time, unless an answer is on its way then. 0 means never.
func (e *Env) EndAfter(limit time.Duration) {
	if limit <= 0 {
		return
	}
	time.AfterFunc(limit, func() {
		if !e.Answering.Load() {
			e.end(errTimeLimit)
		}
	})
}

// end leaves the command.
func (e *Env) end(err error) {
	select {
	case e.bounds.ended <- err:
	default: // it is ending already
	}
}

const (
	// watching is how often the memory is looked at.
	watching = 10 * time.Millisecond
	// tolerance is by what factor the memory may be exceeded: the collector keeps to the limit by and by.
	tolerance = 1.05
	// leastMemory is what any command may take.
	leastMemory = 64 << 20
)

// keepToMachine lets a command take what the machine has left.
func (e *Env) keepToMachine() {
	if available, known := preflight.Available(os.DirFS("/")); known {
		e.KeepTo(available + taken())
	}
}

// watch ends the command when it takes too much memory, until done is closed.
func (e *Env) watch(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(watching):
		}
		if e.exceeds() {
			debug.FreeOSMemory() // what is over the limit may be garbage
			if e.exceeds() {
				e.end(Usage("memory-exceeded", "give more memory with --memory SIZE, or less data",
					"this needs more memory than the %s that there are for it", preflight.Size(float64(e.bounds.memory.Load()))))
			}
		}
	}
}

// exceeds tells whether the process takes more memory than it may.
func (e *Env) exceeds() bool {
	limit := e.bounds.memory.Load()
	return limit > 0 && float64(taken()) > tolerance*float64(max(limit, leastMemory))
}

// taken returns how many bytes the process has from the system, as the collector's own limit counts them.
func taken() int64 {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return int64(all[0].Value.Uint64() - all[1].Value.Uint64())
}

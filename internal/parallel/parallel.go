// Package parallel runs loops on several goroutines with results that do not depend on how many: the work is cut into
// tasks by its size alone, each task writes to places of its own, and sums are taken over tasks in order.
package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Threads returns the number of goroutines to use where a setting says n: n itself, or GOMAXPROCS if n is not positive.
func Threads(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// For calls body(task) once for each task in [0,tasks), on at most threads goroutines, the caller's included. Tasks are
// handed out in order, but may end in any; body must write only to places that belong to its task.
//
// Where the caller has faults of memory become panics (debug.SetPanicOnFault), so do the other goroutines, and the
// runtime's errors in any of them (faults, and indexes out of range) are the caller's panic, when all have ended.
func For(threads, tasks int, body func(task int)) {
	if threads > tasks {
		threads = tasks
	}
	if threads <= 1 {
		for task := range tasks {
			body(task)
		}
		return
	}
	forShared(threads, tasks, body)
}

// started counts the goroutines that loops have started.
var started atomic.Int64

// Started returns how many goroutines loops have started until now, for tests that look whether a bound is kept.
func Started() int64 { return started.Load() }

// forShared lets goroutines take tasks from a shared counter, so that a slow one does not hold up the others.
func forShared(threads, tasks int, body func(task int)) {
	var next atomic.Int64
	take := func() {
		for {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return
			}
			body(task)
		}
	}
	faults := make(chan error, threads)
	work := take
	if panicsOnFault() {
		work = func() {
			debug.SetPanicOnFault(true)
			defer func() {
				if err := runtimeError(recover()); err != nil {
					next.Store(int64(tasks)) // there is no use in the others
					faults <- err
				}
			}()
			take()
		}
	}
	started.Add(int64(threads - 1))
	var others sync.WaitGroup
	for range threads - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	select {
	case err := <-faults:
		panic(err)
	default:
	}
}

// panicsOnFault tells what debug.SetPanicOnFault has set for this goroutine.
func panicsOnFault() bool {
	set := debug.SetPanicOnFault(false)
	debug.SetPanicOnFault(set)
	return set
}

// runtimeError returns what was recovered if it is an error of the runtime's; any other panic goes on.
func runtimeError(recovered any) error {
	err, ok := recovered.(runtime.Error)
	if recovered != nil && !ok {
		panic(recovered)
	}
	if ok {
		return err
	}
	return nil
}

// Grain is the least number of elements in a task of Range and Sum, unless there are fewer: enough to hide the cost of
// a hand-over.
const Grain = 1 << 14

// Range calls body(lo, hi) for consecutive pieces of [0,n) that are equally long, of Grain to 2·Grain elements.
func Range(threads, n int, body func(lo, hi int)) {
	if n > 0 {
		count := pieces(n)
		For(threads, count, func(task int) { body(task*n/count, (task+1)*n/count) })
	}
}

// Sum adds body(lo, hi) over the pieces of [0,n) that Range would make, in their order.
func Sum(threads, n int, body func(lo, hi int) float64) float64 {
	count := pieces(n)
	if count == 1 {
		return body(0, n)
	}
	partial := make([]float64, count)
	For(threads, count, func(task int) { partial[task] = body(task*n/count, (task+1)*n/count) })
	total := 0.0
	for _, p := range partial {
		total += p
	}
	return total
}

func pieces(n int) int { return max(1, n/Grain) }

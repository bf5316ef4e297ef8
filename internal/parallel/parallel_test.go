package parallel

import (
	"math/rand/v2"
	"runtime/debug"
	"sync/atomic"
	"testing"
)

func TestForRunsEachTaskOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		for _, tasks := range []int{0, 1, 2, 100} {
			count := make([]int, tasks)
			For(threads, tasks, func(task int) { count[task]++ })
			for task, c := range count {
				if c != 1 {
					t.Errorf("threads %d: task %d of %d ran %d times", threads, task, tasks, c)
				}
			}
		}
	}
}

func TestRangeCoversEachElementOnce(t *testing.T) {
	for _, n := range []int{0, 1, Grain, Grain + 1, 2*Grain - 1, 5*Grain + 3} {
		seen := make([]int, n)
		Range(3, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				seen[i]++
			}
		})
		for i, c := range seen {
			if c != 1 {
				t.Fatalf("n = %d: element %d visited %d times", n, i, c)
			}
		}
	}
}

func TestSumHasTheSameBitsForAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 7*Grain+11)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	sum := func(threads int) float64 {
		return Sum(threads, len(values), func(lo, hi int) float64 {
			s := 0.0
			for _, v := range values[lo:hi] {
				s += v
			}
			return s
		})
	}
	for _, threads := range []int{2, 3, 8} {
		if got, want := sum(threads), sum(1); got != want {
			t.Errorf("%d threads: %v, one thread: %v", threads, got, want)
		}
	}
}

func TestThreads(t *testing.T) {
	if Threads(3) != 3 || Threads(0) < 1 || Threads(-1) < 1 {
		t.Errorf("Threads(3), Threads(0), Threads(-1) = %d, %d, %d", Threads(3), Threads(0), Threads(-1))
	}
}

// fault is an error of the runtime's.
type fault struct{}

func (fault) Error() string { return "fault" }

func (fault) RuntimeError() {}

// A fault in any goroutine must be the caller's panic, after which nothing runs any more.
func TestFaultsAreTheCallers(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, threads := range []int{1, 2, 5} {
		for _, bad := range []int{0, 50} {
			var running atomic.Int64
			func() {
				defer func() {
					if recover() != (fault{}) || running.Load() != 0 {
						t.Errorf("%d threads: no fault of task %d, or %d goroutines left", threads, bad, running.Load())
					}
				}()
				For(threads, 100, func(task int) {
					running.Add(1)
					defer running.Add(-1)
					if task == bad {
						panic(fault{})
					}
				})
			}()
		}
	}
	if !panicsOnFault() {
		t.Error("the setting is not what it was")
	}
}

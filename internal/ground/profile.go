package ground

import (
	"sync"
	"sync/atomic"
	"time"
)

// StepProfile tells what one step of a plan did.
type StepProfile struct {
	// Rows counts those that it handed to the next step.
	Rows int64
	// Tabled says that it was run once for each value that those before it have, and a table took its place: so many
	// rows it handed on for that.
	Tabled bool
	// Seconds is about the time that threads spent in it, the steps behind it left out; 0 unless Options.Profile is
	// set.
	Seconds float64
	// Bytes is the size of the index that it goes by, which other steps and rules may share.
	Bytes int64
}

// profiler looks now and then which op each machine is at, and so finds where the time goes without measuring it.
type profiler struct {
	mu      sync.Mutex
	at      []*atomic.Int32 // per machine, its op; -1 while it rests
	seconds []float64       // per op, and behind them of making ground rules
	stop    chan struct{}
	done    chan struct{}
}

// interval is how often it looks.
const interval = 500 * time.Microsecond

// newProfiler begins to look at machines of so many ops.
func newProfiler(ops int) *profiler {
	p := &profiler{seconds: make([]float64, ops+1), stop: make(chan struct{}), done: make(chan struct{})}
	go p.look()
	return p
}

// look adds the time since the last look to the ops that machines are at.
func (p *profiler) look() {
	defer close(p.done)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
		}
		now := time.Now()
		passed := float64(now.Sub(last)) / float64(time.Second)
		last = now
		p.mu.Lock()
		for _, at := range p.at {
			if op := at.Load(); op >= 0 {
				p.seconds[op] += passed
			}
		}
		p.mu.Unlock()
	}
}

// register returns where one more machine notes its op.
func (p *profiler) register() *atomic.Int32 {
	at := new(atomic.Int32)
	at.Store(-1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = append(p.at, at)
	return at
}

// end stops looking and returns the seconds of each op, and behind them those of making ground rules.
func (p *profiler) end() []float64 {
	close(p.stop)
	<-p.done
	return p.seconds
}

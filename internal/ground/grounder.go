package ground

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/scratch"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Options are the settings of grounding.
type Options struct {
	// Threads bounds the goroutines at work; not positive means GOMAXPROCS. The model has the same bits for any
	// number.
	Threads int
	// DiscardMissing drops ground rules with an atom of an open predicate that is neither observed nor a target, and
	// counts them, where otherwise such atoms are errors.
	DiscardMissing bool
	// DiscardViolated drops hard ground rules that no values of the variables satisfy, and counts them; otherwise
	// they are errors.
	DiscardViolated bool
	// Scratch, if not nil, takes the arenas as they are made, so that no more than a small part of them is in memory
	// at once; the model's blocks are then mapped from it.
	Scratch *scratch.File
	// Most bounds, in bytes, the arenas and derived tuples that are in memory; 0 means no bound. Where there would be
	// more, the error is an *Excess.
	Most int64
	// Profile has the report tell how long each step took.
	Profile bool
	// Free has indexes freed behind the last rule that needs them. Without it they stay with their relations, for whom
	// grounds these again.
	Free bool

	// Of tests: see plan.Plan.MeetAll and ReduceAll, whether all is tabled that can be, whether nothing is and no rows are
	// taken side by side, and whether all are arranged and looked ahead to.
	meetAll, reduceAll, tableAll, oneByOne, arrangeAll bool
}

// Excess is the error of a rule with which there would be more in memory than Options.Most.
type Excess struct {
	Rule *program.Rule
	Most int64
}

// Error says which rule it was.
func (e *Excess) Error() string {
	return fmt.Sprintf("more than %d bytes for the ground rules up to: %s", e.Most, e.Rule.Text)
}

func (o *Options) discards() discards { return discards{o.DiscardMissing, o.DiscardViolated} }

// pieces is the number of parts into which a rule's work is cut, whatever the number of threads: enough that a few
// expensive ones do not leave the other threads waiting. Each thread has one piece in memory, so that there are more
// of them where memory is short; where little is expected to be done, fewPieces will do.
const pieces, pagedPieces, fewPieces = 256, 1024, 16

// worthPiece is about how many rows a piece should touch.
const worthPiece = 256

// grounder runs rules over one store.
type grounder struct {
	scope    *scope
	threads  int
	spill    *mrf.Spill  // nil if all is kept in memory
	stop     atomic.Bool // set when the context ends, the disk is full, or there is too much in memory
	most     int64       // Options.Most
	options  Options
	profiler *profiler    // of the rule at hand; nil unless Options.Profile is set
	held     atomic.Int64 // bytes in memory, in portions that have been handed over
	release  func() bool
}

// newGrounder also watches the context, in a way that inner loops can ask about cheaply.
func newGrounder(ctx context.Context, s *scope, opts Options) *grounder {
	g := &grounder{scope: s, threads: parallel.Threads(opts.Threads), most: opts.Most, options: opts}
	if opts.Scratch != nil {
		g.spill = mrf.NewSpill(opts.Scratch)
	}
	g.release = context.AfterFunc(ctx, func() { g.stop.Store(true) })
	return g
}

// leastTiers is how many rows a rule should touch for more than its last loop to be taken side by side.
func (g *grounder) leastTiers() float64 {
	if g.options.arrangeAll {
		return 0
	}
	return worthTiers
}

// hold counts bytes that are in memory from now on, and ends grounding if they are too many.
func (g *grounder) hold(bytes int64) {
	if held := g.held.Add(bytes); g.most > 0 && held > g.most {
		g.stop.Store(true)
	}
}

// excess returns the error of having held too much, if so.
func (g *grounder) excess(rule *program.Rule) error {
	if g.most > 0 && g.held.Load() > g.most {
		return &Excess{rule, g.most}
	}
	return nil
}

// keep returns the bytes of the blocks' arenas, and writes them to the file if there is one.
func (g *grounder) keep(blocks []*mrf.Block) (total int64) {
	for _, b := range blocks {
		total += b.Bytes()
		if g.spill != nil {
			g.spill.Block(b)
		}
	}
	if g.spill != nil && g.spill.Broken() {
		g.stop.Store(true)
	}
	return total
}

// each runs the routine over all its pieces and hands each piece's machine to done, and on the way to take whenever
// the machine has made much; both run concurrently, but never for one piece.
func (g *grounder) each(r *routine, take, done func(piece int, m *machine)) {
	machines := sync.Pool{New: func() any {
		m := newMachine(r, &g.stop)
		if g.profiler != nil {
			m.now = g.profiler.register()
		}
		return m
	}}
	parallel.For(g.threads, r.pieces(), func(piece int) {
		if g.stop.Load() {
			return
		}
		ended := false
		defer func() {
			if !ended {
				g.stop.Store(true) // in a panic: nobody may wait for this piece
			}
		}()
		m := machines.Get().(*machine)
		m.counts, m.problems = Counts{}, problems{}
		m.handOver(func() { take(piece, m) })
		m.run(r.piece(piece))
		done(piece, m)
		ended = true
		m.note(-1)
		machines.Put(m)
	})
}

// cut is where one piece ends and the next begins: at a row of the pivot and, if that row leads to more than a piece,
// at one of the rows of the next loop, by their places.
type cut struct{ row, inner int32 }

// pieces returns how many pieces the routine's rows are cut into.
func (r *routine) pieces() int {
	switch {
	case r.never || r.upper <= r.dust:
		return 0
	case r.pivot < 0:
		return 1
	case r.cuts != nil:
		return len(r.cuts) - 1
	}
	return min(r.most, int(r.hi-r.lo))
}

// piece returns where one piece begins and ends; all pieces have the same number of rows, give or take one.
func (r *routine) piece(k int) (from, to cut) {
	switch {
	case r.pivot < 0:
		return cut{}, cut{}
	case r.cuts != nil:
		return r.cuts[k], r.cuts[k+1]
	}
	n, rows := int64(r.pieces()), int64(r.hi-r.lo)
	return cut{row: r.lo + int32(int64(k)*rows/n)}, cut{row: r.lo + int32(int64(k+1)*rows/n)}
}

// fewRows is how many rows a pivot has at most for it to be looked at how many rows of the next loop each leads to.
const fewRows = 1 << 16

// divide cuts within the pivot's rows where some of them lead to more of the next loop's than a piece should have:
// one row of a star would else be the work of one thread.
func (r *routine) divide() {
	r.cuts, r.inner = nil, -1
	rows := int(r.hi - r.lo)
	next := r.nextLoop()
	if next < 0 || rows == 0 || rows > fewRows {
		return
	}
	widths, total, widest := make([]int64, rows), int64(0), int64(0)
	slots, key, asked := slices.Clone(r.slots), make([]symbol.ID, len(r.ops[next].key)), r.asked(next)
	for k := range widths {
		row := r.ops[r.pivot].row(r.lo, k)
		for _, b := range asked {
			slots[b.slot] = b.column[row]
		}
		widths[k] = max(1, r.ops[next].width(slots, key))
		total += widths[k]
		widest = max(widest, widths[k])
	}
	n := min(int64(r.most), total)
	if widest*n <= 2*total {
		return
	}
	r.inner = next
	place, before := 0, int64(0)
	for k := range n + 1 {
		at := total / n * k
		if k == n {
			at = total
		}
		for place < rows && before+widths[place] <= at {
			before += widths[place]
			place++
		}
		r.cuts = append(r.cuts, cut{r.lo + int32(place), int32(at - before)})
	}
}

// nextLoop returns the loop behind the pivot if it is known which rows it has for each of the pivot's, -1 if there is
// none.
func (r *routine) nextLoop() int {
	for k := r.pivot + 1; r.pivot >= 0 && k < len(r.ops); k++ {
		switch o := &r.ops[k]; {
		case o.lists != nil || o.found != nil && o.found.function != nil:
			return -1 // what a function fails to give would be told twice
		case o.kind == plan.Scan || o.kind == plan.Probe && r.knows(o.key):
			return k
		case o.kind == plan.Probe:
			return -1
		}
	}
	return -1
}

// width returns how many rows a loop has where these are the slots. The key is scratch.
func (o *op) width(slots, key []symbol.ID) int64 {
	if o.kind == plan.Scan {
		return int64(o.size)
	}
	for i, slot := range o.key {
		key[i] = slots[slot]
	}
	lo, hi := o.index.Range(key)
	return int64(hi - lo)
}

package ground

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// collection takes what the machines make of one rule, piece by piece, in portions: a piece may make any amount, as one
// row of the pivot can lead to millions of ground rules. What comes from the first piece that is not done is joined at
// once; what comes from others waits for those before them.
type collection struct {
	grounder *grounder
	routine  *routine

	mu       sync.Mutex
	assembly assembly
	next     int        // the first piece that is not done
	reached  int        // the first piece of which nothing has been joined
	waiting  [][]*batch // per piece
	ahead    int64      // how many bytes wait of pieces behind the first one
	roomy    int64      // how many may, at least
	done     []bool     // per piece
	joining  []*batch   // which have their places, but have not been copied there
	spare    []*batch   // whose potentials are joined
	before   []int64    // per piece, how many bytes there were of those before it when it became the first one
	arrived  int64      // how many there are of those before the first one, and of this
	joined   int64      // how many of them have been joined
	expected float64    // how many a sample makes all pieces have; 0 if there is none

	paged  [][]*mrf.Block // per piece, what is in the file
	counts []Counts
	found  []problems
	passed []atomic.Int64 // per op, the rows that went on
	size   atomic.Int64   // of what is in the file, in bytes
	// first is the first block with coefficients that has gone to the file: others mostly have the same, and share them.
	// Those of long sums are larger than all else that a block leaves in memory.
	first atomic.Pointer[mrf.Block]
}

func newCollection(g *grounder, r *routine) *collection {
	n := r.pieces()
	return &collection{grounder: g, routine: r, assembly: assembly{routine: r}, waiting: make([][]*batch, n),
		done: make([]bool, n), before: make([]int64, n+1), paged: make([][]*mrf.Block, n),
		roomy: leastRoom, counts: make([]Counts, n), found: make([]problems, n), passed: make([]atomic.Int64, len(r.ops))}
}

// take empties a machine's batches into the collection. It may run for several pieces at once.
func (c *collection) take(piece int, m *machine) {
	part := m.take()
	bytes := bytesOf(part)
	paged := c.grounder.spill != nil && bytes >= smallPart
	if paged {
		c.page(piece, part)
	} else {
		c.grounder.hold(bytes)
	}
	c.mu.Lock()
	if paged {
		c.joining = append(c.joining, part...)
	} else {
		c.add(piece, part, bytes)
	}
	c.settle()
	for len(m.spare) < len(part) && len(c.spare) > 0 {
		last := len(c.spare) - 1
		m.spare, c.spare = append(m.spare, c.spare[last]), c.spare[:last]
	}
	c.mu.Unlock()
}

// add joins batches of the first piece, and lets others wait.
func (c *collection) add(piece int, part []*batch, bytes int64) {
	c.await(piece)
	first := piece == c.next
	if first {
		c.arrived += bytes
	} else {
		c.ahead += bytes
	}
	if first && c.foreseen() {
		c.join(part)
	} else {
		c.waiting[piece] = append(c.waiting[piece], part...)
	}
}

// leastRoom is how many bytes may always wait for the pieces before them.
const leastRoom = 64 << 20

// await waits, with the mutex, until there is room for more of a piece behind the first one: on a busy machine a thread
// may not get its turn for long, and the others would fill the memory meanwhile. There is room for what two pieces of
// each thread make. The first piece never waits, and nobody for one that panics: then all stop.
func (c *collection) await(piece int) {
	each := c.total() / float64(len(c.done))
	room := max(c.roomy, int64(2*each*float64(c.grounder.threads)))
	for piece != c.next && c.ahead > room && !c.grounder.stop.Load() {
		c.mu.Unlock()
		time.Sleep(time.Millisecond)
		c.mu.Lock()
	}
}

// settle has what has been joined copied, without the mutex, which it is called with, and keeps the memory of the
// batches.
func (c *collection) settle() {
	part, moves := c.joining, c.assembly.pending()
	c.joining = nil
	c.mu.Unlock()
	settle(moves)
	c.assembly.still.RUnlock()
	c.mu.Lock()
	for _, b := range part {
		b.reset()
	}
	c.spare = append(c.spare, part...)
}

// page writes batches to the file.
func (c *collection) page(piece int, part []*batch) {
	own := assembly{routine: c.routine}
	own.add(part, 1)
	blocks := own.blocks()
	for _, b := range blocks {
		c.share(b)
	}
	c.paged[piece] = append(c.paged[piece], blocks...)
	c.size.Add(c.grounder.keep(blocks))
}

// join appends batches of a piece before which all are done to the arenas.
func (c *collection) join(part []*batch) {
	c.joined += bytesOf(part)
	c.assembly.add(part, c.total()/float64(max(1, c.joined)))
	c.joining = append(c.joining, part...)
}

// total estimates how many bytes all pieces make: as a sample says, and the further the pieces are the more that those
// which are not done make as much as the last quarter of those before.
func (c *collection) total() float64 {
	pieces, arrived := float64(len(c.done)), float64(c.arrived)
	recent := arrived
	if c.next > 0 {
		from := c.next - (c.next+3)/4
		recent = float64(c.before[c.next]-c.before[from]) / float64(c.next-from)
	}
	left := pieces - float64(c.next)
	total := float64(c.before[c.next]) + recent*left
	if c.expected > 0 {
		total += (c.expected - total) * left / pieces
	}
	return max(arrived, total)
}

// glimpse is which part of the pieces must be done for it to be known how much room arenas need: one that turns out too
// small is there twice while it is copied. Where a sample has told that, fewer will do, to tell shapes.
const glimpse, sampledGlimpse = 16, 64

// foreseen tells whether so many are.
func (c *collection) foreseen() bool {
	if c.expected > 0 {
		return c.next >= len(c.done)/sampledGlimpse
	}
	return c.next >= len(c.done)/glimpse
}

// end takes what a machine has counted in a piece.
func (c *collection) end(piece int, m *machine) {
	c.take(piece, m)
	c.counts[piece], c.found[piece] = m.counts, m.problems
	for k, passed := range m.passed {
		c.passed[k].Add(passed)
	}
	clear(m.passed)
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.done[piece] = true; c.next < len(c.done) && c.done[c.next]; {
		c.next++
		if c.before[c.next] = c.arrived; c.next < len(c.done) {
			bytes := bytesOf(c.waiting[c.next])
			c.arrived, c.ahead = c.arrived+bytes, c.ahead-bytes
		}
	}
	for ; c.foreseen() && c.reached < min(c.next+1, len(c.done)); c.reached++ {
		c.join(c.waiting[c.reached])
		c.waiting[c.reached] = nil
	}
	c.settle()
}

// share gives a block the first one's coefficients if they are the same.
func (c *collection) share(b *mrf.Block) {
	c.first.CompareAndSwap(nil, b)
	if first := c.first.Load(); first != b && slices.Equal(first.Coef, b.Coef) {
		b.Coef = first.Coef
	}
}

// portion is about how many bytes of potentials a machine holds before it hands them over: many times what is worth a
// block of its own, and little beside any memory.
const portion = 4 << 20

// handOver makes the machine call take whenever it has made a portion more.
func (m *machine) handOver(take func()) {
	m.full = take
	m.due = m.routine.portion()
}

// portion returns how many ground rules make a portion, where none is longer than the rule.
func (r *routine) portion() int64 { return portion / int64(4*(len(r.atoms)+2)) }

// crowded hands over what the machine has made since the last time. What a derivation keeps has to double before it is
// worth it again.
func (m *machine) crowded() {
	m.full()
	m.due = m.counts.Potentials + max(m.routine.portion(), int64(m.heads.len))
}

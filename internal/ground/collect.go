package ground

import (
	"slices"
	"sync"
	"sync/atomic"

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
	waiting  [][]*batch // per piece
	done     []bool     // per piece
	spare    []*batch   // whose potentials are joined
	before   []int64    // per piece, how many bytes had been joined when it became the first one
	joined   int64      // how many have been by now

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
		done: make([]bool, n), before: make([]int64, n), paged: make([][]*mrf.Block, n),
		counts: make([]Counts, n), found: make([]problems, n), passed: make([]atomic.Int64, len(r.ops))}
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
	defer c.mu.Unlock()
	switch {
	case paged:
		c.reuse(part)
	case piece == c.next:
		c.join(part)
	default:
		c.waiting[piece] = append(c.waiting[piece], part...)
	}
	for len(m.spare) < len(part) && len(c.spare) > 0 {
		last := len(c.spare) - 1
		m.spare, c.spare = append(m.spare, c.spare[last]), c.spare[:last]
	}
}

// page writes batches to the file.
func (c *collection) page(piece int, part []*batch) {
	own := assembly{routine: c.routine}
	for _, b := range part {
		own.add(b, 0)
	}
	blocks := own.blocks()
	for _, b := range blocks {
		c.share(b)
	}
	c.paged[piece] = append(c.paged[piece], blocks...)
	c.size.Add(c.grounder.keep(blocks))
}

// join appends batches of the first piece that is not done to the arenas.
func (c *collection) join(part []*batch) {
	c.joined += bytesOf(part)
	more := c.more()
	for _, b := range part {
		c.assembly.add(b, more)
	}
	c.reuse(part)
}

// more estimates how many times as much is to come as has been joined: the pieces to come make as much as the last
// quarter of those before.
func (c *collection) more() float64 {
	from := c.next - c.next/4
	recent := float64(c.joined-c.before[from]) / float64(c.next+1-from)
	return recent * float64(len(c.done)-c.next-1) / float64(max(1, c.joined))
}

// reuse keeps the memory of batches.
func (c *collection) reuse(part []*batch) {
	for _, b := range part {
		b.reset()
	}
	c.spare = append(c.spare, part...)
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
		if c.next++; c.next < len(c.done) {
			c.before[c.next] = c.joined
			c.join(c.waiting[c.next])
			c.waiting[c.next] = nil
		}
	}
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

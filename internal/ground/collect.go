package ground

import (
	"slices"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// collection takes what the machines make of one rule, piece by piece, in portions: a piece may make any amount, as one
// row of the pivot can lead to millions of ground rules.
type collection struct {
	grounder *grounder
	routine  *routine

	parts  [][]*batch     // per piece, what waits in memory to be joined
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
	return &collection{grounder: g, routine: r, parts: make([][]*batch, n), paged: make([][]*mrf.Block, n),
		counts: make([]Counts, n), found: make([]problems, n), passed: make([]atomic.Int64, len(r.ops))}
}

// take empties a machine's batches into the collection. It may run for several pieces at once.
func (c *collection) take(piece int, m *machine) {
	part := m.take()
	if bytes := bytesOf(part); c.grounder.spill == nil || bytes < smallPart {
		c.parts[piece] = append(c.parts[piece], part...)
		c.grounder.hold(bytes)
		return
	}
	blocks := assemble(c.routine, [][]*batch{part}, 1)
	for _, b := range blocks {
		c.share(b)
	}
	c.paged[piece] = append(c.paged[piece], blocks...)
	c.size.Add(c.grounder.keep(blocks))
}

// end takes what a machine has counted in a piece.
func (c *collection) end(piece int, m *machine) {
	c.take(piece, m)
	c.counts[piece], c.found[piece] = m.counts, m.problems
	for k, passed := range m.passed {
		c.passed[k].Add(passed)
	}
	clear(m.passed)
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

package ground

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Derive evaluates the definition of a derived relation: the last atom of rule is the head, the others, of closed
// predicates, the body. It returns the different head tuples, column by column, in the order in which the plan finds
// them first, and how many groundings of the body lead to each: those whose Łukasiewicz conjunction is above 0. Errors
// are the context's, an *Excess, or diagnostics of values that functions fail to give. Of the options, the threads and
// the bound on memory count.
func Derive(
	ctx context.Context, store *relation.Store, rule *program.Rule, opts Options,
) (columns [][]symbol.ID, counts []int32, err error) {
	g := newGrounder(ctx, newScope(store), Options{Threads: opts.Threads, Most: opts.Most})
	defer g.release()
	g.scope.declare(rule)
	last := len(rule.Atoms) - 1
	body := *rule
	body.Atoms = rule.Atoms[:last]
	chosen, err := plan.New(ctx, &body, store)
	if err != nil {
		return nil, nil, err
	}
	r := compile(g.threads, chosen, g.scope)
	head := r.slotsOf(&rule.Atoms[last], every(len(rule.Atoms[last].Args)))
	r.emitBy(func(m *machine) { m.emitHead(head) })
	r.divide()

	parts := make([]tuples, r.pieces())
	found := make([]problems, len(parts))
	g.each(r, func(_ int, m *machine) {
		g.hold(m.condense())
	}, func(piece int, m *machine) {
		g.hold(m.condense())
		parts[piece], found[piece] = m.heads, m.problems
		m.heads, m.condensed = tuples{}, 0
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := g.excess(rule); err != nil {
		return nil, nil, err
	}
	if err := failure(rule, found); err != nil {
		return nil, nil, err
	}
	all := joinTuples(len(head), parts).distinct()
	return all.columns, all.counts, nil
}

// failure returns the problems of a derivation's pieces as diagnostics.
func failure(rule *program.Rule, found []problems) error {
	var all problems
	for piece := range found {
		all.merge(&found[piece])
	}
	var diagnostics source.Diagnostics
	all.diagnose(rule, discards{missing: true}, &diagnostics)
	return diagnostics.Err()
}

// tuples is a bag of tuples by columns; counts says how often each is meant, empty that each is meant once.
type tuples struct {
	columns [][]symbol.ID
	counts  []int32
	len     int
}

// emitHead appends the values of the head's slots.
func (m *machine) emitHead(head []int32) {
	t := &m.heads
	if t.columns == nil {
		t.columns = make([][]symbol.ID, len(head))
	}
	for k, slot := range head {
		t.columns[k] = append(t.columns[k], m.slots[slot])
	}
	if len(t.counts) > 0 {
		t.counts = append(t.counts, 1)
	}
	t.len++
	m.counts.Potentials++
}

// condense leaves each tuple once in the bag, and returns by how many bytes it has grown since the last time.
func (m *machine) condense() (grown int64) {
	m.heads = m.heads.distinct()
	before := m.condensed
	m.condensed = int64(m.heads.len) * int64(4*(len(m.heads.columns)+1))
	return m.condensed - before
}

// distinct returns every tuple once, in the order of first appearance and in memory of its own.
func (t *tuples) distinct() tuples {
	r := &relation.Relation{Arity: len(t.columns), Columns: t.columns, Observed: t.len}
	x := r.Tuples()
	firsts := x.Firsts()
	out := tuples{columns: make([][]symbol.ID, len(t.columns)), counts: make([]int32, len(firsts)), len: len(firsts)}
	key := make([]symbol.ID, len(t.columns))
	for k := range out.columns {
		out.columns[k] = make([]symbol.ID, len(firsts))
	}
	for n, row := range firsts {
		for k, column := range t.columns {
			key[k] = column[row]
			out.columns[k][n] = key[k]
		}
		out.counts[n] = t.count(x.Rows(key...))
	}
	return out
}

// count returns how often the tuples in these rows are meant.
func (t *tuples) count(rows []int32) int32 {
	if len(t.counts) == 0 {
		return int32(len(rows))
	}
	total := int32(0)
	for _, row := range rows {
		total += t.counts[row]
	}
	return total
}

// joinTuples puts the parts one behind the other.
func joinTuples(width int, parts []tuples) *tuples {
	all := &tuples{columns: make([][]symbol.ID, width), counts: []int32{}}
	for _, p := range parts {
		for k, column := range p.columns {
			all.columns[k] = append(all.columns[k], column...)
		}
		all.counts = append(all.counts, p.counts...)
		all.len += p.len
	}
	return all
}

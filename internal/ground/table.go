package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Tabling. Where several loops ask for one value only of what was bound before them, as those over the triangles of a
// node that very many links lead to, they find the same again and again. Then what they find is made once for each
// value that there can be, and one loop goes through that table in their place, in the same order.

// segment is a part of a routine's ops that is worth a table: the ops [from, to), but for those of them that find rows
// which matter to the ground rules; these stay behind the table.
type segment struct {
	from, to int
	key      int32   // the slot with the value that is asked for; -1 if none is
	bound    []int32 // slots
	stay     []int
}

// replaces tells whether a table is in the place of an op.
func (s *segment) replaces(k int) bool { return k >= s.from && k < s.to && !slices.Contains(s.stay, k) }

const (
	// reused is how many times what is found for a value must be asked for on average, and leastAsked in all, for it to
	// be worth a table.
	reused, leastAsked = 4, 1 << 10
	// mostTabled is how many ops are looked at: that takes time with the cube of their number.
	mostTabled = 64
)

// table makes tables for the segments that are worth one, those first that are asked for most often; always is for
// tests.
func (g *grounder) table(r *routine, always bool) {
	meets := func(o op) bool { return o.meets > 0 }
	if len(r.ops) > mostTabled || !slices.ContainsFunc(r.ops, meets) {
		return
	}
	before := len(r.ops)
	for r.pivot >= 0 && !r.never {
		best, most := segment{}, 0.0
		for k := r.pivot + 1; k < len(r.ops); k++ {
			s := r.segmentFrom(k)
			if s.to == 0 {
				continue
			}
			asked := r.plan.Steps[r.stepOf(k-1)].Rows
			times := asked / max(1, float64(r.binder(s.key).values()))
			if times > most && (always || times >= reused && asked >= leastAsked) {
				best, most = s, times
			}
		}
		if best.to == 0 || !g.replace(r, &best, always) {
			break
		}
	}
	if len(r.ops) < before {
		r.chooseLanes()
	}
}

// binder is the column of a relation in which a step of the plan finds a variable.
type binder struct {
	relation *relation.Relation
	column   int
}

// values returns how many values the variable can have.
func (b binder) values() int { return b.relation.DistinctCount(b.column) }

// binder returns where a variable gets its value.
func (r *routine) binder(slot int32) binder {
	for k := range r.plan.Steps {
		s := &r.plan.Steps[k]
		for _, column := range s.Bind {
			if arg := s.Atom.Args[column]; arg.IsVariable() && arg.Variable == int(slot) {
				return binder{s.Relation, column}
			}
		}
	}
	panic("ground: a slot that no step binds")
}

// segmentFrom returns the segment that begins with an op; its end is 0 if there is none. It ends with ops that are met:
// others find in no time what is there, and need no table.
func (r *routine) segmentFrom(from int) (s segment) {
	if r.ops[from].kind != plan.Probe {
		return segment{}
	}
	long := segment{from: from, key: -1}
	for k := from; k < len(r.ops); {
		o := &r.ops[k]
		next := k + 1 + o.meets
		switch {
		case r.includes(&long, r.ops[k:next]):
			if o.meets > 0 {
				long.to = next
				s = long
				s.stay = slices.Clone(long.stay)
			}
		case (o.kind == plan.Match || o.kind == plan.Lookup) && o.lists == nil:
			long.stay = append(long.stay, k)
		default:
			next = len(r.ops)
		}
		k = next
	}
	if s.key < 0 {
		return segment{}
	}
	return s
}

// includes adds ops to a segment if they ask for nothing but its key and what it binds, and if it makes no difference
// to the ground rules which of their rows they find.
func (r *routine) includes(s *segment, ops []op) bool {
	key, bound := s.key, slices.Clone(s.bound)
	knows := func(slots ...int32) bool {
		for _, slot := range slots {
			switch {
			case int(slot) >= len(r.rule.Variables) || slot == key || slices.Contains(bound, slot):
			case key < 0:
				key = slot
			default:
				return false
			}
		}
		return true
	}
	for k := range ops {
		o := &ops[k]
		if o.kind != plan.Probe && o.kind != plan.Match || o.once != nil || o.found == nil || o.prunes ||
			o.found.observed == 0 || !o.found.settled(o) || !knows(o.key...) || !knows(o.aheadKey...) {
			return false
		}
		for _, b := range o.bind {
			bound = append(bound, b.slot)
		}
		for _, c := range o.decide {
			if !knows(c.left, c.right) {
				return false
			}
		}
	}
	s.key, s.bound = key, bound
	return true
}

// replace puts a table in the place of a segment, and tells whether it has: not if it would be longer than the rows
// that are gone through without it.
func (g *grounder) replace(r *routine, s *segment, always bool) bool {
	most := int(min(r.plan.Steps[r.stepOf(s.to-1)].Rows, 1<<30))
	if always {
		most = 1 << 30
	}
	b := r.binder(s.key)
	all, passed, ok := g.tabulate(r, s, b.relation.Constants(b.column), most)
	if !ok {
		return false
	}
	x := all.Index(0)
	o := op{
		kind: plan.Probe, at: -1, size: int32(all.Len()), places: int32(all.Len()), index: x, grouped: x.Grouped(),
		key: []int32{s.key}, whole: r.ops[s.to-1].whole,
	}
	for k, slot := range s.bound {
		o.bind = append(o.bind, binding{all.Columns[1+k], slot})
	}
	ops, steps := append(slices.Clone(r.ops[:s.from]), o), make([]int, 0, len(r.ops))
	for k := range r.ops {
		switch {
		case k == s.from:
			steps = append(steps, r.stepOf(s.to-1))
		case k < s.from || k >= s.to:
			steps = append(steps, r.stepOf(k))
		}
		if s.replaces(k) {
			r.tabled = append(r.tabled, tabled{r.ops[k], r.stepOf(k), passed[0]})
			passed = passed[1:]
		}
	}
	for i, k := range s.stay {
		ops = append(ops, r.ops[k])
		steps = slices.Insert(steps, s.from+1+i, r.stepOf(k))
	}
	r.ops, r.steps = append(ops, r.ops[s.to:]...), steps
	return true
}

// tabulate runs a segment for each value of its key, as long as that finds no more than so many rows: of its key and
// what it binds. It also returns how many rows each of the ops handed on.
func (g *grounder) tabulate(
	r *routine, s *segment, values []symbol.ID, most int,
) (all *relation.Relation, passed []int64, ok bool) {
	values = slices.Clone(values)
	slices.Sort(values)
	own := *r
	own.ops, own.sums, own.pivot, own.inner, own.peeker = nil, nil, -1, -1, -1
	for k := s.from; k < s.to; k++ {
		if s.replaces(k) {
			own.ops = append(own.ops, r.ops[k])
			own.ops[len(own.ops)-1].peeks = false
		}
	}
	head := append([]int32{s.key}, s.bound...)
	own.emitBy(func(m *machine) { m.emitHead(head) })
	parts := make([]tuples, min(g.threads, len(values)))
	full, counts := make([]bool, len(parts)), make([][]int64, len(parts))
	parallel.For(g.threads, len(parts), func(k int) {
		m := newMachine(&own, &g.stop)
		for _, v := range values[k*len(values)/len(parts) : (k+1)*len(values)/len(parts)] {
			m.slots[s.key] = v
			m.step(0, 0)
			if full[k] = m.heads.len > most/len(parts); full[k] || g.stop.Load() {
				break
			}
		}
		parts[k], counts[k] = m.heads, m.passed
	})
	passed = make([]int64, len(own.ops))
	for _, part := range counts {
		for k, n := range part {
			passed[k] += n
		}
	}
	t := joinTuples(len(head), parts)
	return &relation.Relation{Arity: len(head), Columns: t.columns, Observed: t.len}, passed, !slices.Contains(full, true)
}

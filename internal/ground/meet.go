package ground

import (
	"math"
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// meet compiles the step k of a plan if it is met with others, or looks ahead: it and they read sorted lists of the values
// of the variable that it binds, instead of an index. The values come in the order of their numbers.
func (r *routine) meet(p *plan.Plan, k int) {
	first := &p.Steps[k]
	if first.Meets == 0 && first.Ahead == nil {
		return
	}
	x := first.Atom.Args[first.Bind[0]]
	for j := k; j <= k+first.Meets; j++ {
		s, o := &p.Steps[j], &r.ops[j]
		value := slices.Index(s.Atom.Args, x)
		o.lists = s.Relation.Lists(value)
		o.key = r.slotsOf(s.Atom, slices.Delete(every(s.Relation.Arity), value, value+1))
		o.index, o.grouped, o.value = o.lists.Index, o.lists.Rows, r.slot(x)
	}
	r.ops[k].meets = first.Meets
	if first.Ahead == nil {
		return
	}
	of, through := &p.Steps[first.Ahead.Of], &p.Steps[first.Ahead.Through]
	at := slices.Index(through.Atom.Args, x)
	y := slices.IndexFunc(of.Atom.Args, func(t program.Term) bool { return t == through.Atom.Args[1-at] })
	r.ops[k].ahead = &ahead{
		of: of.Relation.Lists(y), through: through.Relation.Lists(at),
		key: r.slotsOf(of.Atom, slices.Delete(every(of.Relation.Arity), y, y+1)),
	}
}

// ahead is plan.Ahead with the lists that tell the values which are not in vain: those that through has, backwards, for
// each value that of has.
type ahead struct {
	of, through *relation.Lists
	key         []int32
}

// useful is what a machine knows of the values that are not in vain: it finds them once looking at each value has cost as
// much as that.
type useful struct {
	marks *relation.Marks
	key   []symbol.ID
	// The list of ahead.of that was last asked for, by its first place; whether the marks are of it; and how much looking
	// at values has cost since, and finding the useful ones will.
	lo         int
	known      bool
	work, cost int
}

// tiresome is how many lists are looked at in vain before it is worth while to count what looking ahead would cost, and
// about how long each of them is.
const tiresome = 8

// lookAhead returns the marks of the values that are not in vain where the machine stands, nil if they are not known.
// About so many values are at stake.
func (m *machine) lookAhead(k, values int) *relation.Marks {
	a, u := m.ops[k].ahead, &m.useful[k]
	u.key = u.key[:0]
	for _, slot := range a.key {
		u.key = append(u.key, m.slots[slot])
	}
	lo, hi := a.of.Range(u.key)
	if u.marks == nil {
		u.marks, u.lo = relation.NewMarks(m.scope.store.Symbols.Len()), -1
	}
	switch {
	case u.lo != int(lo):
		*u = useful{marks: u.marks, key: u.key, lo: int(lo)}
	case u.known:
		return u.marks
	}
	u.work += tiresome * values
	if u.cost == 0 && u.work > tiresome*int(hi-lo) {
		for _, y := range a.of.Values[lo:hi] {
			from, to := a.through.Range(append(u.key[:0], y))
			u.cost += int(to-from) + 1
		}
	}
	if u.cost > 0 && u.work > u.cost {
		u.marks.Clear()
		for _, y := range a.of.Values[lo:hi] {
			from, to := a.through.Range(append(u.key[:0], y))
			u.marks.Add(a.through.Values[from:to])
		}
		u.known = true
		return u.marks
	}
	return nil
}

// list is where a machine stands in the list of one op that is met.
type list struct {
	lo, hi int // the list's places
	at     int // those before it are done
	// Its values are marked once it has been met often enough to have paid for that: since first, by so much work.
	marks  *relation.Marks
	marked int // the first place of the list that is marked; -1 if none is
	work   int
	before int // lo of the list that was met last
}

// meet takes the values that all of op k and those met with it allow for the variable that it binds. The list with which
// that costs least is gone through, and its values are sought in the others.
func (m *machine) meet(k int, upper float64) {
	ops := m.ops[k : k+1+m.ops[k].meets]
	lists := m.lists[k : k+len(ops)]
	for j := range ops {
		lo, hi := ops[j].index.Range(m.key(&ops[j], k+j))
		if lo == hi {
			return
		}
		l := &lists[j]
		l.lo, l.hi, l.at = int(lo), int(hi), int(lo)
	}
	first, work := cheapest(lists)
	for j := range lists {
		m.pay(&lists[j], ops[j].lists, work)
	}
	var useful *relation.Marks
	if ops[0].ahead != nil {
		useful = m.lookAhead(k, lists[first].len())
	}
	values := ops[first].lists.Values
	for lo := lists[first].lo; lo < lists[first].hi; lo += stretch {
		if m.stop.Load() {
			return
		}
		part := values[lo:min(lo+stretch, lists[first].hi)]
		for _, place := range m.common(k, first, part, useful) {
			lists[first].at = lo + int(place)
			m.met(k, first, part[place], upper)
		}
	}
}

// stretch is how many values are looked at side by side.
const stretch = 1 << 10

// cheapest returns the list to go through, and about how many values are touched if that is done.
func cheapest(lists []list) (first, work int) {
	for j := range lists {
		cost := 0
		for i := range lists {
			if i != j {
				cost += lists[i].seeking(lists[j].len())
			}
		}
		if j == 0 || cost < work {
			first, work = j, cost
		}
	}
	return first, work
}

func (l *list) len() int { return l.hi - l.lo }

// isMarked tells whether the list's values are marked.
func (l *list) isMarked() bool { return l.marks != nil && l.marked == l.lo }

// seeking returns about how many values are touched when so many are sought in the list.
func (l *list) seeking(values int) int {
	if l.isMarked() {
		return values
	}
	return values * (4 + 2*bits.Len(uint(l.len()/values)))
}

// pay counts the work of meeting a list again and again, and marks its values when that would have been worth it.
func (m *machine) pay(l *list, lists *relation.Lists, work int) {
	if work == 0 || l.isMarked() {
		return
	}
	if l.marks == nil {
		l.marks, l.marked, l.before = relation.NewMarks(m.scope.store.Symbols.Len()), -1, -1
	}
	if l.before != l.lo {
		l.before, l.work = l.lo, work
		return
	}
	if l.work += work; l.work > dear*l.len() {
		l.marks.Clear()
		l.marks.Add(lists.Values[l.lo:l.hi])
		l.marked = l.lo
	}
}

// dear is how many values are touched in the time of marking one.
const dear = 4

// common returns which of the values, of the first list, are in all others, and useful if that is known.
func (m *machine) common(k, first int, values []symbol.ID, useful *relation.Marks) []int32 {
	places, whole := m.places[k], useful == nil
	if useful != nil {
		places = useful.Select(places, values)
	}
	for _, marked := range [...]bool{true, false} {
		for j := range m.ops[k].meets + 1 {
			l := &m.lists[k+j]
			if j == first || l.isMarked() != marked {
				continue
			}
			switch {
			case whole && marked:
				places = l.marks.Select(places, values)
			case marked:
				places = l.marks.Narrow(places, values)
			case whole:
				places = l.seek(m.ops[k+j].lists, identity(places, len(values)), values)
			default:
				places = l.seek(m.ops[k+j].lists, places, values)
			}
			whole = false
		}
	}
	if whole { // there are no others
		places = identity(places, len(values))
	}
	m.places[k] = places
	return places
}

// identity lists the places 0 … n-1.
func identity(places []int32, n int) []int32 {
	places = places[:0]
	for k := range n {
		places = append(places, int32(k))
	}
	return places
}

// seek keeps those of the places whose values are in the list.
func (l *list) seek(lists *relation.Lists, places []int32, values []symbol.ID) []int32 {
	n, at := 0, l.at
	for _, place := range places {
		if at = lists.Seek(at, l.hi, values[place]); at == l.hi {
			break
		}
		if lists.Values[at] == values[place] {
			places[n] = place
			n++
		}
	}
	return places[:n]
}

// met takes a value that all lists have, and goes on unless one of the rows forbids it.
func (m *machine) met(k, first int, value symbol.ID, upper float64) {
	n := 1 + m.ops[k].meets
	for j := range n {
		o, l := &m.ops[k+j], &m.lists[k+j]
		if j != first {
			l.at = o.lists.Seek(l.at, l.hi, value)
		}
		var ok bool
		if upper, ok = m.admit(o, k+j, o.grouped[l.at], upper); !ok {
			return
		}
	}
	m.step(k+n, upper)
}

// fewest returns how many rows are tried if op k is met with those behind it.
func (m *machine) fewest(k int) float64 {
	least := math.MaxInt32
	for j := k; j <= k+m.ops[k].meets; j++ {
		lo, hi := m.ops[j].index.Range(m.key(&m.ops[j], j))
		least = min(least, int(hi-lo))
	}
	return float64(least)
}

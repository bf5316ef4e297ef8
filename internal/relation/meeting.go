package relation

import (
	"math/bits"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Meeting goes through the values that several lists have in common, in ascending order, again and again for other
// keys. It goes through the list with which that costs least, and seeks its values in the others. Lists that are met
// again and again are marked in a set of bits, once as much work has been done without: so what is met, and what is
// marked for it, costs at most a multiple of what the shortest list of each meeting does.
//
// A Meeting is for one goroutine. What it yields depends on the keys alone, and not on what was met before.
type Meeting struct {
	lists  []list
	ahead  *Ahead
	limit  int // of the values
	places []int32
	useful
	first int  // the list that is gone through
	next  int  // its first place that is still to be looked at
	whole bool // no value is in vain, as far as is known
}

// list is where one of the lists stands.
type list struct {
	*Lists
	lo, hi int // the list's places
	at     int // those before it are done
	// Its values are marked once meeting it has taken so much work since it was met first.
	marks  *Marks
	marked int // the first place of the list that is marked; -1 if none is
	work   int
	before int // lo of the list that was met last
}

// Ahead tells which values are in vain: all but those that Through, backwards, has for one of the values that Of has
// for a key. They are the same for as long as the key is.
type Ahead struct{ Of, Through *Lists }

// useful is what is known of the values that are not in vain.
type useful struct {
	marks *Marks
	// The list of Ahead.Of that was last asked for, by its first place; whether the marks are of it; and how much
	// looking at values has cost since, and finding the useful ones will.
	lo         int
	known      bool
	work, cost int
}

// NewMeeting makes a meeting of lists of values below limit; ahead may be nil.
func NewMeeting(limit int, ahead *Ahead, lists ...*Lists) *Meeting {
	m := &Meeting{lists: make([]list, len(lists)), ahead: ahead, limit: limit}
	for j := range lists {
		m.lists[j] = list{Lists: lists[j], marked: -1, before: -1}
	}
	m.useful.lo = -1
	return m
}

// Key sets the key of the j-th list, and tells whether it has any values.
func (m *Meeting) Key(j int, key []symbol.ID) bool {
	l := &m.lists[j]
	lo, hi := l.Range(key)
	l.lo, l.hi, l.at = int(lo), int(hi), int(lo)
	return lo < hi
}

// Begin begins to go through what the lists of the keys, none of them empty, have in common. The key is that of
// Ahead, if there is one.
func (m *Meeting) Begin(key []symbol.ID) {
	work := m.cheapest()
	for j := range m.lists {
		m.pay(&m.lists[j], work)
	}
	m.next = m.lists[m.first].lo
	m.whole = m.ahead == nil || !m.knows(key, m.lists[m.first].len())
}

// stretch is how many values are looked at side by side.
const stretch = 1 << 10

// Next returns the places of the next values that all lists have, to be given to MoveTo one after the other, and
// whether there may be more. The places are valid until the next call.
func (m *Meeting) Next() (places []int32, more bool) {
	l := &m.lists[m.first]
	if m.next >= l.hi {
		return nil, false
	}
	from, to := m.next, min(m.next+stretch, l.hi)
	places = m.common(l.Values[from:to])
	for k := range places {
		places[k] += int32(from)
	}
	m.next = to
	return places, true
}

// MoveTo moves all lists to the value at a place.
func (m *Meeting) MoveTo(place int32) {
	value := m.lists[m.first].Values[place]
	for j := range m.lists {
		l := &m.lists[j]
		if j == m.first {
			l.at = int(place)
		} else {
			l.at = l.Seek(l.at, l.hi, value)
		}
	}
}

// Row returns the row at which the j-th list stands.
func (m *Meeting) Row(j int) int32 { return m.lists[j].Lists.Rows[m.lists[j].at] }

// Values copies the values at places.
func (m *Meeting) Values(values []symbol.ID, places []int32) {
	all := m.lists[m.first].Values
	for k, place := range places {
		values[k] = all[place]
	}
}

// Rows copies the rows of the j-th list that have the values at places, each of which lies behind those asked for
// before. Do not mix it with MoveTo.
func (m *Meeting) Rows(j int, rows []int32, places []int32) {
	l, all := &m.lists[j], m.lists[m.first].Values
	if j == m.first {
		for k, place := range places {
			rows[k] = l.Lists.Rows[place]
		}
		return
	}
	for k, place := range places {
		l.at = l.Seek(l.at, l.hi, all[place])
		rows[k] = l.Lists.Rows[l.at]
	}
}

// cheapest chooses the list to go through, and returns about how many values are touched then.
func (m *Meeting) cheapest() (work int) {
	for j := range m.lists {
		cost := 0
		for i := range m.lists {
			if i != j {
				cost += m.lists[i].seeking(m.lists[j].len())
			}
		}
		if j == 0 || cost < work {
			m.first, work = j, cost
		}
	}
	return work
}

func (l *list) len() int { return l.hi - l.lo }

func (l *list) isMarked() bool { return l.marked == l.lo }

// seeking returns about how many values are touched when so many are sought in the list.
func (l *list) seeking(values int) int {
	if l.isMarked() {
		return values
	}
	return values * (4 + 2*bits.Len(uint(l.len()/values)))
}

// dear is how many values are touched in the time of marking one.
const dear = 4

// pay counts the work of meeting a list again and again, and marks its values when that would have been worth it.
func (m *Meeting) pay(l *list, work int) {
	switch {
	case l.isMarked():
		return
	case l.before != l.lo:
		l.before, l.work = l.lo, work
		return
	}
	if l.work += work; l.work <= dear*l.len() {
		return
	}
	if l.marks == nil {
		l.marks = NewMarks(m.limit)
	}
	l.marks.Clear()
	l.marks.Add(l.Values[l.lo:l.hi])
	l.marked = l.lo
}

// common returns which of the values, of the list that is gone through, are in all others and not in vain: those of
// lists that are marked are decided first.
func (m *Meeting) common(values []symbol.ID) []int32 {
	places, whole := m.places, m.whole
	if !whole {
		places = m.useful.marks.Select(places, values)
	}
	for j := range m.lists {
		if l := &m.lists[j]; j == m.first || !l.isMarked() {
			continue
		} else if whole {
			places, whole = l.marks.Select(places, values), false
		} else {
			places = l.marks.Narrow(places, values)
		}
	}
	if whole {
		places = identity(places, len(values))
	}
	for j := range m.lists {
		if l := &m.lists[j]; j != m.first && !l.isMarked() {
			places = l.seek(places, values)
		}
	}
	m.places = places
	return places
}

// seek keeps those of the places whose values are in the list.
func (l *list) seek(places []int32, values []symbol.ID) []int32 {
	n, at := 0, l.at
	for _, place := range places {
		if at = l.Seek(at, l.hi, values[place]); at == l.hi {
			break
		}
		if l.Values[at] == values[place] {
			places[n] = place
			n++
		}
	}
	return places[:n]
}

// tiresome is about how many values are looked at behind each value that is not known to be in vain.
const tiresome = 8

// knows tells whether it is known which values are in vain for a key of Ahead, and finds out once looking at values,
// of which there are so many now, has cost as much as that.
func (m *Meeting) knows(key []symbol.ID, values int) bool {
	u := &m.useful
	from, to := m.ahead.Of.Range(key)
	if u.lo != int(from) {
		*u = useful{marks: u.marks, lo: int(from)}
	} else if u.known {
		return true
	}
	list := m.ahead.Of.Values[from:to]
	u.work += tiresome * values
	if u.cost == 0 && u.work > tiresome*len(list) {
		m.eachThrough(list, func(back []symbol.ID) { u.cost += len(back) + 1 })
	}
	if u.cost == 0 || u.work <= u.cost {
		return false
	}
	if u.marks == nil {
		u.marks = NewMarks(m.limit)
	}
	u.marks.Clear()
	m.eachThrough(list, u.marks.Add)
	u.known = true
	return true
}

// eachThrough visits what Through has, backwards, for each of the values.
func (m *Meeting) eachThrough(values []symbol.ID, visit func(back []symbol.ID)) {
	var key [1]symbol.ID
	for _, key[0] = range values {
		from, to := m.ahead.Through.Range(key[:])
		visit(m.ahead.Through.Values[from:to])
	}
}

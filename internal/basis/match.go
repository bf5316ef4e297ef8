package basis

// Matched returns the columns that, taken in the order, can each have a row of its own, for as many rows as there are:
// those first in the order that do not depend on others by where their entries are alone. Of random sums, such columns
// hardly ever depend on each other at all.
func (b *Basis) Matched(order []int32) (columns []int32) {
	m := &matching{a: b.a, of: make([]int32, b.a.Rows), from: make([]int32, b.a.Rows), seen: make([]int32, b.a.Rows)}
	for r := range m.of {
		m.of[r] = none
	}
	for _, j := range order {
		if len(columns) == b.a.Rows {
			break
		}
		if m.augment(j) {
			columns = append(columns, j)
		}
	}
	return columns
}

// matching gives columns rows of their own.
type matching struct {
	a     *Columns
	of    []int32 // the column of each row, or none
	from  []int32 // the row before each, on the way from the column at hand, or none
	seen  []int32 // the column, and 1, that came by each row last, or none where no way leads to a row that is free
	queue []int32
}

// augment gives a column a row, and those on the way to a row that is free the next ones, if there is such a way. Where
// there is none, no later one leads through the rows that were gone through.
func (m *matching) augment(j int32) bool {
	m.queue = m.queue[:0]
	free := m.visit(j, none, j)
	for k := 0; free == none && k < len(m.queue); k++ {
		r := m.queue[k]
		free = m.visit(j, r, m.of[r])
	}
	if free == none {
		for _, r := range m.queue {
			m.seen[r] = none
		}
		return false
	}
	for before := m.from[free]; before != none; free, before = before, m.from[before] {
		m.of[free] = m.of[before]
	}
	m.of[free] = j
	return true
}

// visit goes from a row, or none, through its column to others, on the way from column j, and returns one that is free.
func (m *matching) visit(j, before, column int32) (free int32) {
	for _, r := range m.a.Row[m.a.Start[column]:m.a.Start[column+1]] {
		if m.seen[r] == none || m.seen[r] == j+1 {
			continue
		}
		m.seen[r], m.from[r] = j+1, before
		if m.of[r] == none {
			return r
		}
		m.queue = append(m.queue, r)
	}
	return none
}

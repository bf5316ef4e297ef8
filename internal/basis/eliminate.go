package basis

import (
	"math"
	"slices"
)

// elimination takes pivots from columns that are all there from the beginning, each where it fills least (Markowitz
// 1957) among those that are large in their rows, the columns scaled. So each row takes a column that is about the
// largest of those left for it, and the volume of the basis is large.
type elimination struct {
	b       *Basis
	scale   []float64 // of all columns
	part    float64   // of a row's largest entry, scaled, that a pivot is at least
	rows    lists     // the columns of each row: of those without a pivot the columns that have none, of others U's
	coef    []float64 // of the rows' entries, scaled, behind a 0 for what is not there
	columns lists     // the rows of each column, as far as neither has a pivot
	largest []float64 // of each row
	byRow   buckets   // the rows that can have a pivot
	byCol   buckets   // the columns that may
	place   []int32   // of each column in the pivot's row, and 1; less than 0 where the row at hand has had it
	entries int       // of all rows
	active  int       // of those without a pivot
	left    int       // columns without a pivot
	work    int
}

// lists are lists of numbers in one array, each with some room.
type lists struct{ start, count, room, item []int32 }

func (l *lists) of(k int32) []int32 { return l.item[l.start[k] : l.start[k]+l.count[k]] }

const (
	// searched is how many rows and columns with a possible pivot are looked through for the next one.
	searched = 4
	// cancelled is the part of what is subtracted below which a difference is nothing but rounding.
	cancelled = 1e-11
	// quick is how many entries are looked at one after the other while one is visited otherwise.
	quick = 4
)

// ChooseLarge takes a basis of about the largest volume, the columns scaled, and factors it: of these columns those
// that fill least, and for each row that is left then the one of all that is largest there. A pivot is at least that
// part of what is largest in its row: the greater it is, the larger the basis, and what fills. It gives up as Choose
// does.
func (b *Basis) ChooseLarge(columns []int32, scale []float64, part float64, most, work int) (ok bool) {
	b.clear()
	b.Work = len(columns)
	if !b.eliminate(columns, scale, part, most, work) || !b.complete(scale, most, work) {
		return false
	}
	b.number()
	return true
}

// eliminate takes pivots until nothing is left of the columns. Each entry that is there ends in the factors unless it
// is cancelled, so that too many are told long before they are made.
func (b *Basis) eliminate(columns []int32, scale []float64, part float64, most, work int) (ok bool) {
	e := &elimination{b: b, scale: scale, part: part}
	e.lay(columns)
	for ok = true; ok; ok = len(b.lower.row)+e.entries <= most && e.work <= work {
		i, at := e.search()
		if i == none {
			break
		}
		e.take(i, at)
		if e.fills() {
			ok = e.finish(most)
			break
		}
	}
	b.Work += e.work
	if ok {
		e.keepUpper()
	}
	return ok
}

// lay sets up the rows and the columns.
func (e *elimination) lay(columns []int32) {
	a, m, n := e.b.a, e.b.a.Rows, len(e.scale)
	e.rows = lists{start: make([]int32, m), count: make([]int32, m), room: make([]int32, m)}
	e.columns = lists{start: make([]int32, n), count: make([]int32, n), room: make([]int32, n)}
	for _, j := range columns {
		rows := a.Row[a.Start[j]:a.Start[j+1]]
		count := int32(len(rows))
		e.columns.start[j], e.columns.count[j], e.columns.room[j] = int32(len(e.columns.item)), count, count
		e.columns.item = append(e.columns.item, rows...)
		for _, r := range rows {
			e.rows.room[r]++
		}
	}
	next := int32(1)
	for r := range m {
		e.rows.start[r] = next
		next += e.rows.room[r]
	}
	e.rows.item, e.coef = make([]int32, next), make([]float64, next)
	e.largest = make([]float64, m)
	for _, j := range columns {
		for l := a.Start[j]; l < a.Start[j+1]; l++ {
			e.append(a.Row[l], j, a.Coef[l]*e.scale[j])
			e.largest[a.Row[l]] = max(e.largest[a.Row[l]], math.Abs(a.Coef[l]*e.scale[j]))
		}
	}
	e.place, e.left = make([]int32, n), len(columns)
	e.byRow, e.byCol = newBuckets(m, len(columns)), newBuckets(n, m)
	for r := range m {
		e.file(int32(r))
	}
	for _, j := range slices.Backward(columns) {
		e.byCol.put(j, e.columns.count[j])
	}
}

// append adds an entry to a row that has room for it.
func (e *elimination) append(r, column int32, v float64) {
	at := e.rows.start[r] + e.rows.count[r]
	e.rows.item[at], e.coef[at] = column, v
	e.rows.count[r]++
	e.entries++
	e.active++
}

// file has a row be found by its count, if it can have a pivot.
func (e *elimination) file(r int32) {
	if e.largest[r] > 0 {
		e.byRow.put(r, e.rows.count[r])
	} else {
		e.byRow.remove(r)
	}
}

// search returns the row of the next pivot, or none, and where in the row it is.
func (e *elimination) search() (row, at int32) {
	row = none
	best, looked := math.MaxInt, 0
	look := func(i, l int32) (possible bool) {
		j := e.rows.item[l]
		size := math.Abs(e.coef[l])
		if size < e.part*e.largest[i] || size == 0 {
			return false
		}
		if fill := int(e.rows.count[i]-1) * int(e.columns.count[j]-1); fill < best {
			best, row, at = fill, i, l
		}
		return true
	}
	for count := range int32(max(len(e.byRow.head), len(e.byCol.head))) {
		enough := func() bool { return looked >= searched || best <= int(count-1)*int(count-1) }
		for j := e.byCol.first(count); j != none; {
			next, possible := e.byCol.next[j], false
			for _, i := range e.columns.of(j) {
				possible = look(i, e.find(i, j)) || possible
			}
			if !possible {
				e.byCol.remove(j) // until it has changed
			} else if looked++; enough() {
				return row, at
			}
			j = next
		}
		for i := e.byRow.first(count); i != none; i = e.byRow.next[i] {
			for l := range e.rows.count[i] {
				look(i, e.rows.start[i]+l)
			}
			if looked++; enough() {
				return row, at
			}
		}
	}
	return row, at
}

// find returns where in a row a column is.
func (e *elimination) find(i, j int32) int32 {
	at := slices.Index(e.rows.of(i), j)
	e.work += at / quick
	return e.rows.start[i] + int32(at)
}

// take takes the pivot that is there in the row.
func (e *elimination) take(i, at int32) {
	b, j, pivot := e.b, e.rows.item[at], e.coef[at]
	b.lead(j, i, pivot/e.scale[j])
	e.byRow.remove(i)
	e.byCol.remove(j)
	e.leave(i, at)
	for l, q := range e.rows.of(i) {
		e.forget(q, i)
		e.place[q] = e.rows.start[i] + int32(l)
	}
	for _, r := range e.columns.of(j) {
		if r != i {
			e.reduce(r, i, j, pivot)
		}
	}
	e.columns.count[j] = 0
	e.left--
	e.active -= int(e.rows.count[i])
	for _, q := range e.rows.of(i) {
		e.place[q] = 0
	}
	b.lower.end()
}

// leave takes an entry out of a row.
func (e *elimination) leave(r, at int32) {
	e.rows.count[r]--
	e.entries--
	e.active--
	last := e.rows.start[r] + e.rows.count[r]
	e.rows.item[at], e.coef[at] = e.rows.item[last], e.coef[last]
}

// reduce subtracts from row r what leaves nothing of column j there: a multiple of the pivot's row i.
func (e *elimination) reduce(r, i, j int32, pivot float64) {
	at := e.find(r, j)
	times := e.coef[at] / pivot
	e.b.lower.add(r, times)
	e.leave(r, at)
	e.work += int(e.rows.count[i] + e.rows.count[r])
	both, largest := e.subtract(r, times)
	e.makeRoom(r, e.rows.count[r]+e.rows.count[i]-both)
	items, coef := e.row(i)
	for l, q := range items {
		if e.place[q] < 0 {
			e.place[q] = -e.place[q]
			continue
		}
		v := -times * coef[l]
		largest = max(largest, math.Abs(v))
		e.append(r, q, v)
		e.remember(q, r)
	}
	e.largest[r] = largest
	e.file(r)
}

// row is the entries of a row.
func (e *elimination) row(r int32) (items []int32, coef []float64) {
	first, count := e.rows.start[r], e.rows.count[r]
	items = e.rows.item[first : first+count]
	return items, e.coef[first : first+count][:len(items)]
}

// subtract subtracts so many times the pivot's row from the entries that row r has, and tells how many both have, and
// the largest that is left. Which these are is hard to foresee: of others, 0 is subtracted.
func (e *elimination) subtract(r int32, times float64) (both int32, largest float64) {
	items, coef := e.row(r)
	place := e.place
	for l := 0; l < len(items); {
		q := items[l]
		p := place[q]
		place[q] = -p
		both += min(p, 1)
		less := times * e.coef[p]
		v := coef[l] - less
		if math.Abs(v) <= cancelled*math.Abs(less) && p != 0 {
			last := len(items) - 1
			items[l], coef[l] = items[last], coef[last]
			items, coef = items[:last], coef[:last]
			e.forget(q, r)
			continue
		}
		coef[l] = v
		largest = max(largest, math.Abs(v))
		l++
	}
	e.entries -= int(e.rows.count[r]) - len(items)
	e.active -= int(e.rows.count[r]) - len(items)
	e.rows.count[r] = int32(len(items))
	return both, largest
}

// makeRoom has a row have room for so many entries.
func (e *elimination) makeRoom(r, room int32) {
	if e.rows.room[r] >= room {
		return
	}
	first, count := e.rows.start[r], e.rows.count[r]
	e.rows.move(r, room+room/2)
	e.coef = append(e.coef, e.coef[first:first+count]...)
	e.coef = append(e.coef, make([]float64, len(e.rows.item)-len(e.coef))...)
}

// move moves a list to the end, where it has so much room.
func (l *lists) move(k, room int32) {
	old := l.of(k)
	l.start[k], l.room[k] = int32(len(l.item)), room
	l.item = append(l.item, old...)
	l.item = append(l.item, make([]int32, int(room)-len(old))...)
}

// forget takes a row out of a column.
func (e *elimination) forget(j, i int32) {
	rows := e.columns.of(j)
	at := slices.Index(rows, i)
	e.work += at / quick
	rows[at] = rows[len(rows)-1]
	e.columns.count[j]--
	e.byCol.put(j, e.columns.count[j])
}

// remember adds a row to a column.
func (e *elimination) remember(j, r int32) {
	count := e.columns.count[j]
	if e.columns.room[j] == count {
		e.columns.move(j, count+count/2+4)
	}
	e.columns.item[e.columns.start[j]+count] = r
	e.columns.count[j]++
	e.byCol.put(j, e.columns.count[j])
}

// keepUpper writes U by columns, without those that have no pivot.
func (e *elimination) keepUpper() {
	b, u := e.b, &e.b.upper
	clear(e.place)
	for k, j := range b.Chosen {
		e.place[j] = int32(k) + 1 // its pivot
	}
	each := func(visit func(k, column int32, v float64)) {
		for k, i := range b.row {
			for l, j := range e.rows.of(i) {
				if c := e.place[j]; c > 0 {
					visit(int32(k), c-1, e.coef[e.rows.start[i]+int32(l)]/e.scale[j])
				}
			}
		}
	}
	u.start = append(u.start[:0], make([]int32, len(b.Chosen)+1)...)
	each(func(_, c int32, _ float64) { u.start[c+1]++ })
	for k := range b.Chosen {
		u.start[k+1] += u.start[k]
	}
	u.row, u.coef = make([]int32, u.start[len(b.Chosen)]), make([]float64, u.start[len(b.Chosen)])
	at := slices.Clone(u.start)
	each(func(k, c int32, v float64) {
		u.row[at[c]], u.coef[at[c]] = k, v
		at[c]++
	})
}

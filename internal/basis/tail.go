package basis

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// tail is what is left of an elimination where it has filled, as a dense matrix of rows: random sums end in one that
// has hardly a zero, and takes nearly all of the work.
type tail struct {
	e       *elimination
	rows    []int32 // of the matrix, in the order of the pivots, then those that have none
	columns []int32 // likewise
	width   int
	values  []float64 // of the rows, one after the other: L's before the diagonal, U's from there on
	found   int       // how many rows have pivots
	left    []float64 // columns of U, packed by tiles
	right   []float64 // a tile of rows of L
}

const (
	// filled is the part of the entries that could be from which on what is left is a tail, and low the least number of
	// rows of one.
	filled, low = 0.2, 48
	// panel is the number of pivots that are taken before what is below them is brought up to date, and perTile how many
	// products of a tile take as long as to visit an entry.
	panel, perTile = 32, 16
)

// fills tells whether what is left has filled.
func (e *elimination) fills() bool {
	size := float64(e.byRow.size) * float64(e.left)
	return e.byRow.size >= low && float64(e.active) >= filled*size
}

// finish takes all pivots of what is left, unless the factors are to have more than so many entries.
func (e *elimination) finish(most int) (ok bool) {
	t := e.dense()
	if len(e.b.lower.row)+e.entries-e.active+len(t.rows)*t.width > most {
		return false
	}
	h, w := float64(len(t.rows)), float64(t.width)
	e.work += int(h * w * min(h, w) / perTile)
	t.factor()
	t.keep()
	return true
}

// dense makes the tail of the rows that can have a pivot.
func (e *elimination) dense() *tail {
	t := &tail{e: e}
	for r, count := range e.byRow.at {
		if count == none {
			continue
		}
		t.rows = append(t.rows, int32(r))
		for _, j := range e.rows.of(int32(r)) {
			if e.place[j] == 0 {
				t.columns = append(t.columns, j)
				e.place[j] = int32(len(t.columns))
			}
		}
	}
	t.width = len(t.columns)
	t.values = make([]float64, len(t.rows)*t.width)
	for k, r := range t.rows {
		items, coef := e.row(r)
		for l, j := range items {
			t.row(k)[e.place[j]-1] = coef[l]
		}
	}
	for _, j := range t.columns {
		e.place[j] = 0
	}
	return t
}

// row is a row of the matrix.
func (t *tail) row(k int) []float64 { return t.values[k*t.width : (k+1)*t.width] }

// factor takes the rows in their order, each with the column that is the largest there, panel by panel. A row of which
// rounding alone is left has no pivot, and is behind all that have.
func (t *tail) factor() {
	for open := len(t.rows); t.found < min(open, t.width); {
		first := t.found
		for t.found < min(first+panel, open, t.width) {
			k := t.found
			row := t.row(k)
			for s := first; s < k; s++ {
				t.reduce(row, s, t.width)
			}
			if t.pivot(row, k) {
				t.found++
				continue
			}
			clear(row[k:])
			open--
			t.swapRows(k, open)
		}
		t.update(first, open)
	}
	for k := t.found; k < len(t.rows); k++ {
		clear(t.row(k)[min(t.found, t.width):])
	}
}

// reduce subtracts from a row what leaves nothing of pivot s there, as far as the columns before last.
func (t *tail) reduce(row []float64, s, last int) {
	pivot := t.row(s)
	times := row[s] / pivot[s]
	if row[s] = times; times != 0 {
		kernel.SubtractMultiple(row[s+1:last], pivot[s+1:last], times)
	}
}

// pivot brings the largest number of a row to column k, and tells whether that is more than rounding.
func (t *tail) pivot(row []float64, k int) bool {
	at := k
	for j := k; j < t.width; j++ {
		if math.Abs(row[j]) > math.Abs(row[at]) {
			at = j
		}
	}
	if !(math.Abs(row[at]) > cancelled*t.e.largest[t.rows[k]]) {
		return false
	}
	t.columns[k], t.columns[at] = t.columns[at], t.columns[k]
	for i := range t.rows {
		other := t.row(i)
		other[k], other[at] = other[at], other[k]
	}
	return true
}

func (t *tail) swapRows(k, l int) {
	if k == l {
		return
	}
	t.rows[k], t.rows[l] = t.rows[l], t.rows[k]
	a, b := t.row(k), t.row(l)
	for j, v := range a {
		a[j], b[j] = b[j], v
	}
}

// update subtracts the pivots from that one on from the rows below them, of those that are open.
func (t *tail) update(first, open int) {
	below, wide := open-t.found, t.width-t.found
	for i := t.found; i < open; i++ {
		for s := first; s < t.found; s++ {
			t.reduce(t.row(i), s, t.found)
		}
	}
	depth := t.found - first
	if below == 0 || wide == 0 || depth == 0 {
		return
	}
	t.pack(first, wide)
	t.right = append(t.right[:0], make([]float64, kernel.Tile*depth)...)
	for i := t.found; i < open; i += kernel.Tile {
		rows := min(kernel.Tile, open-i)
		clear(t.right)
		for k := range rows {
			for s, v := range t.row(i + k)[first:t.found] {
				t.right[s*kernel.Tile+k] = v
			}
		}
		t.subtract(i, rows, depth, wide)
	}
}

// pack copies the rows of U from that pivot on by tiles of columns.
func (t *tail) pack(first, wide int) {
	depth := t.found - first
	tiles := (wide + kernel.Tile - 1) / kernel.Tile
	t.left = append(t.left[:0], make([]float64, tiles*kernel.Tile*depth)...)
	for s := range depth {
		for n, v := range t.row(first + s)[t.found:] {
			t.left[(n/kernel.Tile*depth+s)*kernel.Tile+n%kernel.Tile] = v
		}
	}
}

// subtract subtracts the packed product from a tile of rows.
func (t *tail) subtract(i, rows, depth, wide int) {
	var sum [kernel.Tile * kernel.Tile]float64
	for n := 0; n < wide; n += kernel.Tile {
		left := t.left[n*depth : (n+kernel.Tile)*depth]
		at, columns := i*t.width+t.found+n, min(kernel.Tile, wide-n)
		if rows == kernel.Tile && columns == kernel.Tile {
			kernel.SubtractTile(t.values[at:], t.width, left, t.right)
			continue
		}
		clear(sum[:])
		kernel.SubtractTile(sum[:], kernel.Tile, left, t.right)
		for k := range rows {
			for l := range columns {
				t.values[at+k*t.width+l] += sum[k*kernel.Tile+l]
			}
		}
	}
}

// keep adds the pivots to the factors.
func (t *tail) keep() {
	e, b := t.e, t.e.b
	b.dense.first, b.dense.order = len(b.Chosen), t.found
	for k := range t.found {
		i, j := t.rows[k], t.columns[k]
		b.lead(j, i, t.row(k)[k]/e.scale[j])
		for l := k + 1; l < len(t.rows); l++ {
			b.lower.add(t.rows[l], t.row(l)[k])
		}
		b.lower.end()
	}
	for k, i := range t.rows {
		e.entries -= int(e.rows.count[i])
		e.byRow.remove(i)
		if e.rows.count[i] = 0; k >= t.found {
			continue
		}
		e.makeRoom(i, int32(t.width-k-1))
		for l := k + 1; l < t.width; l++ {
			e.append(i, t.columns[l], t.row(k)[l])
		}
	}
}

package basis

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// completion takes a column for each row that an elimination has left without a pivot: the one that is largest there,
// scaled, once the rows that have one are subtracted. What is left of the rows is found for several at once, and what
// the columns taken since leave of those behind by rows of numbers side by side.
type completion struct {
	b       *Basis
	columns []int32            // that had no pivot
	scale   []float64          // of these; 0 once they are taken
	rows    []int32            // that are looked at together
	all     [][several]float64 // what these are of each row of the matrix
	y       [several][]float64 // the same row by row
	left    [several][]float64 // what is left of them in each of the columns
}

const (
	// several is how many rows are looked at together, and together how many columns before what is found is told apart.
	several, together = kernel.Tile, 64
)

// complete takes a column for each row without a pivot, if there is one.
func (b *Basis) complete(scale []float64, most, work int) (ok bool) {
	var missing []int32
	for r, k := range b.pivot {
		if k == none {
			missing = append(missing, int32(r))
		}
	}
	if len(missing) == 0 {
		return true
	}
	c := newCompletion(b, scale)
	for first := 0; first < len(missing); first += several {
		c.look(missing[first:min(first+several, len(missing))])
		for k, r := range c.rows {
			at := c.largest(k)
			if at == none || len(b.lower.row)+len(b.upper.row) > most || b.Work > work || !b.addAt(c.columns[at], r) {
				return false
			}
			c.take(at, k)
		}
	}
	return true
}

func newCompletion(b *Basis, scale []float64) *completion {
	c := &completion{b: b, all: make([][several]float64, b.a.Rows)}
	taken := make([]bool, len(scale))
	for _, j := range b.Chosen {
		taken[j] = true
	}
	for j, s := range scale {
		if !taken[j] {
			c.columns, c.scale = append(c.columns, int32(j)), append(c.scale, s)
		}
	}
	for k := range several {
		c.y[k], c.left[k] = make([]float64, b.a.Rows), make([]float64, len(c.columns))
	}
	return c
}

// look finds what is left of some rows once the pivots are subtracted.
func (c *completion) look(rows []int32) {
	b, a := c.b, c.b.a
	c.rows = rows
	clear(c.all)
	for k, r := range rows {
		c.all[r][k] = 1
	}
	for k := len(b.row) - 1; k >= 0; k-- {
		if first, last := b.lower.start[k], b.lower.start[k+1]; first < last {
			sum := &c.all[b.row[k]]
			kernel.Combine(sum, b.lower.row[first:last], b.lower.coef[first:last], c.all)
			for l := range sum {
				sum[l] = -sum[l]
			}
		}
	}
	apart(c.all, &c.y, 0)
	var some [together][several]float64
	for first := 0; first < len(c.columns); first += together {
		columns := c.columns[first:min(first+together, len(c.columns))]
		for k, j := range columns {
			kernel.Combine(&some[k], a.Row[a.Start[j]:a.Start[j+1]], a.Coef[a.Start[j]:a.Start[j+1]], c.all)
		}
		apart(some[:len(columns)], &c.left, first)
	}
	b.Work += len(b.lower.row) + len(a.Row)
}

// apart writes what is side by side into lists of its own, from that place on.
func apart(all [][several]float64, lists *[several][]float64, from int) {
	for k := range lists {
		list := lists[k][from : from+len(all)]
		for l := range list {
			list[l] = all[l][k]
		}
	}
}

// largest is the place of the column that is the largest in a row, scaled, of those not taken, or none.
func (c *completion) largest(k int) (at int) {
	best := 0.0
	at = none
	left := c.left[k][:len(c.scale)]
	for l, s := range c.scale {
		if size := s * math.Abs(left[l]); size > best && c.b.along(c.y[k], c.columns[l]) > 0 {
			best, at = size, l
		}
	}
	return at
}

// take subtracts the row of a column that was taken from those behind it.
func (c *completion) take(at, k int) {
	c.scale[at] = 0
	for l := k + 1; l < len(c.rows); l++ {
		if times := c.left[l][at] / c.left[k][at]; times != 0 {
			kernel.SubtractMultiple(c.left[l], c.left[k], times)
			kernel.SubtractMultiple(c.y[l], c.y[k], times)
		}
	}
}

// extend makes a combination of rows without a pivot what it is of all rows once the pivots are subtracted.
func (b *Basis) extend(y []float64) {
	for k := len(b.row) - 1; k >= 0; k-- {
		y[b.row[k]] = -b.lower.dot(int32(k), y)
	}
}

// along is the size of a column's entry in a combination of the rows, or 0 where it is rounding.
func (b *Basis) along(y []float64, j int32) float64 {
	sum, size := 0.0, 0.0
	for l := b.a.Start[j]; l < b.a.Start[j+1]; l++ {
		v := y[b.a.Row[l]] * b.a.Coef[l]
		sum += v
		size = max(size, math.Abs(v))
	}
	if sum = math.Abs(sum); sum <= dependent*size {
		return 0
	}
	return sum
}

// addAt takes a column with its pivot in that row, and tells whether it has an entry there.
func (b *Basis) addAt(j, at int32) (ok bool) {
	b.spread(j)
	if ok = b.x[at] != 0; ok {
		b.keep(j, at)
	}
	b.wipe()
	return ok
}

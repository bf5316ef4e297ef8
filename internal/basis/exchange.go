package basis

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// exchange makes a basis larger by columns in place of others, one at a time: the present basis is B E₁ E₂ …, each E
// the identity but for the column of a pivot, which is the new column in terms of the basis before (Dantzig and
// Orchard-Hays 1954). Where that is so many times as large as the column it replaces, so is the volume of the basis
// after it, so that exchanges end (Schork and Gondzio 2020).
type exchange struct {
	b      *Basis // as it was factored last
	scale  []float64
	chosen []int32   // the present columns, by the pivots of b
	in     []bool    // the columns that are among them
	at     []int     // the pivot of each E
	eta    []float64 // their columns, one after the other
	v      []float64 // a column, by rows
	image  []float64 // the same in terms of the basis, by pivots
	work   int
}

const (
	// gain is how many times as large a column has to make the basis, and replaced how many are before it is factored.
	gain, replaced = 2, 64
)

// Exchanged returns a basis of the columns of this one and of these, taken in their order where that makes it larger,
// the columns scaled, until so many entries have been visited. It gives up, and says so, where the factors have more
// than so many.
func (b *Basis) Exchanged(columns []int32, scale []float64, most, work int) (larger *Basis, ok bool) {
	x := &exchange{scale: scale, v: make([]float64, b.a.Rows), image: make([]float64, b.a.Rows)}
	x.start(b)
	for _, j := range columns {
		if x.work > work {
			break
		}
		if x.take(j) && len(x.at) == replaced && !x.factor(most) {
			return x.b, false
		}
	}
	ok = x.factor(most)
	x.b.Work = x.work
	return x.b, ok
}

// start begins with a basis that is factored.
func (x *exchange) start(b *Basis) {
	x.b, x.chosen, x.in = b, append(x.chosen[:0], b.Chosen...), make([]bool, len(x.scale))
	x.at, x.eta = x.at[:0], x.eta[:0]
	for _, j := range b.Chosen {
		x.in[j] = true
	}
}

// take takes a column in place of the one in terms of which it is the largest, if that is worth it.
func (x *exchange) take(j int32) (worth bool) {
	if x.in[j] {
		return false
	}
	x.express(j)
	at, best := none, float64(gain)
	for k, v := range x.image {
		if size := math.Abs(v) * x.scale[j]; size > best*x.scale[x.chosen[k]] {
			at, best = k, size/x.scale[x.chosen[k]]
		}
	}
	if at == none {
		return false
	}
	x.in[x.chosen[at]], x.in[j] = false, true
	x.chosen[at] = j
	x.at, x.eta = append(x.at, at), append(x.eta, x.image...)
	return true
}

// express sets image to a column in terms of the present basis.
func (x *exchange) express(j int32) {
	a, m := x.b.a, x.b.a.Rows
	clear(x.v)
	for l := a.Start[j]; l < a.Start[j+1]; l++ {
		x.v[a.Row[l]] += a.Coef[l]
	}
	x.b.Solve(x.v, x.image)
	for n, at := range x.at {
		if x.image[at] != 0 {
			eta := x.eta[n*m : (n+1)*m]
			times := x.image[at] / eta[at]
			kernel.SubtractMultiple(x.image, eta, times)
			x.image[at] = times
		}
	}
	x.work += x.b.Entries() + len(x.eta)/quick
}

// factor factors the present basis.
func (x *exchange) factor(most int) (ok bool) {
	b := New(x.b.a)
	ok = b.ChooseLarge(x.chosen, x.scale, loose, most, effort*len(b.a.Coef))
	x.work += b.Work
	x.start(b)
	return ok
}

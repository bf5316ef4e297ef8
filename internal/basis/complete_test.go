package basis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each row that is left without a pivot takes the column that is largest there once all that have one are subtracted,
// those of the rows before it as well, as when rows are looked at one after the other; and for eight of them together,
// entries are visited once.
func TestComplete(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		rows := 10 + rng.IntN(60)
		a := &Columns{Rows: rows, Start: []int32{0}}
		scale := make([]float64, 4*rows)
		for j := range scale {
			scale[j] = math.Pow(10, 2*rng.Float64())
			for _, r := range rng.Perm(rows)[:1+rng.IntN(4)] {
				a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, rng.Float64()-0.5)
			}
			a.Start = append(a.Start, int32(len(a.Row)))
		}
		var few []int32
		for _, j := range rng.Perm(len(scale))[:rows/2] {
			few = append(few, int32(j))
		}
		b, other := New(a), New(a)
		for _, c := range []*Basis{b, other} {
			c.clear()
			if c.Work = 0; !c.eliminate(few, scale, loose, math.MaxInt, math.MaxInt) {
				t.Fatalf("seed %d: no elimination", seed)
			}
		}
		before := b.Work
		if ok := b.complete(scale, math.MaxInt, math.MaxInt); ok != other.completeOneByOne(scale) ||
			!slices.Equal(b.Chosen, other.Chosen) || !slices.Equal(b.row, other.row) {
			t.Fatalf("seed %d: %v, %v, want %v", seed, ok, b.Chosen, other.Chosen)
		}
		if visits, all := b.Work-before, rows*len(a.Row)/quick; rows > 40 && visits > all {
			t.Errorf("seed %d: %d visits of %d", seed, visits, all)
		}
	}
}

// completeOneByOne is complete with each row by itself.
func (b *Basis) completeOneByOne(scale []float64) bool {
	for r := range b.pivot {
		if b.pivot[r] != none {
			continue
		}
		y := make([]float64, b.a.Rows)
		y[r] = 1
		b.extend(y)
		best, at := 0.0, int32(none)
		for j, s := range scale {
			if size := s * b.along(y, int32(j)); size > best && !slices.Contains(b.Chosen, int32(j)) {
				best, at = size, int32(j)
			}
		}
		if at == none || !b.addAt(at, int32(r)) {
			return false
		}
	}
	return true
}

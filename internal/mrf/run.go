package mrf

import "math"

// A run is a block of potentials of one variable each that follow one another, as those of a prior over all targets do:
// it has no ids at all, and is gone through without looking anything up.

// isRun tells whether the block is one.
func (b *Block) isRun() bool { return b.Vars == nil && b.VarStart == nil && len(b.Coef) == 1 }

// Compact makes the block a run, if it can be.
func (b *Block) Compact() {
	if b.VarStart != nil || len(b.Coef) != 1 || b.Len == 0 || len(b.Vars) != b.Len {
		return
	}
	for j, i := range b.Vars {
		if int(i) != int(b.Vars[0])+j {
			return
		}
	}
	b.First, b.Vars = b.Vars[0], nil
}

// Numbers returns the ids of all potentials' variables, one potential after the other. It may not be changed.
func (b *Block) Numbers() []int32 {
	if !b.isRun() {
		return b.Vars
	}
	ids := make([]int32, b.Len)
	for j := range ids {
		ids[j] = b.First + int32(j)
	}
	return ids
}

// single returns the column of row j, of rows of one entry each.
func (r *rows) single(j int32) int32 {
	if r.run {
		return r.first + j
	}
	return r.index[j]
}

// addRunProduct is addProduct for a run.
func (r *rows) addRunProduct(lo, hi int, v, d []float64) {
	a, at := r.coef[0], int(r.first)
	d = d[:hi-lo]
	for j, u := range v[at+lo : at+hi] {
		d[j] += a * u
	}
}

// addRunTranspose is addTranspose for a run.
func (r *rows) addRunTranspose(lo, hi int, mu, g []float64) {
	a, at := r.coef[0], int(r.first)
	mu = mu[:hi-lo]
	for j := range g[at+lo : at+hi] {
		g[at+lo+j] += a * mu[j]
	}
}

// fits tells whether a run of so many potentials keeps below a number of columns.
func (r *rows) fits(potentials, columns int) bool {
	return r.first >= 0 && int(r.first)+potentials <= min(columns, math.MaxInt32)
}

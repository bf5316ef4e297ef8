package mrf

import "github.com/deeppsl/deeppsl/internal/parallel"

// Conjugate solves linear systems with a Hessian by preconditioned conjugate gradients. It keeps its vectors between
// calls.
type Conjugate struct {
	residual, direction, product, preconditioned []float64
}

// Solve sets x to an approximate solution of h·x = b, starting from 0, and returns the number of products it took. If
// the matrix is restricted, it solves the system of the variables that are not fixed, and the others are 0. It ends
// when the residual's norm, in the preconditioner's metric, is at most tolerance times that of b, after limit
// products, or when stop, unless it is nil, returns true. Whenever it ends, x is a descent direction of ½xᵀhx - bᵀx.
func (c *Conjugate) Solve(h *Hessian, b, x []float64, tolerance float64, limit int, stop func() bool) int {
	n, threads := len(b), h.field.Threads
	for _, v := range []*[]float64{&c.residual, &c.direction, &c.product, &c.preconditioned} {
		*v = resize(*v, n)
	}
	r, p, q, z := c.residual, c.direction, c.product, c.preconditioned
	clear(x)
	copy(r, b)
	h.precondition(r, z)
	copy(p, z)
	rz := dot(threads, r, z)
	goal := tolerance * tolerance * rz
	for k := range limit {
		if rz <= goal || stop != nil && stop() {
			return k
		}
		h.Mul(p, q)
		curvature := dot(threads, p, q)
		if !(curvature > 0) {
			return k
		}
		addScaled(threads, x, rz/curvature, p)
		addScaled(threads, r, -rz/curvature, q)
		h.precondition(r, z)
		before := rz
		rz = dot(threads, r, z)
		combine(threads, p, z, rz/before)
	}
	return limit
}

func dot(threads int, a, b []float64) float64 {
	return parallel.Sum(threads, len(a), func(lo, hi int) float64 {
		s, v := 0.0, b[lo:hi]
		for i, u := range a[lo:hi] {
			s += u * v[i]
		}
		return s
	})
}

// addScaled sets x to x + s·p.
func addScaled(threads int, x []float64, s float64, p []float64) {
	parallel.Range(threads, len(x), func(lo, hi int) {
		v := p[lo:hi]
		for i := range x[lo:hi] {
			x[lo+i] += s * v[i]
		}
	})
}

// combine sets p to z + s·p.
func combine(threads int, p, z []float64, s float64) {
	parallel.Range(threads, len(p), func(lo, hi int) {
		v := z[lo:hi]
		for i := range p[lo:hi] {
			p[lo+i] = v[i] + s*p[lo+i]
		}
	})
}

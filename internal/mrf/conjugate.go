package mrf

import (
	"github.com/deeppsl/deeppsl/internal/parallel"

	"github.com/deeppsl/deeppsl/internal/reuse"
)

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
	n, threads := len(b), h.threads()
	for _, v := range []*[]float64{&c.residual, &c.direction, &c.product, &c.preconditioned} {
		*v = reuse.Len(*v, n)
	}
	if len(h.pre.inverse) < n {
		h.Restrict(nil)
	}
	r, p, q, z := c.residual, c.direction, c.product, c.preconditioned
	clear(x)
	clear(p)
	clear(q)
	copy(r, b)
	rz := c.advance(h, x, 0)
	copy(p, z)
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
		before := rz
		rz = c.advance(h, x, rz/curvature)
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

// advance moves x by a part of the direction, and with it the residual r, preconditions that, and returns r·z: all in
// one pass where the preconditioner is a diagonal, since vectors go through the caches in each.
func (c *Conjugate) advance(h *Hessian, x []float64, part float64) float64 {
	threads, own := h.threads(), h.owns()
	rz := parallel.Sum(threads, len(x), func(lo, hi int) float64 {
		x, r, p, q := x[lo:hi], c.residual[lo:hi], c.direction[lo:hi], c.product[lo:hi]
		z, inverse, sum := c.preconditioned[lo:hi], h.pre.inverse[lo:hi], 0.0
		for i, v := range r {
			x[i] += part * p[i]
			v -= part * q[i]
			r[i], z[i] = v, v*inverse[i]
			sum += v * z[i]
		}
		return sum
	})
	if !own {
		return rz
	}
	h.correct(c.preconditioned)
	return dot(threads, c.residual, c.preconditioned)
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

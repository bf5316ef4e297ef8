package interior

import "github.com/deeppsl/deeppsl/internal/kernel"

// normal is the matrix of a step by variables,
//
//	H = D + Σ θ a aᵀ
//
// of all rows of several variables, for conjugate gradients with its diagonal. Where there are many more of these rows
// than variables, most of them are far from their bounds in the end, and nearly nothing here, while the matrix by rows
// has them with all that ties them to the others. Rows hold exactly after a step, and what remains is pushes of
// variables that nothing balances.
type normal struct {
	start    []int32 // row k has the entries start[k]..start[k+1]
	index    []int32
	coef     []float64
	diagonal []float64 // D
	theta    []float64 // of the rows
	inverse  []float64 // of H's diagonal
	sum      *outer    // of the rows; nil before the first matrix
	resumes  bool      // x is a solution of this matrix

	x, r, z, d, q []float64
	size          float64 // of r, in the metric of the preconditioner
}

// newNormal makes room for rows that are added.
func newNormal(variables, rows int) *normal {
	h := &normal{start: make([]int32, 1, rows+1), theta: make([]float64, rows)}
	for _, v := range []*[]float64{&h.inverse, &h.x, &h.r, &h.z, &h.d, &h.q} {
		*v = make([]float64, variables)
	}
	return h
}

func (h *normal) add(index []int32, coef []float64) {
	h.index, h.coef = append(h.index, index...), append(h.coef, coef...)
	h.start = append(h.start, int32(len(h.index)))
}

// set takes the matrix of this D and the present θ.
func (h *normal) set(diagonal []float64) {
	h.resumes, h.diagonal = false, diagonal
	if h.sum == nil {
		s := kernel.Sparse{Start: h.start, Index: h.index, Coef: h.coef}
		h.sum = newOuter(s, len(h.theta), nil, len(diagonal))
	}
	h.sum.weigh(h.theta)
	copy(h.inverse, diagonal)
	for k, theta := range h.theta {
		for l := h.start[k]; l < h.start[k+1]; l++ {
			h.inverse[h.index[l]] += theta * h.coef[l] * h.coef[l]
		}
	}
	for i, v := range h.inverse {
		h.inverse[i] = 1 / v
	}
}

// solve sets x to the solution for that right-hand side, until a part of it remains and no entry that is more than the
// goal and what is taken of it, and tells whether that took at most so many products, unless it is time to stop.
func (h *normal) solve(right []float64, part, goal float64, takes []float64, limit int,
	stop func() bool) (products int, ok bool) {
	enough := part * h.begin(right)
	for copy(h.d, h.z); h.size > enough || beyond(h.r, goal, takes); products++ {
		h.multiply(h.d)
		curvature := kernel.Dot(h.d, h.q)
		if products >= limit || !(curvature > 0) {
			return products, false
		}
		if stop() {
			break // whatever the step is, the next look at the clock takes the best point
		}
		advance(h.x, h.r, h.d, h.q, h.size/curvature)
		before := h.size
		h.precondition()
		kernel.Turn(h.d, h.z, h.size/before)
	}
	return products, true
}

// begin sets r to what is left of the right-hand side at the solution of the last one of the same matrix, if that is
// less than at nothing, and returns how large all of it is in the metric of the preconditioner.
func (h *normal) begin(right []float64) (first float64) {
	copy(h.r, right)
	h.precondition()
	first = h.size
	if h.resumes {
		h.multiply(h.x)
		for i, v := range h.q {
			h.r[i] -= v
		}
		if h.precondition(); h.size < first {
			return first
		}
		copy(h.r, right)
		h.precondition()
	}
	h.resumes = true
	clear(h.x)
	return first
}

// precondition sets z to r by H's diagonal, and measures r in its metric.
func (h *normal) precondition() {
	r, z := h.r, h.z[:len(h.r)]
	for i, v := range h.inverse[:len(r)] {
		z[i] = v * r[i]
	}
	h.size = kernel.Dot(h.r, h.z)
}

// multiply sets q to H·v.
func (h *normal) multiply(v []float64) {
	q, v := h.q[:len(h.diagonal)], v[:len(h.diagonal)]
	for i, d := range h.diagonal {
		q[i] = d * v[i]
	}
	h.sum.add(h.q, v)
}

package squares

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/reuse"
)

// Response is how variables give way to what pushes them, in the first order: the step p that nearly minimises
// g·p + ½pᵀHp, with the slopes g and the Hessian H of squares that count, wherever it leads.
type Response struct{ model model }

// Reset makes it one of variables without squares.
func (r *Response) Reset(variables int) {
	m := &r.model
	for _, v := range []*[]float64{&m.diagonal, &m.own, &m.inverse, &m.residual, &m.step, &m.product, &m.r, &m.z,
		&m.along} {
		*v = reuse.More((*v)[:0], variables)
	}
	clear(m.diagonal)
	clear(m.own)
	clear(m.residual)
	clear(m.inverse)
	for k := range m.active {
		a := &m.active[k]
		a.vars, a.coef = a.vars[:0], a.coef[:0]
	}
}

// Square adds the square w·(Σ coef·p)² of variables, at most Longest.
func (r *Response) Square(vars []int32, coef []float64, w float64) {
	m, root := &r.model, math.Sqrt(2*w)
	for e, i := range vars {
		a := root * coef[e]
		m.diagonal[i] += a * a
		if len(vars) == 1 {
			m.own[i] += a * a
		} else {
			q := &m.active[len(vars)]
			q.vars, q.coef = append(q.vars, i), append(q.coef, a)
		}
	}
}

// Push says what the slope is along a variable; those of which nothing is said stay where they are.
func (r *Response) Push(variable int32, slope float64) {
	m := &r.model
	if m.residual[variable] = -slope; m.diagonal[variable] > 0 {
		m.inverse[variable] = 1 / m.diagonal[variable]
	}
}

// precise is the part of the residual at which Step has enough.
const precise = 1e-3

// Step returns the step after so many iterations of the method of conjugate gradients, or fewer.
func (r *Response) Step(iterations int) []float64 {
	r.model.conjugate(precise, iterations)
	return r.model.step
}

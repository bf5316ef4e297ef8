package interior

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

const (
	// directions bounds the corrections of a solution, and vain is the part of what is left that one is to be able to
	// change: combinations of equations that nearly follow from others change next to nothing.
	directions, vain = 8, 1e-3
	// plenty is the part of what the gap may be that is little enough to be left, once there is more than all of it.
	plenty = 0.05
	// vast is how many times what the gap may be is too much to be left of multipliers that move to where rows hold:
	// of rows that hold at no point, they have no end.
	vast = 1e5
)

// easing makes solutions of a matrix whose hard rows are firm those of the matrix where they are not, as far as the
// best combination of a few corrections is (generalised conjugate residuals).
type easing struct {
	gives []float64 // by how much the matrix has more on its diagonal where it is not firm
	worth []float64 // what each number that is left of the right-hand side is worth in the gap
	z, q  [directions][]float64
}

// room makes room for a matrix of that order.
func (e *easing) room(order int) {
	e.gives, e.worth = reuse.Len(e.gives, order), reuse.Len(e.worth, order)
	clear(e.gives)
}

// correct corrects x, of whose right-hand side the firm matrix leaves so much, where what is left is worth more than a
// tolerance. The firm matrix is told by what solves with it, and what subtracts a product with it.
func (e *easing) correct(x, left []float64, solve func([]float64), subtract func(x, out []float64), tolerance float64) {
	for i, v := range e.gives {
		left[i] -= v * x[i]
	}
	multiply(left, e.worth)
	cost, enough := sum(left), tolerance
	for k := 0; k < directions && cost > enough && cost < vast*tolerance; k++ {
		e.z[k], e.q[k] = reuse.Len(e.z[k], len(left)), reuse.Len(e.q[k], len(left))
		z, q := e.z[k], e.q[k]
		for i, v := range left {
			z[i] = v / e.worth[i]
		}
		solve(z)
		e.subtract(z, q, subtract)
		for l := range k {
			part := kernel.Dot(q, e.q[l])
			kernel.SubtractMultiple(z, e.z[l], part)
			kernel.SubtractMultiple(q, e.q[l], part)
		}
		size := kernel.Dot(q, q)
		if !(size > vain*vain*kernel.Dot(left, left)) {
			return
		}
		scale(z, 1/math.Sqrt(size))
		scale(q, 1/math.Sqrt(size))
		part := kernel.Dot(left, q)
		kernel.SubtractMultiple(x, z, part) // q is less the matrix times z
		kernel.SubtractMultiple(left, q, part)
		cost, enough = sum(left), plenty*tolerance
	}
}

// subtract sets q to less the product of z with the matrix that is not firm, by what that is worth.
func (e *easing) subtract(z, q []float64, firm func(x, out []float64)) {
	clear(q)
	firm(z, q)
	for i, v := range e.gives {
		q[i] = (q[i] - v*z[i]) * e.worth[i]
	}
}

package interior

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// sum adds up the sizes of numbers.
func sum(v []float64) (total float64) {
	for _, x := range v {
		total += math.Abs(x)
	}
	return total
}

// largest is the largest size of a number, in two numbers, neither of which waits for the other one.
func largest(v []float64) float64 {
	even, odd := 0.0, 0.0
	for len(v) >= 2 {
		even, odd = max(even, math.Abs(v[0])), max(odd, math.Abs(v[1]))
		v = v[2:]
	}
	for _, x := range v {
		even = max(even, math.Abs(x))
	}
	return max(even, odd)
}

// advance goes a step along d: x by d, and r, what is left of the right-hand side, by q, the matrix times d.
func advance(x, r, d, q []float64, step float64) {
	kernel.SubtractMultiple(x, d, -step)
	kernel.SubtractMultiple(r, q, step)
}

// multiply multiplies a vector's numbers by another one's.
func multiply(v, by []float64) {
	for i := range v {
		v[i] *= by[i]
	}
}

// scale multiplies a vector by a number.
func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// normalise makes a vector's largest entry 1 or -1.
func normalise(v []float64) {
	scale(v, 1/largest(v))
}

// within returns v, or what is nearest to it of at most that size.
func within(v, most float64) float64 { return max(-most, min(v, most)) }

// beyond tells whether one of these is of a size that is more than the goal and than what may be taken of it.
func beyond(v []float64, goal float64, takes []float64) bool {
	for k, x := range v {
		if math.Abs(x) > max(goal, takes[k]) {
			return true
		}
	}
	return false
}

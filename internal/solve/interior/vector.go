package interior

import "math"

// sum adds up the sizes of numbers.
func sum(v []float64) (total float64) {
	for _, x := range v {
		total += math.Abs(x)
	}
	return total
}

// largest is the largest size of a number.
func largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}

// normalise makes a vector's largest entry 1 or -1.
func normalise(v []float64) {
	size := 1 / largest(v)
	for l := range v {
		v[l] *= size
	}
}

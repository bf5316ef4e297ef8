// Package cholesky factors small dense symmetric matrices, A = L Lᵀ. Large sparse ones are ldl's. It stands here and
// not in a library of linear algebra because that links two megabytes of other routines into every program.
package cholesky

import "math"

// Factor overwrites a positive semi-definite matrix of order n, of which the rows' entries on and before the diagonal
// are read, with L. A row that follows from those before it, to rounding, takes no part in solutions; how many there
// are is returned, and false if the matrix or what is computed of it is not finite.
func Factor(a []float64, n int) (dependent int, finite bool) {
	for i := range n {
		row := a[i*n : i*n+i+1]
		for j := range i {
			other := a[j*n : j*n+j+1]
			sum := row[j]
			for k, v := range other[:j] {
				sum -= v * row[k]
			}
			row[j] = sum / other[j]
		}
		sum, whole := row[i], row[i]
		for _, v := range row[:i] {
			sum -= v * v
		}
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return dependent, false
		}
		if sum <= rank*whole {
			sum = infinite
			dependent++
		}
		row[i] = math.Sqrt(sum)
	}
	return dependent, true
}

// rank is the share of a pivot that rounding can leave of nothing; infinite stands for a pivot that must not be divided
// by.
const (
	rank     = 1e-13
	infinite = 1e64
)

// Solve overwrites b with x, where L Lᵀ x = b and L is a factor of order n.
func Solve(l []float64, n int, b []float64) {
	for i := range n {
		row := l[i*n : i*n+i+1]
		sum := b[i]
		for k, v := range row[:i] {
			sum -= v * b[k]
		}
		b[i] = sum / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := l[i*n : i*n+i+1]
		b[i] /= row[i]
		for k, v := range row[:i] {
			b[k] -= v * b[i]
		}
	}
}

// LogDet returns log det A of a factor of order n.
func LogDet(l []float64, n int) float64 {
	sum := 0.0
	for i := range n {
		sum += 2 * math.Log(l[i*n+i])
	}
	return sum
}

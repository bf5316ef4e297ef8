package kernel

import "math"

// ELU replaces each value below 0 by e^value − 1, within two units of the last place of a float32 around −1.
func ELU(values []float32) { elu(values) }

// eluConstants are: an argument below which all powers are nothing beside 1, so that none is too small a number;
// 1/ln 2; ln 2 in two parts; the polynomial p of e^r − 1 = r + r²·p(r) for |r| ≤ ln 2/2, from its highest power (those
// of Cephes' expf); and 1.
var eluConstants = [11]float32{
	-30, math.Log2E, 0.693359375, -2.12194440e-4,
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1,
}

// eluPortably takes v = k·ln 2 + r apart, so that e^v − 1 = 2^k·(e^r − 1) + (2^k − 1), without a branch on the sign of
// values, which is a coin toss.
func eluPortably(values []float32) {
	const rounding = 3 << 22 // adding it leaves no place for a fraction
	k := &eluConstants
	for i, v := range values {
		x := max(k[0], min(v, 0))
		n := float32(x*k[1]+rounding) - rounding
		r := x - n*k[2] - n*k[3]
		p := k[4]
		for _, c := range k[5:10] {
			p = p*r + c
		}
		power := math.Float32frombits(uint32(int32(n)+127) << 23)
		values[i] = max(v, 0) + (power*(p*r*r+r) + (power - 1))
	}
}

// negligible is the size below which a gradient may be taken for 0. Those of a network that is sure of its outputs, or
// whose nodes are far in ELU's flat part, would come close to the smallest numbers on their way down, for which
// processors take a hundred times as long.
const negligible = 1e-20

// DescendELU multiplies gradients by ELU's derivative, of which its value y tells enough: 1, or y + 1 below 0. What is
// negligible becomes 0.
func DescendELU(gradient, y []float32) { descendELU(gradient, y[:len(gradient)]) }

func descendELUPortably(gradient, y []float32) {
	for i, v := range y {
		gradient[i] *= min(v, 0) + 1
	}
	Drop(gradient)
}

// Drop replaces what is negligible by 0.
func Drop(gradient []float32) {
	for i, g := range gradient {
		if -negligible < g && g < negligible {
			gradient[i] = 0
		}
	}
}

// AddMultiple adds v times b to a, number by number, as far as a goes; b is at least as long. All levels round the
// product and the sum.
func AddMultiple(a, b []float32, v float32) { addMultiple(a, b[:len(a)], v) }

// Lanes is the number of values in a register.
const Lanes = 8

// AddRows adds so many times each of some rows of a matrix to their sums, row by row. The rows of the matrix are as
// long as the sums, a multiple of Lanes. All levels round the products and the sums.
func AddRows(sums, matrix []float32, rows []int32, shares []float32) {
	if len(sums)%Lanes != 0 || len(matrix)%max(1, len(sums)) != 0 || len(rows) != len(shares) {
		panic("kernel: rows of another length")
	}
	addRows(sums, matrix, rows, shares)
}

func addRowsPortably(sums, matrix []float32, rows []int32, shares []float32) {
	for k, row := range rows {
		addMultiplePortably(sums, matrix[int(row)*len(sums):][:len(sums)], shares[k])
	}
}

func addMultiplePortably(a, b []float32, v float32) {
	for i, x := range b {
		a[i] += float32(v * x)
	}
}

// Maxima replaces, in best, what is smaller by values, and notes k in which wherever it did. All slices have the length
// of best.
func Maxima(best []float32, which []int32, values []float32, k int) {
	maxima(best, which[:len(best)], values[:len(best)], int32(k))
}

func maximaPortably(best []float32, which []int32, values []float32, k int32) {
	for j, v := range values {
		if v > best[j] {
			best[j], which[j] = v, k
		}
	}
}

package kernel

import "unsafe"

// elu8 computes ELU of n values, a multiple of Lanes.
//
//go:noescape
func elu8(values unsafe.Pointer, n int, constants *[11]float32)

// descendELU8 computes DescendELU of n values, a multiple of Lanes.
//
//go:noescape
func descendELU8(gradient, y unsafe.Pointer, n int)

// adam8 computes Adam.Step of n values, a multiple of Lanes.
//
//go:noescape
func adam8(values, gradients, means, squares unsafe.Pointer, n int, constants *adamConstants)

// maxima8 computes Maxima of n > 0 values; mask says which of the last register count.
//
//go:noescape
func maxima8(best, which, values unsafe.Pointer, n int, k int32, mask *int32)

// addMultiple8 computes AddMultiple of n values, a multiple of Lanes.
//
//go:noescape
func addMultiple8(a, b unsafe.Pointer, n int, v float32)

// addRows8 computes AddRows of Lanes values of each of n > 0 rows, which are stride bytes apart.
//
//go:noescape
func addRows8(sums, matrix unsafe.Pointer, stride int, rows, shares unsafe.Pointer, n int)

// elu takes the values that fill no register through one of their own, so that they get the same bits.
func elu(values []float32) {
	if level == portable {
		eluPortably(values)
		return
	}
	whole := len(values) &^ (Lanes - 1)
	if whole > 0 {
		elu8(unsafe.Pointer(&values[0]), whole, &eluConstants)
	}
	if rest := values[whole:]; len(rest) > 0 {
		var register [Lanes]float32
		copy(register[:], rest)
		elu8(unsafe.Pointer(&register), Lanes, &eluConstants)
		copy(rest, register[:])
	}
}

// window has a mask for each number of values at each eighth place.
var window = [2 * Lanes]int32{-1, -1, -1, -1, -1, -1, -1, -1}

func maxima(best []float32, which []int32, values []float32, k int32) {
	if level == portable {
		maximaPortably(best, which, values, k)
		return
	}
	if n := len(best); n > 0 {
		last := (n-1)&(Lanes-1) + 1
		maxima8(unsafe.Pointer(&best[0]), unsafe.Pointer(&which[0]), unsafe.Pointer(&values[0]), n, k,
			&window[Lanes-last])
	}
}

func descendELU(gradient, y []float32) {
	whole := 0
	if level != portable {
		whole = len(y) &^ (Lanes - 1)
	}
	if whole > 0 {
		descendELU8(unsafe.Pointer(&gradient[0]), unsafe.Pointer(&y[0]), whole)
	}
	descendELUPortably(gradient[whole:], y[whole:])
}

func addMultiple(a, b []float32, v float32) {
	whole := 0
	if level != portable {
		whole = len(a) &^ (Lanes - 1)
	}
	if whole > 0 {
		addMultiple8(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), whole, v)
	}
	addMultiplePortably(a[whole:], b[whole:], v)
}

func addRows(sums, matrix []float32, rows []int32, shares []float32) {
	if level == portable {
		addRowsPortably(sums, matrix, rows, shares)
		return
	}
	for at := 0; at < len(sums) && len(rows) > 0; at += Lanes {
		addRows8(unsafe.Pointer(&sums[at]), unsafe.Pointer(&matrix[at]), 4*len(sums), unsafe.Pointer(&rows[0]),
			unsafe.Pointer(&shares[0]), len(rows))
	}
}

func adam(values, gradients, means, squares []float32, constants *adamConstants) {
	whole := 0
	if level != portable {
		whole = len(values) &^ (Lanes - 1)
	}
	if whole > 0 {
		adam8(unsafe.Pointer(&values[0]), unsafe.Pointer(&gradients[0]), unsafe.Pointer(&means[0]),
			unsafe.Pointer(&squares[0]), whole, constants)
	}
	adamPortably(values[whole:], gradients[whole:], means[whole:], squares[whole:], constants)
}

package kernel

import "unsafe"

const float64Size = 8

//go:noescape
func subtractTile512(c unsafe.Pointer, stride int, left, right unsafe.Pointer, depth int)

//go:noescape
func subtractHalf256(c unsafe.Pointer, stride int, left, right unsafe.Pointer, depth int)

//go:noescape
func subtractMultiple256(a, b unsafe.Pointer, n int, v float64)

func subtractTile(c []float64, stride int, left, right []float64, depth int) {
	switch level {
	case avx512:
		subtractTile512(unsafe.Pointer(&c[0]), stride*float64Size, unsafe.Pointer(&left[0]), unsafe.Pointer(&right[0]),
			depth)
	case avx2:
		for half := 0; half < Tile; half += Tile / 2 {
			subtractHalf256(unsafe.Pointer(&c[half*stride]), stride*float64Size, unsafe.Pointer(&left[0]),
				unsafe.Pointer(&right[half]), depth)
		}
	default:
		subtractTilePortably(c, stride, left, right)
	}
}

func subtractMultiple(a, b []float64, v float64) {
	if level == portable || len(a) < Tile {
		subtractMultiplePortably(a, b, v)
		return
	}
	subtractMultiple256(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), len(a), v)
}

//go:noescape
func turn256(a, b unsafe.Pointer, n int, v float64)

//go:noescape
func addProducts256(a, b, c unsafe.Pointer, n int)

// whole is how many of so many numbers fill registers.
func whole(n int) int {
	if level == portable {
		return 0
	}
	return n &^ (Tile - 1)
}

func turn(a, b []float64, v float64) {
	n := whole(len(a))
	if n > 0 {
		turn256(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), n, v)
	}
	turnPortably(a[n:], b[n:], v)
}

func addProducts(a, b, c []float64) {
	n := whole(len(a))
	if n > 0 {
		addProducts256(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&c[0]), n)
	}
	addProductsPortably(a[n:], b[n:], c[n:])
}

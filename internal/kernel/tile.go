package kernel

import "math"

// Tile is the number of rows and columns that SubtractTile takes at once.
const Tile = 8

// SubtractTile subtracts the product of two packed matrices from a tile of C, whose columns begin stride numbers apart:
// left and right have Tile numbers for each of so many places of the inner dimension, of Tile rows and of Tile columns.
// Each sum is in the order of the inner dimension and is subtracted once. All levels round once for each product with
// its sum, and each difference, so that the bits are the same whatever the machine.
func SubtractTile(c []float64, stride int, left, right []float64) {
	depth := len(left) / Tile
	_, _ = c[(Tile-1)*stride+Tile-1], right[Tile*depth-1]
	subtractTile(c, stride, left, right, depth)
}

// SubtractMultiple subtracts v times b from a, number by number, as far as a goes; b is as long.
func SubtractMultiple(a, b []float64, v float64) { subtractMultiple(a, b[:len(a)], v) }

// Turn makes of a what b is and v times a, number by number, as far as a goes; b is as long.
func Turn(a, b []float64, v float64) { turn(a, b[:len(a)], v) }

// AddProducts adds to a the products of b and c, number by number, as far as a goes; these are as long.
func AddProducts(a, b, c []float64) { addProducts(a, b[:len(a)], c[:len(a)]) }

// Dot is the product of a and as much of b, in four sums, none of which waits for another one.
func Dot(a, b []float64) float64 {
	var first, second, third, fourth float64
	for len(a) >= 4 && len(b) >= 4 {
		first += a[0] * b[0]
		second += a[1] * b[1]
		third += a[2] * b[2]
		fourth += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	b = b[:len(a)]
	for k, v := range a {
		first += v * b[k]
	}
	return first + second + (third + fourth)
}

// subtractTilePortably takes two columns and four rows at a time, whose sums stay in registers.
func subtractTilePortably(c []float64, stride int, left, right []float64) {
	for j := 0; j < Tile; j += 2 {
		for i := 0; i < Tile; i += 4 {
			var a0, a1, a2, a3, b0, b1, b2, b3 float64
			for k := 0; k+Tile <= len(left); k += Tile {
				l, r := (*[4]float64)(left[k+i:]), (*[2]float64)(right[k+j:])
				a0 = math.FMA(l[0], r[0], a0)
				a1 = math.FMA(l[1], r[0], a1)
				a2 = math.FMA(l[2], r[0], a2)
				a3 = math.FMA(l[3], r[0], a3)
				b0 = math.FMA(l[0], r[1], b0)
				b1 = math.FMA(l[1], r[1], b1)
				b2 = math.FMA(l[2], r[1], b2)
				b3 = math.FMA(l[3], r[1], b3)
			}
			first, second := (*[4]float64)(c[j*stride+i:]), (*[4]float64)(c[(j+1)*stride+i:])
			first[0] -= a0
			first[1] -= a1
			first[2] -= a2
			first[3] -= a3
			second[0] -= b0
			second[1] -= b1
			second[2] -= b2
			second[3] -= b3
		}
	}
}

func subtractMultiplePortably(a, b []float64, v float64) {
	for len(a) >= 4 && len(b) >= 4 {
		a[0] -= float64(b[0] * v)
		a[1] -= float64(b[1] * v)
		a[2] -= float64(b[2] * v)
		a[3] -= float64(b[3] * v)
		a, b = a[4:], b[4:]
	}
	for n := range a {
		a[n] -= float64(b[n] * v)
	}
}

func turnPortably(a, b []float64, v float64) {
	for n, w := range b {
		a[n] = w + float64(v*a[n])
	}
}

func addProductsPortably(a, b, c []float64) {
	for n := range a {
		a[n] += float64(b[n] * c[n])
	}
}

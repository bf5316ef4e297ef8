// Package kernel has the inner loops of convolutional networks over float32: products of matrices, ELU, and
// maxima. They are written in Go, and for amd64 in assembly, which needs no cgo and no experiment of Go's. What is
// computed does not depend on where in a slice a value lies.
//
// On one core of a Xeon of 2023, products of the paper's T1 run at 148 GFLOP/s with AVX-512 (see BenchmarkAddProduct);
// the loop in Go reaches 4. The same tile in simd/archsimd reached 27 with Go 1.26, whose compiler spills the
// registers that hold it.
package kernel

import "fmt"

// A Left is the left factor A of a product, which may lie in memory in any regular way, overlapping itself included. So
// a convolution is a product of the image as it is, without a copy of its patches. The inner dimension is cut into
// segments of equal length; the element in row i at place p of segment s is Data[i·Row + p·Column + s·Segment].
type Left struct {
	Data                 []float32
	Row, Column, Segment int
}

// Size gives the dimensions of a product: A has Rows rows and Segments·Inner columns, B has Segments·Inner rows and
// Columns columns.
type Size struct{ Rows, Columns, Inner, Segments int }

// AddProduct adds A·B to C, a matrix whose rows begin ldc elements apart; those of B begin ldb elements apart. Each
// element is a sum in the order of the inner dimension, so that its bits do not depend on which rows and columns are
// computed together. Sizes that leave a factor's data are a mistake of the program, and a panic.
func AddProduct(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	if min(size.Rows, size.Columns, size.Inner, size.Segments) <= 0 {
		return
	}
	inner := size.Segments * size.Inner
	last := (size.Rows-1)*a.Row + (size.Inner-1)*a.Column + (size.Segments-1)*a.Segment
	if last >= len(a.Data) || (inner-1)*ldb+size.Columns > len(b) || (size.Rows-1)*ldc+size.Columns > len(c) {
		panic(fmt.Sprintf("kernel: %+v does not fit %d, %d and %d elements", size, len(a.Data), len(b), len(c)))
	}
	addProduct(c, ldc, a, b, ldb, size)
}

// addProductPortably is the product for machines without a faster kernel.
func addProductPortably(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	for i := range size.Rows {
		row := c[i*ldc : i*ldc+size.Columns]
		for s := range size.Segments {
			for p := range size.Inner {
				addScaled(row, a.Data[i*a.Row+p*a.Column+s*a.Segment], b[(s*size.Inner+p)*ldb:])
			}
		}
	}
}

// addScaled adds f·x to out, over the length of out.
func addScaled(out []float32, f float32, x []float32) {
	x = x[:len(out)]
	for i := range out {
		out[i] += f * x[i]
	}
}

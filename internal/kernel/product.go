// Package kernel has the inner loops of convolutional networks over float32: products of matrices, patches of images,
// maxima, ELU, and steps of Adam; and those of factorisations and of sparse products over float64. They are written in
// Go, and for amd64 in assembly, which needs no cgo and no experiment of Go's. What is computed does not depend on
// where in a slice a value lies.
//
// On one core of a Xeon of 2023, products of the paper's T1 run at 148 GFLOP/s with AVX-512 (see BenchmarkAddProduct);
// the loop in Go reaches 5. The same tile in simd/archsimd reached 27 with Go 1.26, whose compiler spills the
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

// addProductPortably is the product for machines without a faster kernel. Eight columns of the result at a time stay
// in registers; the last ones, fewer than eight, are done one by one.
func addProductPortably(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	const columns = 8
	for i := range size.Rows {
		row, from := c[i*ldc:i*ldc+size.Columns], a.Data[i*a.Row:]
		j := 0
		for ; j+columns <= size.Columns; j += columns {
			eightColumns((*[columns]float32)(row[j:]), from, a, b[j:], ldb, size)
		}
		for ; j < size.Columns; j++ {
			oneColumn(&row[j], from, a, b[j:], ldb, size)
		}
	}
}

// eightColumns adds to eight values of a row of the result.
func eightColumns(c *[8]float32, row []float32, a Left, b []float32, ldb int, size Size) {
	c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	at := 0
	for s := range size.Segments {
		for p, k := 0, s*a.Segment; p < size.Inner; p, k = p+1, k+a.Column {
			f, x := row[k], (*[8]float32)(b[at:])
			c0 += f * x[0]
			c1 += f * x[1]
			c2 += f * x[2]
			c3 += f * x[3]
			c4 += f * x[4]
			c5 += f * x[5]
			c6 += f * x[6]
			c7 += f * x[7]
			at += ldb
		}
	}
	*c = [8]float32{c0, c1, c2, c3, c4, c5, c6, c7}
}

// oneColumn adds to one value of the result.
func oneColumn(c *float32, row []float32, a Left, b []float32, ldb int, size Size) {
	sum, at := *c, 0
	for s := range size.Segments {
		for p, k := 0, s*a.Segment; p < size.Inner; p, k = p+1, k+a.Column {
			sum += row[k] * b[at]
			at += ldb
		}
	}
	*c = sum
}

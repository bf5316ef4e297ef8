package kernel

import (
	"unsafe"
)

const float32Size = 4

//go:noescape
func tile512(c unsafe.Pointer, ldc int, a unsafe.Pointer, row, column, jump int, b unsafe.Pointer,
	ldb, inner, segments, rows int, mask uint64)

//go:noescape
func tile256(c unsafe.Pointer, ldc int, a unsafe.Pointer, row, column, jump int, b unsafe.Pointer,
	ldb, inner, segments, rows int, masks *[16]int32)

// addProduct cuts the result into tiles. A panel of B, as wide as a tile, serves all rows before the next one.
func addProduct(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	switch level {
	case avx512:
		add512(c, ldc, a, b, ldb, size)
	case avx2:
		add256(c, ldc, a, b, ldb, size)
	default:
		addProductPortably(c, ldc, a, b, ldb, size)
	}
}

func add512(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	const rows, columns = 8, 32
	jump := (a.Segment - size.Inner*a.Column) * float32Size
	for j := 0; j < size.Columns; j += columns {
		mask := uint64(1)<<min(columns, size.Columns-j) - 1
		for i := 0; i < size.Rows; i += rows {
			tile512(unsafe.Pointer(&c[i*ldc+j]), ldc*float32Size, unsafe.Pointer(&a.Data[i*a.Row]), a.Row*float32Size,
				a.Column*float32Size, jump, unsafe.Pointer(&b[j]), ldb*float32Size, size.Inner, size.Segments,
				size.Rows-i, mask)
		}
	}
}

func add256(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	const rows, columns = 4, 16
	jump := (a.Segment - size.Inner*a.Column) * float32Size
	for j := 0; j < size.Columns; j += columns {
		var masks [columns]int32
		for k := range min(columns, size.Columns-j) {
			masks[k] = -1
		}
		for i := 0; i < size.Rows; i += rows {
			tile256(unsafe.Pointer(&c[i*ldc+j]), ldc*float32Size, unsafe.Pointer(&a.Data[i*a.Row]), a.Row*float32Size,
				a.Column*float32Size, jump, unsafe.Pointer(&b[j]), ldb*float32Size, size.Inner, size.Segments,
				size.Rows-i, &masks)
		}
	}
}

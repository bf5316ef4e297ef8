package kernel

import "unsafe"

// walk is what the assembly needs to know of a patch and a grid. Strides are in bytes.
type walk struct {
	rows, columns, row, column int
	lines, stride, width       int
	masks                      [2]uint64 // of the values to a line that count, 64 and then 32
	whole, rest                int       // how many these are, in registers of AVX2 and after them
	lanes                      [block256]int32
}

//go:noescape
func gather512(sums, image, factors, places unsafe.Pointer, w *walk)

//go:noescape
func scatter512(weights, image, factors, places unsafe.Pointer, w *walk)

// gather256 takes the masks of a line's values from lanes, and scatter256 that of the rest.
//
//go:noescape
func gather256(sums, image, factors, places unsafe.Pointer, w *walk)

//go:noescape
func scatter256(weights, image, factors, places unsafe.Pointer, w *walk)

// Blocks are how many values of a line are worked on at once. The order of sums depends on that of scatter, and so is
// the same for all kernels.
const block, block256 = 96, 32

func gather(sums, image []float32, patch Patch, at Picked) {
	w, factors, places := newWalk(patch, at), unsafe.Pointer(&at.Factors[0]), unsafe.Pointer(&at.Places[0])
	switch level {
	case avx512:
		for j := 0; j < patch.Width; j += block {
			w.mask512(min(block, patch.Width-j))
			gather512(unsafe.Pointer(&sums[j]), unsafe.Pointer(&image[j]), factors, places, &w)
		}
	case avx2:
		for j := 0; j < patch.Width; j += block256 {
			w.mask256(min(block256, patch.Width-j))
			gather256(unsafe.Pointer(&sums[j]), unsafe.Pointer(&image[j]), factors, places, &w)
		}
	default:
		gatherPortably(sums, image, patch, at)
	}
}

func scatter(image, weights []float32, patch Patch, at Picked) {
	w, factors, places := newWalk(patch, at), unsafe.Pointer(&at.Factors[0]), unsafe.Pointer(&at.Places[0])
	for j := 0; j < patch.Width && level > portable; j += block {
		line, weights := unsafe.Pointer(&image[j]), unsafe.Pointer(&weights[j])
		if level == avx512 {
			w.mask512(min(block, patch.Width-j))
			scatter512(weights, line, factors, places, &w)
		} else {
			w.mask256(min(block, patch.Width-j))
			scatter256(weights, line, factors, places, &w)
		}
	}
	if level == portable {
		scatterPortably(image, weights, patch, at)
	}
}

func newWalk(patch Patch, at Picked) walk {
	return walk{rows: at.Rows, columns: at.Columns, row: at.Row * float32Size, column: at.Column * float32Size,
		lines: patch.Lines, stride: patch.Stride * float32Size, width: patch.Width * float32Size}
}

func (w *walk) mask512(width int) {
	w.masks = [2]uint64{1<<min(width, 64) - 1, 1<<max(width-64, 0) - 1}
}

func (w *walk) mask256(width int) {
	w.whole, w.rest = width/Lanes, width%Lanes
	for lane := range w.lanes {
		w.lanes[lane] = 0
		if lane < width {
			w.lanes[lane] = -1
		}
	}
}

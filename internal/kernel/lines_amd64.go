package kernel

import "unsafe"

//go:noescape
func addLines8(to, number, scale, from, index, coef, lengths unsafe.Pointer, groups int, anew bool)

//go:noescape
func addDots4(to, number, scale, from, index, coef, lengths unsafe.Pointer, groups int)

func (l *Lines) inOrder(to, from []float64, anew bool) {
	if level == portable || len(l.index) == 0 {
		l.inOrderPortably(to, from, anew)
		return
	}
	addLines8(unsafe.Pointer(&to[0]), unsafe.Pointer(&l.number[0]), unsafe.Pointer(&l.scale[0]),
		unsafe.Pointer(&from[0]), unsafe.Pointer(&l.index[0]), unsafe.Pointer(&l.coef[0]),
		unsafe.Pointer(&l.lengths[0]), len(l.lengths), anew)
}

func (l *Lines) byFour(to, from []float64) {
	if level == portable || len(l.index) == 0 {
		l.byFourPortably(to, from)
		return
	}
	addDots4(unsafe.Pointer(&to[0]), unsafe.Pointer(&l.number[0]), unsafe.Pointer(&l.scale[0]),
		unsafe.Pointer(&from[0]), unsafe.Pointer(&l.index[0]), unsafe.Pointer(&l.coef[0]),
		unsafe.Pointer(&l.lengths[0]), len(l.lengths)/2)
}

//go:noescape
func combine8(sum, rows, coef, all unsafe.Pointer, n int)

func combine(sum *[Tile]float64, rows []int32, coef []float64, all [][Tile]float64) {
	if level == portable || len(rows) == 0 {
		combinePortably(sum, rows, coef, all)
		return
	}
	combine8(unsafe.Pointer(sum), unsafe.Pointer(&rows[0]), unsafe.Pointer(&coef[0]), unsafe.Pointer(&all[0]), len(rows))
}

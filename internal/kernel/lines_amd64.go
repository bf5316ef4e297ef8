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

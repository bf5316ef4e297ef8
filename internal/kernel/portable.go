//go:build !amd64

package kernel

func addProduct(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	addProductPortably(c, ldc, a, b, ldb, size)
}

func elu(values []float32) { eluPortably(values) }

func maxima(best []float32, which []int32, values []float32, k int32) {
	maximaPortably(best, which, values, k)
}

func descendELU(gradient, y []float32) { descendELUPortably(gradient, y) }

func addMultiple(a, b []float32, v float32) { addMultiplePortably(a, b, v) }

func addRows(sums, matrix []float32, rows []int32, shares []float32) {
	addRowsPortably(sums, matrix, rows, shares)
}

func adam(values, gradients, means, squares []float32, constants *adamConstants) {
	adamPortably(values, gradients, means, squares, constants)
}

func gather(sums, image []float32, patch Patch, at Picked) { gatherPortably(sums, image, patch, at) }

func scatter(image, weights []float32, patch Patch, at Picked) {
	scatterPortably(image, weights, patch, at)
}

func subtractTile(c []float64, stride int, left, right []float64, _ int) {
	subtractTilePortably(c, stride, left, right)
}

func subtractMultiple(a, b []float64, v float64) { subtractMultiplePortably(a, b, v) }

func (l *Lines) inOrder(to, from []float64, anew bool) { l.inOrderPortably(to, from, anew) }

func (l *Lines) byFour(to, from []float64) { l.byFourPortably(to, from) }

func combine(sum *[Tile]float64, rows []int32, coef []float64, all [][Tile]float64) {
	combinePortably(sum, rows, coef, all)
}

func turn(a, b []float64, v float64) { turnPortably(a, b, v) }

func addProducts(a, b, c []float64) { addProductsPortably(a, b, c) }

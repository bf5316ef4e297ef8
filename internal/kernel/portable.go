//go:build !amd64

package kernel

func addProduct(c []float32, ldc int, a Left, b []float32, ldb int, size Size) {
	addProductPortably(c, ldc, a, b, ldb, size)
}

func elu(values []float32) { eluPortably(values) }

func maxima(best []float32, which []int32, values []float32, k int32) {
	maximaPortably(best, which, values, k)
}

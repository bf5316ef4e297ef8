package kernel

import (
	"slices"
	"testing"
)

// Every kernel that this machine has passes all tests, and products of the two in assembly agree to the bit.
func TestKernels(t *testing.T) {
	most := level
	defer func() { level = most }()
	for level = portable; level < most; level++ {
		TestAddProduct(t)
		TestELU(t)
		TestDescendELU(t)
		TestAdam(t)
		TestPatches(t)
		TestAddMultiple(t)
		TestMaxima(t)
		TestTiles(t)
	}
	if most != avx512 {
		t.Skip("this machine has no AVX-512")
	}
	size := Size{Rows: 13, Columns: 47, Inner: 21, Segments: 2}
	a := Left{Data: numbers(1000, 1), Row: 21, Column: 1, Segment: 21}
	var results [2][]float32
	for k := range results {
		level = avx2 + instructions(k)
		results[k] = numbers(size.Rows*size.Columns, 3)
		AddProduct(results[k], size.Columns, a, numbers(42*size.Columns, 2), size.Columns, size)
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("the kernels differ in their bits")
	}
	at := Picked{Factors: numbers(12, 5), Places: []int32{0, 3, 9, 4, 4, 1, 30, 21, 7, 8, 12, 0}, Rows: 3, Columns: 4,
		Row: 4, Column: 1}
	for k := range results {
		level = avx2 + instructions(k)
		results[k] = numbers(500, 4)
		Gather(results[k][300:], results[k][:300], Patch{Lines: 2, Width: 100, Stride: 130}, at)
		Scatter(results[k][:300], results[k][300:], Patch{Lines: 2, Width: 100, Stride: 130}, at)
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("the kernels for patches differ in their bits")
	}
}

// Means that die out must end at 0, and not among the numbers that take processors long.
func TestAdamForgets(t *testing.T) {
	if level == portable {
		t.Skip("only the assembly takes tiny numbers for 0")
	}
	values, gradients, means, squares := numbers(8, 1), make([]float32, 8), numbers(8, 2), make([]float32, 8)
	for range 2000 {
		Adam{Beta1: 0.9, Beta2: 0.999, Rate: 0.01, Unbias: 1, Epsilon: 1e-8}.Step(values, gradients, means, squares)
	}
	if !slices.Equal(means, make([]float32, 8)) {
		t.Errorf("means end at %v", means)
	}
}

package matmul

import (
	"slices"
	"testing"
)

// Every kernel that this machine has passes the tests of products, and the two of assembly agree to the bit.
func TestKernels(t *testing.T) {
	best := kernel
	defer func() { kernel = best }()
	for kernel = portable; kernel < best; kernel++ {
		TestAdd(t)
	}
	if best != avx512 {
		t.Skip("this machine has one kernel of assembly at most")
	}
	size := Size{Rows: 13, Columns: 47, Inner: 21, Segments: 2}
	a := Left{Data: numbers(1000, 1), Row: 21, Column: 1, Segment: 21}
	var results [2][]float32
	for k := range results {
		kernel = avx2 + kernelKind(k)
		results[k] = numbers(size.Rows*size.Columns, 3)
		Add(results[k], size.Columns, a, numbers(42*size.Columns, 2), size.Columns, size)
	}
	if !slices.Equal(results[0], results[1]) {
		t.Error("the kernels differ in their bits")
	}
}

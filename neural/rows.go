package neural

import "github.com/deeppsl/deeppsl/internal/parallel"

// This file is about matrices, line by line.

// chunk is the number of rows, columns or pairs of one parallel task. Sums over chunks depend on it, but not on the
// number of threads.
const chunk = 128

// piece is the number of rows, or images, that go through a layer together.
const piece = 128

// row returns the i-th row of a matrix.
func row[T any](values []T, i, width int) []T { return values[i*width : (i+1)*width] }

// eachChunk calls body on consecutive pieces of [0,n), in parallel; body writes to its own piece only.
func eachChunk(threads, n int, body func(lo, hi int)) {
	parallel.For(threads, (n+chunk-1)/chunk, func(task int) {
		body(task*chunk, min(n, (task+1)*chunk))
	})
}

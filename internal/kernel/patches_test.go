package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// grid draws a grid of factors and places in an image, and a patch.
func grid(t *rapid.T) (image []float32, patch Patch, at Picked) {
	patch = Patch{Lines: rapid.IntRange(0, 3).Draw(t, "lines"), Width: rapid.IntRange(0, 220).Draw(t, "width"),
		Stride: rapid.IntRange(0, 30).Draw(t, "stride")}
	at = Picked{Rows: rapid.IntRange(0, 4).Draw(t, "rows"), Columns: rapid.IntRange(0, 3).Draw(t, "columns"),
		Row: rapid.IntRange(0, 5).Draw(t, "row"), Column: rapid.IntRange(0, 5).Draw(t, "column")}
	n := at.Rows*at.Row + at.Columns*at.Column + 1
	at.Factors = numbers(n, 4)
	at.Places = rapid.SliceOfN(rapid.Int32Range(0, 40), n, n).Draw(t, "places")
	return numbers(41+patch.Lines*patch.Stride+patch.Width, 1), patch, at
}

// pairs calls body with the indices that each factor connects, in a matrix and an image, in order.
func pairs(patch Patch, at Picked, body func(factor float64, matrix, image int)) {
	for j := range at.Columns {
		for i := range at.Rows {
			k := i*at.Row + j*at.Column
			for l := range patch.Lines {
				for p := range patch.Width {
					body(float64(at.Factors[k]), l*patch.Width+p, int(at.Places[k])+l*patch.Stride+p)
				}
			}
		}
	}
}

// Patches of all shapes, overlapping or not, against the definition, without a touch on what is outside.
func TestPatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		image, patch, at := grid(t)
		matrix := numbers(patch.Lines*patch.Width+9, 7)
		wantImage, wantMatrix := wide(image), wide(matrix)
		pairs(patch, at, func(factor float64, m, i int) { wantMatrix[m] += factor * float64(image[i]) })
		pairs(patch, at, func(factor float64, m, i int) { wantImage[i] += factor * float64(matrix[m]) })
		gathered := slices.Clone(matrix)
		Gather(gathered, image, patch, at)
		Scatter(image, matrix, patch, at)
		if err := near(gathered, wantMatrix); err != nil {
			t.Fatal("gathered", err)
		}
		if err := near(image, wantImage); err != nil {
			t.Fatal("scattered", err)
		}
	})
}

func wide(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

func near(values []float32, want []float64) error {
	for i, v := range values {
		if math.Abs(float64(v)-want[i]) > 1e-5 {
			return fmt.Errorf("element %d is %v, want %v", i, v, want[i])
		}
	}
	return nil
}

func TestPatchesCheckSizes(t *testing.T) {
	at := Picked{Factors: make([]float32, 4), Places: make([]int32, 4), Rows: 2, Columns: 2, Row: 2, Column: 1}
	for _, patch := range []Patch{{Lines: 2, Width: 3, Stride: 3}, {Lines: 1, Width: 6}, {Lines: 2, Width: 2, Stride: 9}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", patch)
				}
			}()
			Gather(make([]float32, 5), make([]float32, 10), patch, at)
		}()
	}
}

// BenchmarkPatches is the gradient of the second convolution of the paper's network of task T1, by its weights and by
// its image: 12×12 maxima of each of 64 filters.
func BenchmarkPatches(b *testing.B) {
	const width, channels, filters, maxima, strip = 26, 32, 64, 12, 4
	patch := Patch{Lines: 3, Width: 3 * channels, Stride: width * channels}
	image, weights, factors := numbers(width*width*channels, 1), numbers(filters*9*channels, 2),
		numbers(maxima*maxima*filters, 3)
	places := make([]int32, len(factors))
	for k := range places {
		y, x := k/filters/maxima, k/filters%maxima
		places[k] = int32(((2*y+k%2)*width + 2*x + k/2%2) * channels)
	}
	for name, do := range map[string]func(image, weights []float32, at Picked){
		"gather":  func(image, weights []float32, at Picked) { Gather(weights, image, patch, at) },
		"scatter": func(image, weights []float32, at Picked) { Scatter(image, weights, patch, at) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for x := 0; x < maxima; x += strip {
					for f := range filters {
						do(image, weights[f*9*channels:], Picked{Factors: factors[x*filters+f:], Places: places[x*filters+f:],
							Rows: maxima, Columns: strip, Row: maxima * filters, Column: filters})
					}
				}
			}
			b.ReportMetric(2*9*channels*float64(len(factors)*b.N)/1e9/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}

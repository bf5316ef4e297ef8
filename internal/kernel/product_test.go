package kernel

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/parallel"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

// Products of every shape, with gaps between rows and overlapping left factors, against the definition; and without a
// touch on what is outside the result.
func TestAddProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := Size{
			Rows: rapid.IntRange(0, 20).Draw(t, "rows"), Columns: rapid.IntRange(0, 150).Draw(t, "columns"),
			Inner: rapid.IntRange(0, 12).Draw(t, "inner"), Segments: rapid.IntRange(0, 3).Draw(t, "segments"),
		}
		gap := rapid.IntRange(0, 3)
		ldb, ldc := size.Columns+gap.Draw(t, "gap of b"), size.Columns+gap.Draw(t, "gap of c")
		stride := rapid.IntRange(0, 4)
		a := Left{Row: stride.Draw(t, "row"), Column: stride.Draw(t, "column"), Segment: stride.Draw(t, "segment")}
		a.Data = numbers(1+4*(size.Rows+size.Inner+size.Segments), 1)
		b, c := numbers(size.Segments*size.Inner*ldb+1, 2), numbers(size.Rows*ldc+1, 3)
		want := append([]float32(nil), c...)
		for i := range size.Rows {
			for j := range size.Columns {
				sum := float64(c[i*ldc+j])
				for s := range size.Segments {
					for p := range size.Inner {
						sum += float64(a.Data[i*a.Row+p*a.Column+s*a.Segment]) * float64(b[(s*size.Inner+p)*ldb+j])
					}
				}
				want[i*ldc+j] = float32(sum)
			}
		}
		AddProduct(c, ldc, a, b, ldb, size)
		for i, v := range c {
			if math.Abs(float64(v-want[i])) > 1e-4 {
				t.Fatalf("element %d is %v, want %v", i, v, want[i])
			}
		}
	})
}

// numbers returns n numbers between -1 and 1 that look random.
func numbers(n int, seed float64) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.Sin(seed + 1.7*float64(i)))
	}
	return values
}

func TestAddProductChecksSizes(t *testing.T) {
	for _, size := range []Size{{2, 2, 3, 1}, {3, 2, 2, 1}, {2, 3, 2, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", size)
				}
			}()
			AddProduct(make([]float32, 4), 2, Left{Data: make([]float32, 4), Row: 2, Column: 1}, make([]float32, 4), 2, size)
		}()
	}
}

func BenchmarkAddProduct(b *testing.B) {
	for name, size := range map[string]Size{
		"convolution": {24, 64, 96, 1}, "gradient": {96, 64, 24, 1}, "lenet1": {24, 6, 5, 5}, "lenet2": {8, 16, 30, 3},
	} {
		b.Run(name, func(b *testing.B) {
			inner := size.Inner * size.Segments
			x, y, z := numbers(size.Rows*inner, 1), numbers(inner*size.Columns, 2), numbers(size.Rows*size.Columns, 3)
			a := Left{Data: x, Row: inner, Column: 1, Segment: size.Inner}
			for b.Loop() {
				AddProduct(z, size.Columns, a, y, size.Columns, size)
			}
			flops := 2 * float64(size.Rows) * float64(inner) * float64(size.Columns) * float64(b.N)
			b.ReportMetric(flops/1e9/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}

// BenchmarkLibraries is the second convolution of the paper's network of task T1 for 32 images as one product,
// [18432, 288]·[288, 64], by this package and by gonum, which shares it out to all processors.
func BenchmarkLibraries(b *testing.B) {
	const m, n, k, rows, inner = 18432, 64, 288, 24, 96
	x, y, z := numbers(m*k, 1), numbers(k*n, 2), numbers(m*n, 3)
	for name, multiply := range map[string]func(){
		"kernel": func() {
			parallel.For(parallel.Threads(0), m/rows, func(task int) {
				for p := 0; p < k; p += inner {
					AddProduct(z[task*rows*n:], n, Left{Data: x[task*rows*k+p:], Row: k, Column: 1}, y[p*n:], n,
						Size{Rows: rows, Columns: n, Inner: inner, Segments: 1})
				}
			})
		},
		"gonum": func() {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, blas32.General{Rows: m, Cols: k, Stride: k, Data: x},
				blas32.General{Rows: k, Cols: n, Stride: n, Data: y}, 1, blas32.General{Rows: m, Cols: n, Stride: n, Data: z})
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				multiply()
			}
			b.ReportMetric(2*m*n*k*float64(b.N)/1e9/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}

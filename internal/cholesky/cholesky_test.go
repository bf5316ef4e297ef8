package cholesky_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/deeppsl/deeppsl/internal/cholesky"
)

// Solutions and determinants of random positive definite matrices are gonum's.
func TestFactor(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		n++
		a, b := gram(random, n, n+2), make([]float64, n)
		for i := range b {
			b[i] = random.NormFloat64()
		}
		var want mat.VecDense
		var reference mat.Cholesky
		if !reference.Factorize(mat.NewSymDense(n, append([]float64(nil), a...))) {
			t.Fatalf("order %d: the reference finds the matrix not positive definite", n)
		}
		if err := reference.SolveVecTo(&want, mat.NewVecDense(n, append([]float64(nil), b...))); err != nil {
			t.Fatal(err)
		}
		if dependent, finite := cholesky.Factor(a, n); dependent > 0 || !finite {
			t.Fatalf("order %d: %d dependent rows, finite %v", n, dependent, finite)
		}
		cholesky.Solve(a, n, b)
		for i, v := range b {
			if math.Abs(v-want.AtVec(i)) > 1e-9*(1+math.Abs(v)) {
				t.Errorf("order %d: x[%d] is %v, want %v", n, i, v, want.AtVec(i))
			}
		}
		if got := cholesky.LogDet(a, n); math.Abs(got-reference.LogDet()) > 1e-9*(1+math.Abs(got)) {
			t.Errorf("order %d: log det is %v, want %v", n, got, reference.LogDet())
		}
	}
}

// Rows that follow from others are counted and take no part; what is not finite is told.
func TestFactorOfNoFullRank(t *testing.T) {
	a := []float64{4, 0, 2, 1} // the rows (4, 2) and (2, 1)
	if dependent, finite := cholesky.Factor(a, 2); dependent != 1 || !finite {
		t.Fatalf("%d dependent rows, finite %v, want 1 and true", dependent, finite)
	}
	b := []float64{8, 4}
	cholesky.Solve(a, 2, b)
	if math.Abs(b[0]-2) > 1e-12 || math.Abs(b[1]) > 1e-12 {
		t.Errorf("the solution is %v, want [2 0]", b)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if _, finite := cholesky.Factor([]float64{v}, 1); finite {
			t.Errorf("%v is taken for a matrix", v)
		}
	}
}

// gram returns B Bᵀ of a random matrix B with n rows, by rows.
func gram(random *rand.Rand, n, columns int) []float64 {
	b := mat.NewDense(n, columns, nil)
	for i := range n {
		for j := range columns {
			b.Set(i, j, random.NormFloat64())
		}
	}
	var product mat.Dense
	product.Mul(b, b.T())
	return product.RawMatrix().Data
}

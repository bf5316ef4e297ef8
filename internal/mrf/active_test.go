package mrf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// Sweeps of what is above 0 must give the bits of sweeps of everything: looked for everywhere, among what is above 0 at
// the ends of a segment, and for a Hessian.
func TestActiveSweepsHaveTheSameBits(t *testing.T) {
	found := 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 33))
		shape := mrftest.Shape{Variables: 300, Inputs: 8, Blocks: 6, Potentials: 2000, Kinds: mrftest.All,
			Arity: 4, Scales: true}
		if seed%2 == 0 {
			shape.Kinds = mrftest.Squared
		}
		f := mrftest.Field(mrftest.Random(random, shape))
		f.Threads = 1 + int(seed%3)
		ends := [2][]float64{mrftest.Uniform(random, 300), mrftest.Uniform(random, 300)}
		var sets []*mrf.Active
		for _, y := range ends {
			set := f.NewActive()
			sameSweep(t, seed, f, y, set)
			sets = append(sets, set)
		}
		if sets[0] != nil {
			found++
		}
		for range 3 {
			y, part := make([]float64, 300), random.Float64()
			for i := range y {
				y[i] = ends[0][i] + part*(ends[1][i]-ends[0][i])
			}
			set := f.NewActive()
			sameSweep(t, seed, f, y, set, sets...)
			sameHessian(t, seed, f, y, set)
		}
	}
	if found < 10 {
		t.Errorf("%d models have anything to be found: nothing is tested", found)
	}
}

// sameSweep compares a sweep among some sets, which sets found, with one of everything.
func sameSweep(t *testing.T, seed uint64, f *mrf.Field, y []float64, found *mrf.Active, among ...*mrf.Active) {
	t.Helper()
	want, got := make([]float64, len(y)), make([]float64, len(y))
	value := f.EnergyGradient(y, want)
	if found == nil {
		among = nil
	}
	if v := f.SweepActive(y, got, among, found, (*mrf.Span).Differentiate); v != value || !slices.Equal(got, want) {
		t.Fatalf("seed %d, %d sets: energy %v, want %v", seed, len(among), v, value)
	}
}

// sameHessian compares the Hessian of what is above 0 with that of everything.
func sameHessian(t *testing.T, seed uint64, f *mrf.Field, y []float64, above *mrf.Active) {
	t.Helper()
	free := make([]bool, len(y))
	for i := range free {
		free[i] = i%7 > 0
	}
	whole, part := f.NewHessian(), f.NewHessian()
	whole.Assemble(y, free, 1, (*mrf.Span).Curve)
	part.AssembleActive(y, free, 1, (*mrf.Span).Curve, above)
	want, got := make([]float64, len(whole.Free)), make([]float64, len(whole.Free))
	whole.Mul(whole.Diagonal, want)
	part.Mul(part.Diagonal, got)
	if !slices.Equal(got, want) || !slices.Equal(part.Diagonal, whole.Diagonal) {
		t.Fatalf("seed %d: another Hessian", seed)
	}
}

// What is no number must not be taken for a hinge that is 0.
func TestActiveSweepsSeeWhatIsNoNumber(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Copysign(math.NaN(), -1)} {
		f := mrf.NewField(&mrf.Model{Variables: 2, Rules: 1, Blocks: []*mrf.Block{
			{Kind: mrf.Hinge, Exponent: 2, Len: 1, Coef: []float64{1, 1}, Vars: []int32{0, 1}},
		}})
		y := []float64{bad, 0}
		if v := f.SweepActive(y, nil, nil, f.NewActive(), (*mrf.Span).Differentiate); !math.IsNaN(v) {
			t.Errorf("energy %v at %v", v, y)
		}
	}
}

package mrf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// At points with the clamped values, the clamped model must have the slacks of the whole one, and no derivative along
// the clamped variables.
func TestClampKeepsSlacks(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 4))
		model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 20, Inputs: 6, Blocks: 8, Potentials: 12,
			Kinds: mrftest.All, Arity: 4, Scales: true})
		variables, values := []int32{2, 5, 6, 11, 19}, []float64{0, 1, 0.25, 0.5, 0.75}
		clamped := model.Clamp(variables, values)
		if err := clamped.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		y, y2 := make([]float64, 20), make([]float64, 20)
		for i := range y {
			y[i] = random.Float64()
			y2[i] = y[i]
		}
		for k, i := range variables {
			y[i] = values[k]
		}
		whole, part := mrf.NewField(model), mrf.NewField(clamped)
		for _, field := range []*mrf.Field{whole, part} {
			field.SetWeights(theta)
			field.SetInputs(x)
		}
		// The clamped model must not look at the clamped variables at all.
		sameSlacks(t, whole, part, y, y2)
		g := make([]float64, 20)
		if want, got := whole.Energy(y), part.EnergyGradient(y2, g); math.Abs(want-got) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("seed %d: the energy is %v, want %v", seed, got, want)
		}
		for _, i := range variables {
			if g[i] != 0 {
				t.Errorf("seed %d: clamped variable %d has the derivative %v", seed, i, g[i])
			}
		}
	}
}

// sameSlacks compares all slacks but those of constraints that have no variable left.
func sameSlacks(t *testing.T, whole, part *mrf.Field, y, y2 []float64) {
	t.Helper()
	want, got := make([]float64, whole.Model.Potentials()), make([]float64, whole.Model.Potentials())
	whole.Slacks(y, want)
	part.Slacks(y2, got)
	first := 0
	for k, b := range part.Model.Blocks {
		for j := range b.Len {
			settled := b.Kind.Hard() && len(b.Variables(j)) == 0
			if settled {
				want[first+j] = 0
			}
			if math.Abs(want[first+j]-got[first+j]) > 1e-6 {
				t.Errorf("block %d, potential %d: slack %v, want %v", k, j, got[first+j], want[first+j])
			}
		}
		first += b.Len
	}
}

// Joins finds potentials with variables on both sides.
func TestJoins(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 5))
		model, _, _ := mrftest.Random(random, mrftest.Shape{Variables: 8, Inputs: 2, Blocks: 1, Potentials: 2,
			Kinds: mrftest.All, Arity: 2, Scales: true})
		chosen := []int32{0, 3, 4}
		want := false
		for _, some := range [][]int32{{1}, {2}, {5}, {6}, {7}} {
			for _, b := range model.Touching(chosen).Touching(some).Blocks {
				want = want || b.Len > 0
			}
		}
		if got := model.Joins(chosen); got != want {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

func TestPotential(t *testing.T) {
	for _, c := range []struct {
		kind         mrf.Kind
		exponent     int
		d            float64
		value, slope float64
	}{
		{mrf.Hinge, 1, 0.5, 0.5, 1}, {mrf.Hinge, 2, 0.5, 0.25, 1}, {mrf.Hinge, 2, -1, 0, 0},
		{mrf.Absolute, 1, -2, 2, -1}, {mrf.Absolute, 2, -2, 4, -4}, {mrf.Linear, 1, -3, -3, 1},
		{mrf.LessEqual, 0, 3, 0, 0}, {mrf.Equal, 0, 3, 0, 0},
	} {
		b := &mrf.Block{Kind: c.kind, Exponent: c.exponent}
		if value, slope := b.Potential(c.d); value != c.value || slope != c.slope {
			t.Errorf("kind %d, exponent %d at %v: %v and %v, want %v and %v", c.kind, c.exponent, c.d, value, slope,
				c.value, c.slope)
		}
	}
}

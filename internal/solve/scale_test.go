package solve_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// weighted is a field with all weights times c.
func weighted(f *mrf.Field, c float64) *mrf.Field {
	out := mrf.NewField(f.Model)
	theta := slices.Clone(f.Weights())
	for r := range theta {
		theta[r] *= c
	}
	out.SetWeights(theta)
	out.SetInputs(f.Inputs())
	return out
}

// What weights are measured in must not change an answer: not by a bit where the factor is a power of two, and by next
// to nothing for any other.
func TestWeightsHaveNoUnit(t *testing.T) {
	settings := solve.Settings{MaxIterations: 3000}
	for k, shape := range shapes {
		for seed := range uint64(12) {
			for _, way := range ways[:3] {
				f := randomField(seed, shape)
				want := *run(t, way.make(f, settings))
				want.Y, want.Multipliers = slices.Clone(want.Y), slices.Clone(want.Multipliers)
				for _, c := range []float64{0x1p-40, 0x1p-17, 0x1p40, 1e-12, 1e-5, 3, 1e12} {
					name := fmt.Sprintf("shape %d, seed %d, %s, weights times %v", k, seed, way.name, c)
					got := run(t, way.make(weighted(f, c), settings))
					fraction, _ := math.Frexp(c)
					sameAnswer(t, name, got, &want, c, fraction == 0.5)
				}
			}
		}
	}
}

// sameAnswer compares answers to a problem and to the one with all weights times c.
func sameAnswer(t *testing.T, name string, got, want *solve.Result, c float64, exactly bool) {
	t.Helper()
	if got.Status != want.Status {
		t.Fatalf("%s: %v, not %v", name, got.Status, want.Status)
	}
	if exactly && (!slices.Equal(got.Y, want.Y) || got.Gap != want.Gap || got.Objective != c*want.Objective ||
		got.Iterations != want.Iterations) {
		t.Errorf("%s: other bits: gap %v, not %v", name, got.Gap, want.Gap)
	}
	for i, y := range got.Y {
		if math.Abs(y-want.Y[i]) > 1e-9 {
			t.Errorf("%s: y[%d] = %v, not %v", name, i, y, want.Y[i])
			break
		}
	}
}

// Small weights must not make a model optimal where it starts: this one's answer is 0.88 for both variables.
func TestSmallWeights(t *testing.T) {
	one := func(i int, a float64) []term { return []term{{Index: i, Coef: a}} }
	f := mrf.NewField(mrftest.New(2, 0, 4).
		Rule(0, mrf.Hinge, 1).Add(0.88, one(1, -1), nil).
		Rule(1, mrf.Hinge, 1).Add(0, one(1, 1), nil).
		Rule(2, mrf.Absolute, 1).Add(0, vars(1, -1), nil).
		Rule(3, mrf.Absolute, 1).Add(-0.9, one(0, 1), nil).Model())
	f.SetWeights([]float64{2e-5, 1e-5, 3e-5, 0.5e-5})
	for _, way := range ways[:3] {
		r := run(t, way.make(f, solve.Settings{Gap: 1e-6}))
		if r.Status != solve.Optimal || math.Abs(r.Y[0]-0.88) > 1e-5 || math.Abs(r.Y[1]-0.88) > 1e-5 {
			t.Errorf("%s: %v, %v", way.name, r.Status, r.Y)
		}
	}
}

// Multipliers of hard rules with no soft one beside them, and those that the search for a contradiction leaves behind,
// must be in the unit of the weights too.
func TestMultipliersAreInTheUnitOfWeights(t *testing.T) {
	sum := func(first, n int, a float64) (out []term) {
		for i := range n {
			out = append(out, term{Index: first + i, Coef: a})
		}
		return out
	}
	b := mrftest.New(19, 0, 2)
	b.Rule(0, mrf.Hinge, 1).Add(1, sum(0, 1, -1), nil).Add(1, sum(9, 1, -1), nil)
	b.Rule(1, mrf.Equal, 1)
	for _, first := range []int{0, 9} { // 1.001 times the mean of eight is the first one
		b.Add(0, append(sum(first, 1, -1), sum(first+1, 8, 1.001/8)...), nil)
	}
	b.Rule(1, mrf.Equal, 1).Add(-0.5, sum(18, 1, 1.3), nil)
	f := mrf.NewField(b.Model())
	for _, way := range ways[:3] {
		want := *run(t, way.make(f, solve.Settings{}))
		want.Y, want.Multipliers = slices.Clone(want.Y), slices.Clone(want.Multipliers)
		got := run(t, way.make(weighted(f, 0x1p20), solve.Settings{}))
		sameAnswer(t, way.name, got, &want, 0x1p20, true)
		for j, mu := range got.Multipliers {
			if mu != 0x1p20*want.Multipliers[j] {
				t.Errorf("%s: multiplier %d is %v, and %v times the weights", way.name, j, want.Multipliers[j], mu)
			}
		}
	}
}

package mrf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// Where there is nothing but singles, nothing is linearised: what is found must be the minimum.
func TestSinglesAreMinimised(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 4))
		field := singles(random, 12)
		y := make([]float64, 12)
		for i := range y {
			y[i] = min(max(1.5*random.Float64()-0.25, 0), 1) // some at the bounds
		}
		g, found := make([]float64, len(y)), field.NewSingles()
		energy := field.EnergyGradient(y, g)
		gap := found.Minimise(y, g, 0)
		there := make([]float64, len(y))
		for i := range y {
			if there[i] = y[i] + found.Step[i]; there[i] < -1e-12 || there[i] > 1+1e-12 {
				t.Fatalf("seed %d: variable %d moves to %v", seed, i, there[i])
			}
		}
		near(t, "energy at the minimum", energy-gap, field.Energy(there))
		field.Gradient(there, g)
		for i, slope := range g {
			if rest := slope*there[i] - min(0, slope); rest > 1e-9 {
				t.Errorf("seed %d: the slope along variable %d is %v at %v", seed, i, slope, there[i])
			}
		}
	}
}

// singles are four squared potentials of each variable, of either kind, with kinks around the box, and sums of so many
// variables one after the other.
func singles(random *rand.Rand, variables int, sums ...int) *mrf.Field {
	b := mrftest.New(variables, 0, 5)
	for rule := range 4 {
		kind := []mrf.Kind{mrf.Hinge, mrf.Hinge, mrf.Absolute}[random.IntN(3)]
		coefficient := []float64{-1, 1, 2}[random.IntN(3)]
		b.Rule(rule, kind, 2)
		for i := range variables {
			b.Add(2*random.Float64()-1, []mrftest.Term{{Index: i, Coef: coefficient}}, nil)
		}
	}
	b.Rule(4, mrf.Absolute, 2)
	first := 0
	for _, n := range sums {
		var terms []mrftest.Term
		for i := range n {
			terms = append(terms, mrftest.Term{Index: first + i, Coef: 1 - 1.5*float64(random.IntN(2))})
		}
		b.Add(-1, terms, nil)
		first += n
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{random.Float64(), 1, 10 * random.Float64(), 0, 5})
	return field
}

// With a sum over some of the variables, nothing is linearised either.
func TestSumsAreMinimised(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 5))
		field := singles(random, 12, 5, 7)
		y, g := make([]float64, 12), make([]float64, 12)
		for i := range y {
			y[i] = random.Float64()
		}
		energy := field.EnergyGradient(y, g)
		found := field.NewSingles()
		gap := found.Minimise(y, g, 1e-13)
		there := make([]float64, 12)
		for i := range y {
			there[i] = y[i] + found.Step[i]
		}
		if got := field.Energy(there); math.Abs(got-energy+gap) > 1e-6*energy {
			t.Errorf("seed %d: energy %v at the minimum, %v expected", seed, got, energy-gap)
		}
	}
}

// A flat slope is left alone, and its gap over the box counts as it is.
func TestSinglesLeaveFlatSlopes(t *testing.T) {
	m := mrftest.New(1, 0, 1).Rule(0, mrf.Hinge, 2).Add(0.5, []mrftest.Term{{Index: 0, Coef: -1}}, nil).Model()
	y := []float64{0.25}
	singles := mrf.NewField(m).NewSingles()
	for _, flat := range []float64{0, 1} {
		gap := singles.Minimise(y, []float64{-0.5}, flat)
		want, moved := 0.0625, 0.25
		if flat > 0 {
			want, moved = 0.375, 0
		}
		if math.Abs(gap-want) > 1e-12 || math.Abs(singles.Step[0]-moved) > 1e-12 {
			t.Errorf("flat %v: gap %v and step %v, want %v and %v", flat, gap, singles.Step[0], want, moved)
		}
	}
}

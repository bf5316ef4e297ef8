package mrf_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// chain has potentials along the variables in the given order, with an input each, and a prior for each number below
// priors.
func chain(variables, priors int, order []int32) *mrf.Model {
	links := &mrf.Block{Kind: mrf.Hinge, Exponent: 2, Len: len(order) - 1, Coef: []float64{1, -1}, InputCoef: []float64{1},
		Inputs: make([]int32, len(order)-1)}
	for k, i := range order[1:] {
		links.Vars = append(links.Vars, order[k], i)
	}
	prior := &mrf.Block{Rule: 1, Kind: mrf.Hinge, Exponent: 2, Len: priors, Coef: []float64{-1}, Constant: 1}
	return &mrf.Model{Variables: variables, Inputs: 1, Rules: 2, Blocks: []*mrf.Block{prior, links}}
}

// Where neighbours lie apart, packed variables lie side by side, and the potentials are the same; those without
// potentials are left out.
func TestPackedIsTheSameField(t *testing.T) {
	const n = 1 << 16
	random := rand.New(rand.NewPCG(1, 2))
	var order []int32
	for _, i := range random.Perm(n)[:n/2] {
		order = append(order, int32(i))
	}
	field := mrftest.Field(chain(n+100, n, order), []float64{2, 3}, []float64{0.25})
	packed, variables := field.Packed()
	if packed == nil {
		t.Fatal("not packed")
	}
	if err := packed.Model.Check(); err != nil {
		t.Fatal(err)
	}
	if len(variables) != n || !slices.Equal(variables[:n/2], order) {
		t.Errorf("%d variables, %v first; want %d, %v", len(variables), variables[:3], n, order[:3])
	}
	y := mrftest.Uniform(random, n+100)
	few := make([]float64, n)
	for k, i := range variables {
		few[k] = y[i]
	}
	got, want := make([]float64, packed.Model.Potentials()), make([]float64, field.Model.Potentials())
	packed.Slacks(few, got)
	field.Slacks(y, want)
	if !slices.Equal(got, want) || packed.Energy(few) != field.Energy(y) || packed.Unit() != field.Unit() {
		t.Error("the packed field is another one")
	}
}

// Small fields, and those whose neighbours lie side by side, stay as they are.
func TestPackedOnlyIfItPays(t *testing.T) {
	for _, n := range []int{100, 1 << 16} {
		order := make([]int32, n)
		for i := range order {
			order[i] = int32(i)
		}
		if n == 100 {
			slices.Reverse(order[n/2:])
		}
		if packed, _ := mrf.NewField(chain(n, n, order)).Packed(); packed != nil {
			t.Errorf("%d variables are packed", n)
		}
	}
}

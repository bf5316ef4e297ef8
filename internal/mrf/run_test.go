package mrf_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// prior is a block of n potentials that push variables apart from the first ones to 0, in either form.
func prior(first, n int) (run, listed *mrf.Block) {
	run = &mrf.Block{Kind: mrf.Hinge, Exponent: 2, Len: n, Coef: []float64{1}, Bias: make([]float32, n)}
	for j := range n {
		run.Bias[j] = float32(j%5) / 10
		run.Vars = append(run.Vars, int32(first+j))
	}
	copied := *run
	run.Compact()
	return run, &copied
}

// A run must be what the same potentials with listed variables are, bit by bit, without a byte for any of them.
func TestRunsAreWhatTheyStandFor(t *testing.T) {
	const variables, n = 40000, 30000
	run, listed := prior(7000, n)
	if run.Vars != nil || run.First != 7000 {
		t.Fatalf("ids %v, first %d", run.Vars, run.First)
	}
	pairs := &mrf.Block{Kind: mrf.Hinge, Exponent: 2, Len: variables / 2, Coef: []float64{1, -1}}
	for i := range int32(variables) {
		pairs.Vars = append(pairs.Vars, i)
	}
	var answers [2][][]float64
	for k, b := range []*mrf.Block{run, listed} {
		m := &mrf.Model{Variables: variables, Rules: 1, Blocks: []*mrf.Block{pairs, b}}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		f := mrf.NewField(m)
		y, g, free := make([]float64, variables), make([]float64, variables), make([]bool, variables)
		for i := range y {
			y[i], free[i] = float64(i%11)/10, i%3 > 0
		}
		d, h := make([]float64, m.Potentials()), f.NewHessian()
		energy := f.EnergyGradient(y, g)
		f.Slacks(y, d)
		h.Assemble(y, free, 1, (*mrf.Span).Curve)
		singles := f.NewSingles()
		bound := singles.Minimise(y, g, 0)
		answers[k] = [][]float64{{energy, bound}, g, d, h.Diagonal, singles.Step}
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		t.Error("other bits than with listed variables")
	}
	if !slices.Equal(run.Numbers(), listed.Vars) {
		t.Error("other numbers than those listed")
	}
}

// What is not a run must stay what it is.
func TestCompactLeavesAlone(t *testing.T) {
	for _, b := range []*mrf.Block{
		{},
		{Len: 2, Coef: []float64{1}, Vars: []int32{1, 0}},
		{Len: 1, Coef: []float64{1, 1}, Vars: []int32{0, 1}},
		{Len: 2, VarStart: []int32{0, 1, 2}, VarCoef: mrf.Reals{Single: []float32{1, 1}}, Vars: []int32{0, 1},
			InputStart: []int32{0, 0, 0}},
	} {
		before := *b
		if b.Compact(); !reflect.DeepEqual(*b, before) {
			t.Errorf("%+v, was %+v", b, before)
		}
	}
}

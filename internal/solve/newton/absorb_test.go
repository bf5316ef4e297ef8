package newton

import (
	"context"
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Near an optimum, the absorbed multipliers must prove a much smaller gap than the potentials' own, and a true one.
func TestAbsorbedMultipliersProveMore(t *testing.T) {
	field := mrftest.Field(mrftest.Citation{Documents: 40, Classes: 3, Links: 60, Exponent: 2, Seed: 2}.Model())
	m := field.Model
	exact, err := New(field, solve.Settings{Gap: 1e-12}).Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	optimum := exact.Objective
	y := append([]float64(nil), exact.Y...)
	for i := range y {
		y[i] = min(max(y[i]+1e-3*math.Sin(float64(i)), 0), 1)
	}
	own, absorbed, g := newMultipliers(m, true), newMultipliers(m, true), make([]float64, m.Variables)
	field.EnergyGradient(y, g)
	a := newAbsorber(field)
	certifier := solve.NewCertifier(field)
	before := certifier.CertifyWith(y, own.of, a.multiply) // no step yet: the potentials' own
	expected := a.singles.Minimise(y, g, 0)
	certifier.CertifyWith(y, absorbed.of, a.multiply)
	after := solve.Certify(field, y, absorbed.values)
	if after.Gap > before.Gap/5 {
		t.Errorf("the gap is %v with absorbed multipliers, %v without", after.Gap, before.Gap)
	}
	if after.DualBound > optimum+1e-9 {
		t.Errorf("a bound of %v, but the optimum is %v", after.DualBound, optimum)
	}
	if actual := after.Objective - after.DualBound; math.Abs(actual-expected) > 1e-9 {
		t.Errorf("the gap is %v where %v was expected", actual, expected)
	}
}

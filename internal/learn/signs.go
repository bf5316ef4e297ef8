package learn

import "github.com/deeppsl/deeppsl/internal/mrf"

// inactive is how far below 0 a hinge's argument is if its ground rule is inactive there, and not at its kink.
const inactive = 1e-3

// activity counts the ground rules of each rule that are active at MAP states: those whose slopes are not 0, so that
// weights and networks learn from them.
type activity struct{ active, all []float64 }

// add counts those of a field at y.
func (a *activity) add(field *mrf.Field, y []float64) {
	if a.all == nil {
		a.active, a.all = make([]float64, field.Model.Rules), make([]float64, field.Model.Rules)
	}
	field.CountActive(y, inactive, a.active)
	for _, b := range field.Model.Blocks {
		a.all[b.Rule] += float64(b.Len)
	}
}

// take returns the share of active ground rules by rule, NaN of none, and begins anew.
func (a *activity) take() []float64 {
	shares := a.active
	for r := range shares {
		shares[r] /= a.all[r]
	}
	*a = activity{}
	return shares
}

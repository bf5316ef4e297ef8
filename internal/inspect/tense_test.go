package inspect

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
)

// TestWeigh compares the costliest of many ground rules of all kinds, some of which cost the same, with what sorting
// all of them finds.
func TestWeigh(t *testing.T) {
	const variables, each = 500, 70_000 // more than there are stretches to look at
	rng := rand.New(rand.NewPCG(3, 1))
	m := &mrf.Model{Variables: variables, Rules: 5}
	for rule := range m.Rules {
		kind := []mrf.Kind{mrf.Hinge, mrf.Hinge, mrf.Absolute, mrf.LessEqual, mrf.Equal}[rule]
		for k := range each {
			p := mrf.Potential{Rule: rule, Kind: kind, Exponent: 1 + rule%2, Scale: 1,
				Vars: []int32{rng.Int32N(variables), int32(k % variables)}, Coef: []float64{1, -1},
				Constant: float64(rng.IntN(8)) / 4}
			if p.Vars[0] == p.Vars[1] {
				continue
			}
			if rule == 1 {
				p.Scale = 0.5
			}
			m.AppendPotential(&p)
		}
	}
	y := make([]float64, variables)
	for i := range y {
		y[i] = float64(rng.IntN(200)) / 199
	}
	g := &session.Grounding{Model: m, Field: mrf.NewFieldOn(m, 2), Theta: []float64{3, 1, 0.5, 0, 0}}
	g.Field.SetWeights(g.Theta)
	s := &Site{grounding: g, answer: &session.Answer{Values: y}}
	spans := make([]stretch, g.Field.Spans())
	g.Field.Sweep(y, nil, func(span *mrf.Span) float64 { spans[span.Number] = measure(span); return 0 })
	costliest := func(rules ...int) []groundRule {
		found, err := s.pick(spans, func(rule int) bool { return slices.Contains(rules, rule) })
		if err != nil || len(found) != shownGround {
			t.Fatalf("rules %v: %d are shown: %v", rules, len(found), err)
		}
		return found
	}
	slacks := make([]float64, m.Potentials())
	g.Field.Slacks(y, slacks)
	want, first := make([][]float64, m.Rules), 0
	for _, b := range m.Blocks {
		for j := range b.Len {
			scale := 1.0
			if b.Scale != nil {
				scale = float64(b.Scale[j])
			}
			want[b.Rule] = append(want[b.Rule], cost(b, slacks[first+j], scale*g.Theta[b.Rule]))
		}
		first += b.Len
	}
	for rule, all := range want {
		slices.SortFunc(all, func(a, b float64) int { return -cmp.Compare(a, b) })
		for k, found := range costliest(rule) {
			if math.Abs(found.Cost-all[k]) > 1e-12 || found.Cost <= 0 {
				t.Fatalf("rule %d: number %d costs %v, want %v", rule, k, found.Cost, all[k])
			}
		}
	}
	both := slices.Concat(want[0], want[1])
	slices.SortFunc(both, func(a, b float64) int { return -cmp.Compare(a, b) })
	for k, found := range costliest(0, 1) {
		if math.Abs(found.Cost-both[k]) > 1e-12 {
			t.Fatalf("number %d of two rules costs %v, want %v", k, found.Cost, both[k])
		}
	}
}

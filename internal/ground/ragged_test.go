package ground

import "testing"

// Coefficients of sums whose lengths differ are those that the rule has, though single precision would round them.
func TestRaggedCoefficientsAreExact(t *testing.T) {
	b := newBuilder()
	b.add("P", 2, false, observed("a a", 1), observed("a b", 1), observed("b a", 1))
	b.add("S", 2, true, target("a a"), target("a b"), target("b a"))
	f := b.rules(t, "1: 1.001 * S(A, +B) = 0.7 {B: P(A, B)}\n1: S(A, +B) / |B| = 0.7 {B: P(A, B)}\n"+
		"1: 0.5 * S(A, +B) = 0.7 {B: P(A, B)}")
	model, _ := f.made(t, Options{})
	n := map[int]float64{1: 1, 2: 2}
	for _, block := range model.Blocks {
		for j := range block.Len {
			want := []float64{1.001, 1 / n[block.Arity(j)], 0.5}[block.Rule]
			for k := range block.Arity(j) {
				if got := block.Coefficient(j, k); got != want {
					t.Errorf("rule %d has the coefficient %v, want %v", block.Rule+1, got, want)
				}
			}
		}
		if block.VarStart == nil || (block.VarCoef.Double != nil) != (block.Rule == 0) {
			t.Errorf("rule %d has %d ragged coefficients in double precision", block.Rule+1, len(block.VarCoef.Double))
		}
	}
}

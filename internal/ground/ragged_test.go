package ground

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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

// The terms of long sums are sorted by digits: those of one atom must stay in their order, as it is in this order that
// their coefficients are added.
func TestTermsAreSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var terms addends
	for _, n := range []int{0, 1, 2, 50, manyKeys, 300, 2000} {
		for _, atoms := range []int32{1, 7, 300, 70_000, math.MaxInt32} {
			terms.clear()
			order := make([]int, n)
			for k := range n {
				order[k] = k
				terms.ids, terms.coef = append(terms.ids, rng.Int32N(atoms)), append(terms.coef, float64(k))
			}
			ids := slices.Clone(terms.ids)
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ids[a], ids[b]) })
			terms.sort()
			for k, from := range order {
				if terms.ids[k] != ids[from] || terms.coef[k] != float64(from) {
					t.Fatalf("%d terms of %d atoms: term %d is %d · %g, not %d · %d", n, atoms, k, terms.ids[k], terms.coef[k],
						ids[from], from)
				}
			}
		}
	}
}

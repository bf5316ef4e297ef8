package basis_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/basis"
)

// Columns are matched in their order exactly where all of them up to there can have rows of their own.
func TestMatched(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		a := random(rng, 1+rng.IntN(12), 1+rng.IntN(25))
		order := make([]int32, len(a.Start)-1)
		for k, j := range rng.Perm(len(order)) {
			order[k] = int32(j)
		}
		var want []int32
		for _, j := range order {
			if columns := append(slices.Clone(want), j); haveRows(a, columns) {
				want = columns
			}
		}
		if got := basis.New(a).Matched(order); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// haveRows tells whether each of the columns can have a row of its own.
func haveRows(a *basis.Columns, columns []int32) bool {
	of := make(map[int32]int32)
	var give func(j int32, seen map[int32]bool) bool
	give = func(j int32, seen map[int32]bool) bool {
		for _, r := range a.Row[a.Start[j]:a.Start[j+1]] {
			if seen[r] {
				continue
			}
			seen[r] = true
			if other, taken := of[r]; !taken || give(other, seen) {
				of[r] = j
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(columns, func(j int32) bool { return !give(j, make(map[int32]bool)) })
}

// What fills is factored as well, whatever depends on what: columns that repeat others, more of them than rows, or
// fewer.
func TestChooseLargeDense(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		rows, columns := 50+rng.IntN(150), 50+rng.IntN(200)
		a := &basis.Columns{Rows: rows, Start: []int32{0}}
		for j := range columns {
			first := int32(rng.IntN(j + 1))
			if repeats := rng.IntN(8) == 0 && int(first) < j; repeats {
				a.Row = append(a.Row, a.Row[a.Start[first]:a.Start[first+1]]...)
				a.Coef = append(a.Coef, a.Coef[a.Start[first]:a.Start[first+1]]...)
			} else {
				for _, r := range rng.Perm(rows)[:1+rng.IntN(min(rows, 40))] {
					a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, rng.Float64()-0.5)
				}
			}
			a.Start = append(a.Start, int32(len(a.Row)))
		}
		b := basis.New(addUnits(a))
		order, scale := byScale(rng, columns+rows, columns)
		if !b.ChooseLarge(order[:rows], scale, 0.1, math.MaxInt, math.MaxInt) || len(b.Chosen) != rows {
			t.Fatalf("seed %d: %d columns of %d", seed, len(b.Chosen), rows)
		}
		checkSolutions(t, rng, a, b)
	}
}

// A basis of random sums takes no more visits than some hundred products with them, though its factors end in a matrix
// without zeros.
func TestChooseByWeightOfRandomSums(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(6, 6))
	entries := make([][]int32, n)
	for r := range n {
		for _, j := range rng.Perm(n)[:6] {
			entries[j] = append(entries[j], int32(r))
		}
	}
	a := &basis.Columns{Rows: n, Start: []int32{0}}
	for _, rows := range entries {
		for _, r := range rows {
			a.Row, a.Coef = append(a.Row, r), append(a.Coef, 1)
		}
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	addUnits(a)
	weights := make([]float64, 2*n)
	for j := range weights {
		weights[j] = math.Pow(10, 4*rng.Float64()-float64(j/n))
	}
	g := basis.NewGreedy(a, weights, math.Inf(1))
	ok := g.ChooseByWeight()
	t.Logf("%d entries of %d, %d visits", g.Entries(), len(a.Coef), g.Visits)
	if most := 500 * len(a.Coef); !ok || g.Visits > most {
		t.Errorf("%v after %d visits, more than %d", ok, g.Visits, most)
	}
}

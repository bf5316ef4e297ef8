package twofold

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Factors of a sparse matrix solve it to some 30 digits, and have no more entries than their order asks for.
func TestMatrix(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		size := 1 + rng.IntN(60)
		cliques := make([][]entry, rng.IntN(2*size))
		for k := range cliques {
			for _, i := range rng.Perm(size)[:1+rng.IntN(min(size, 4))] {
				cliques[k] = append(cliques[k], entry{i, of(rng.NormFloat64())})
			}
		}
		done := 0.0
		m := newMatrix(size, cliques, math.Inf(1), &done)
		whole := make([][]number, size)
		for i := range whole {
			whole[i] = make([]number, size)
			whole[i][i] = of(rng.Float64())
			m.add(i, i, whole[i][i])
		}
		for _, clique := range cliques {
			for k, a := range clique {
				for l, b := range clique {
					v := a.coef.times(b.coef)
					whole[a.row][b.row] = whole[a.row][b.row].plus(v)
					if l <= k {
						m.add(a.row, b.row, v)
					}
				}
			}
		}
		want, v := make([]number, size), make([]number, size)
		for i := range want {
			want[i] = of(rng.NormFloat64())
		}
		for i, row := range whole {
			for j, a := range row {
				v[i] = v[i].plus(a.times(want[j]))
			}
		}
		m.factor()
		m.solve(v)
		for i := range v {
			if off := v[i].minus(want[i]).value(); math.Abs(off) > 1e-26 {
				t.Errorf("seed %d: entry %d of %d is off by %g", seed, i, size, off)
			}
		}
	}
}

// A tree's rows are factored from its leaves, in whatever order they come: no row leaves more than one other.
func TestTreesDoNotFill(t *testing.T) {
	const size = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	name, done := rng.Perm(size), 0.0
	var cliques [][]entry
	for i := 1; i < size; i++ {
		cliques = append(cliques, []entry{{name[rng.IntN(i)], of(1)}, {name[i], of(1)}})
	}
	m := newMatrix(size, cliques, 3*size, &done)
	if m == nil {
		t.Fatal("more products than rows")
	}
	entries := 0
	for _, below := range m.below {
		entries += len(below)
	}
	if entries != size-1 || newMatrix(size, cliques, 2*size, &done) != nil {
		t.Errorf("%d entries, want %d; and a limit has to be kept", entries, size-1)
	}
}

// Columns that are long take most of a step to add up, however few the rows are that they tie to each other.
func TestLongColumnsAreRefused(t *testing.T) {
	const size, columns = 300, 3000
	whole, done := make([]entry, size), 0.0
	for i := range whole {
		whole[i] = entry{i, of(1)}
	}
	if newMatrix(size, slices.Repeat([][]entry{whole}, columns), most/few, &done) != nil {
		t.Error("steps of 1.4e8 products are taken")
	}
}

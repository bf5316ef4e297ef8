package basis_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/basis"
)

// farApart are rows of four columns each, with coefficients of 0.001 and 1 or of 1000, and their weights.
func farApart(rng *rand.Rand, rows int) (a *basis.Columns, weights []float64) {
	entries := make([][]int32, 2*rows)
	for r := range rows {
		for _, j := range rng.Perm(2 * rows)[:4] {
			entries[j] = append(entries[j], int32(r))
		}
	}
	a = &basis.Columns{Rows: rows, Start: []int32{0}}
	for j, column := range entries {
		for _, r := range column {
			a.Row, a.Coef = append(a.Row, r), append(a.Coef, []float64{1000, math.Pow(0.001, float64(j%2))}[r%2])
		}
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	addUnits(a)
	for range len(a.Start) - 1 {
		weights = append(weights, 0.1*math.Pow(100, rng.Float64()))
	}
	return a, weights
}

// largest is the largest entry of all columns in terms of the basis, each times the root of its weight.
func largest(a *basis.Columns, b *basis.Basis, weights []float64) (most float64) {
	v, z := make([]float64, a.Rows), make([]float64, a.Rows)
	for j, w := range weights {
		clear(v)
		for l := a.Start[j]; l < a.Start[j+1]; l++ {
			v[a.Row[l]] += math.Sqrt(w) * a.Coef[l]
		}
		b.Solve(v, z)
		for k, x := range z {
			most = max(most, math.Abs(x)/math.Sqrt(weights[b.Chosen[k]]))
		}
	}
	return most
}

// However far apart coefficients are, no column is far larger, in terms of the basis, than those in it; once there is
// one, another one for other weights is easy.
func TestChooseByWeight(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	a, weights := farApart(rng, 1000)
	g := basis.NewGreedy(a, weights, math.Inf(1))
	first := 0
	for k := range 4 {
		before := g.Visits
		if !g.ChooseByWeight() {
			t.Fatal("no basis")
		}
		work, most := g.Visits-before, largest(a, g.Basis, weights)
		t.Logf("%d entries of %d, %d visits, the largest column %.3g", g.Entries(), len(a.Coef), work, most)
		if most > 200 {
			t.Errorf("a column is %.3g times those of the basis", most)
		}
		if k == 0 {
			first = work
		} else if work > first/2 {
			t.Errorf("%d visits, %d for the first basis", work, first)
		}
		for j := range weights {
			weights[j] *= math.Pow(30, 2*rng.Float64()-1)
		}
	}
}

// A preconditioner has the bits of solutions with the basis both ways, however its factors are laid out: of bases that
// fill little, and of those with a dense block.
func TestPreconditionBits(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 6))
		rows := 20 + rng.IntN(400)
		a := &basis.Columns{Rows: rows, Start: []int32{0}}
		for range 2 * rows {
			for _, r := range rng.Perm(rows)[:1+rng.IntN(2+int(seed)%8)] {
				a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, rng.NormFloat64())
			}
			a.Start = append(a.Start, int32(len(a.Row)))
		}
		addUnits(a)
		weights := make([]float64, len(a.Start)-1)
		for j := range weights {
			weights[j] = math.Exp(4 * rng.NormFloat64())
		}
		g := basis.NewGreedy(a, weights, math.Inf(1))
		for range 2 {
			if !g.ChooseByWeight() {
				t.Fatalf("seed %d: no basis", seed)
			}
			r, z, u, want := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
			for k := range r {
				r[k] = rng.NormFloat64()
			}
			g.Precondition(r, z)
			g.Solve(r, u)
			if !slices.Equal(g.Left, u) {
				t.Fatalf("seed %d: basic columns take %v, not %v", seed, g.Left, u)
			}
			for k, j := range g.Chosen {
				u[k] *= 1 / weights[j]
			}
			if g.SolveTransposed(u, want); !slices.Equal(z, want) {
				t.Fatalf("seed %d: %v, not %v", seed, z, want)
			}
			for j := range weights {
				weights[j] *= math.Exp(rng.NormFloat64())
			}
		}
	}
}

// Of columns that are some times as large as the basis, a few stay out of it, and many have another one chosen.
func TestFewLargerColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	a, weights := farApart(rng, 1000)
	g := basis.NewGreedy(a, weights, math.Inf(1))
	if !g.ChooseByWeight() {
		t.Fatal("no basis")
	}
	for j := range weights {
		if !slices.Contains(g.Chosen, int32(j)) && a.Start[j] < a.Start[j+1] {
			weights[j] /= math.Pow(norm(a, g.Basis, weights, j), 2)
		}
	}
	for k, count := range []int{2, 500} {
		before := slices.Clone(g.Chosen)
		for j := range weights {
			if count > 0 && !slices.Contains(before, int32(j)) && norm(a, g.Basis, weights, j) < 2 {
				weights[j] *= 900
				count--
			}
		}
		if !g.ChooseByWeight() {
			t.Fatal("no basis")
		}
		if kept := slices.Equal(g.Chosen, before); kept != (k == 0) {
			t.Errorf("of the columns of round %d: the basis is kept: %v", k, kept)
		}
	}
}

// norm is the size of a column in terms of the basis, each times the root of its weight.
func norm(a *basis.Columns, b *basis.Basis, weights []float64, j int) (size float64) {
	v, z := make([]float64, a.Rows), make([]float64, a.Rows)
	for l := a.Start[j]; l < a.Start[j+1]; l++ {
		v[a.Row[l]] += math.Sqrt(weights[j]) * a.Coef[l]
	}
	b.Solve(v, z)
	for k, x := range z {
		size += x * x / weights[b.Chosen[k]]
	}
	return math.Sqrt(size)
}

// sums are twice as many columns as rows, of so many entries or one more, with weights within a factor, and units of
// little weight.
func sums(rng *rand.Rand, rows, few int, spread float64) (a *basis.Columns, weights []float64) {
	a = &basis.Columns{Rows: rows, Start: []int32{0}}
	for range 2 * rows {
		for _, r := range rng.Perm(rows)[:few+rng.IntN(2)] {
			v := math.Copysign(0.5+rng.Float64(), rng.Float64()-0.5)
			a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, v)
		}
		a.Start = append(a.Start, int32(len(a.Row)))
		weights = append(weights, math.Pow(spread, rng.Float64()))
	}
	addUnits(a)
	for len(weights) < len(a.Start)-1 {
		weights = append(weights, 1e-4)
	}
	return a, weights
}

// A basis that was chosen column by column has its pivots where they fill least.
func TestFactorsFillLittle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	a, weights := sums(rng, 300, 3, 100)
	g := basis.NewGreedy(a, weights, math.Inf(1))
	if !g.ChooseByWeight() {
		t.Fatal("no basis")
	}
	b, order := basis.New(a), slices.Clone(g.Chosen)
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(weights[j], weights[i]) })
	if !b.Choose(order, math.MaxInt, math.MaxInt) {
		t.Fatal("not a basis")
	}
	t.Logf("%d entries of the matrix, %d of the factors, %d column by column", len(a.Coef), g.Entries(), b.Entries())
	if g.Entries() > b.Entries()*7/10 {
		t.Errorf("%d entries, %d column by column", g.Entries(), b.Entries())
	}
	checkSolutions(t, rng, a, g.Basis)
}

// Where products with a basis have taken as long as a larger one may, that is taken, though no column is far larger.
func TestEnlarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	a, weights := sums(rng, 400, 2, 1.1)
	g := basis.NewGreedy(a, weights, math.Inf(1))
	if !g.ChooseByWeight() {
		t.Fatal("no basis")
	}
	before, limit := largest(a, g.Basis, weights), g.Limit()
	t.Logf("the largest column is %.3g times those of the basis", before)
	if !g.Doubtful() || limit == math.MaxInt {
		t.Fatalf("a limit of %d products", limit)
	}
	g.Note(limit + 1)
	if g.Limit() != 0 || !g.Enlarge() || g.Doubtful() || g.Limit() != math.MaxInt {
		t.Errorf("%d products remain", g.Limit())
	}
	after := largest(a, g.Basis, weights)
	t.Logf("the largest column is %.3g times those of the larger one", after)
	if !(after < before/2) {
		t.Errorf("the largest column is %.3g times those of the basis, %.3g before", after, before)
	}
	checkSolutions(t, rng, a, g.Basis)
}

// Exchanges of columns take as long as products with the basis took, and make it the larger the longer that is.
func TestExchangesByWhatProductsTook(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	a, weights := sums(rng, 800, 8, 1e6)
	before := math.Inf(1)
	for _, products := range []int{20, 2000} {
		g := basis.NewGreedy(a, weights, math.Inf(1))
		if !g.ChooseByWeight() || !g.Filled() {
			t.Fatal("the basis is large")
		}
		spent := 2 * products * (len(a.Coef) + g.Entries())
		g.GiveUp(products)
		visits := g.Visits
		if !g.Exchange() {
			t.Fatal("no exchanges")
		}
		visits, after := g.Visits-visits, largest(a, g.Basis, weights)
		t.Logf("%d products, %d visits, the largest column %.3g", products, visits, after)
		if visits > 2*spent || after > before {
			t.Errorf("%d visits for %d entries of products, the largest column %.3g, not %.3g", visits, spent, after, before)
		}
		before = after
	}
}

// Columns of no weight, and of one beyond all numbers, have a place in the order of the others.
func TestWeightsOfAllSizes(t *testing.T) {
	a := basis.Columns{Rows: 2, Start: []int32{0, 1, 2, 3, 4, 5}, Row: []int32{0, 1, 0, 1, 0},
		Coef: []float64{1, 1, 1, 1, 1}}
	g := basis.NewGreedy(&a, []float64{0, 5e-324, 1, math.MaxFloat64, math.Inf(1)}, 1000)
	if !g.ChooseByWeight() || !slices.Equal(slices.Sorted(slices.Values(g.Chosen)), []int32{3, 4}) {
		t.Errorf("chosen: %v", g.Chosen)
	}
}

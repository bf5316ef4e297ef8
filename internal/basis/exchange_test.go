package basis_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/basis"
)

// all are the numbers of so many columns.
func all(n int) (columns []int32) {
	for j := range int32(n) {
		columns = append(columns, j)
	}
	return columns
}

// Exchanges end at a basis in terms of which no column is more than twice as large as those in it, and leave the one
// that they begin with as it is.
func TestExchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 30 {
		a := addUnits(random(rng, 10+rng.IntN(150), 200))
		n := len(a.Start) - 1
		order, weights, scale := all(n), make([]float64, n), make([]float64, n)
		for j := range weights {
			weights[j] = math.Pow(1000, 2*rng.Float64()-1)
			scale[j] = math.Sqrt(weights[j])
		}
		rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		b := basis.New(a)
		if !b.Choose(order, math.MaxInt, math.MaxInt) {
			t.Fatal("no basis")
		}
		for rounds := 0; ; rounds++ {
			most := largest(a, b, weights)
			if most <= 2*(1+1e-6) {
				break
			}
			if rounds == 20 {
				t.Fatalf("the largest column is %.3g times those of the basis", most)
			}
			larger, ok := b.Exchanged(order, scale, math.MaxInt, math.MaxInt)
			if !ok {
				t.Fatal("no larger basis")
			}
			if largest(a, b, weights) != most {
				t.Fatal("the basis before has changed")
			}
			b = larger
		}
		checkSolutions(t, rng, a, b)
	}
}

// chains are rows of four columns each, in which two are a thousandth of two others, or as large.
func chains(rng *rand.Rand, rows int) *basis.Columns {
	start, index, coef := []int32{0}, []int32(nil), []float64(nil)
	for r := range rows {
		for k, j := range rng.Perm(2 * rows)[:4] {
			v := 1.0
			if k%2 == 0 {
				v = -math.Pow(0.001, float64(r%2))
			}
			index, coef = append(index, int32(j)), append(coef, v)
		}
		start = append(start, int32(len(index)))
	}
	return basis.FromRows(2*rows, start, index, coef)
}

// Of random sums with coefficients that are far apart, no column is far larger in terms of the basis either, although
// pivots of all that would have to be in it fill.
func TestChooseByWeightOfChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	a := chains(rng, 4000)
	weights := make([]float64, len(a.Start)-1)
	for j := range weights {
		weights[j] = math.Pow(1e-8, rng.Float64())
	}
	g := basis.NewGreedy(a, weights, math.Inf(1))
	for range 3 {
		before := g.Visits
		if !g.ChooseByWeight() {
			t.Fatal("no basis")
		}
		most := largest(a, g.Basis, weights)
		t.Logf("%d entries of %d, %d visits, the largest column %.3g", g.Entries(), len(a.Coef), g.Visits-before, most)
		if most > 200 {
			t.Errorf("a column is %.3g times those of the basis", most)
		}
		for j := range weights {
			weights[j] *= math.Pow(10, 2*rng.Float64()-1)
		}
	}
}

// covers are rows of four columns each, of a third as many, and one of all columns.
func covers(rng *rand.Rand, rows int) *basis.Columns {
	start, index, coef := []int32{0}, []int32(nil), []float64(nil)
	n := rows / 3
	for range rows {
		for _, j := range rng.Perm(n)[:4] {
			index, coef = append(index, int32(j)), append(coef, -1)
		}
		start = append(start, int32(len(index)))
	}
	for j := range n {
		index, coef = append(index, int32(j)), append(coef, 1)
	}
	return basis.FromRows(n, append(start, int32(len(index))), index, coef)
}

// Where a larger basis was found by exchanges, as pivots of all columns that should be in it fill, these pivots are not
// tried again.
func TestExchange(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var a *basis.Columns
	var g *basis.Greedy
	for g == nil || !g.Filled() {
		a = addUnits(covers(rng, 3000))
		weights := make([]float64, len(a.Start)-1)
		for j := range weights {
			weights[j] = math.Pow(1e-6, rng.Float64())
		}
		if g = basis.NewGreedy(a, weights, math.Inf(1)); !g.ChooseByWeight() {
			t.Fatal("no basis")
		}
	}
	before := g.Visits
	g.GiveUp(1e6) // exchanges may take as long
	if !g.Exchange() {
		t.Fatal("no larger basis")
	}
	other := float64(g.Visits-before-g.Work) / float64(len(a.Coef))
	most := largest(a, g.Basis, g.Weights)
	t.Logf("%d visits, of which %.3g an entry are not of exchanges, the largest column %.3g", g.Visits-before, other, most)
	if other > basis.Easy || most > 10 {
		t.Errorf("%.3g visits an entry beside exchanges, the largest column %.3g", other, most)
	}
}

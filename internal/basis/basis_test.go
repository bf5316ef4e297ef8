package basis_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/basis"
)

// random makes a matrix of columns with a few entries each, of which some repeat others or are empty, and after them
// the unit columns.
func random(rng *rand.Rand, rows, columns int) *basis.Columns {
	a := &basis.Columns{Rows: rows, Start: []int32{0}}
	for j := range columns {
		first := rng.IntN(j + 1)
		switch kind := rng.IntN(10); {
		case kind == 0 && j > 0: // twice another one
			if first == j {
				first--
			}
			for l := a.Start[first]; l < a.Start[first+1]; l++ {
				a.Row, a.Coef = append(a.Row, a.Row[l]), append(a.Coef, 2*a.Coef[l])
			}
		case kind > 1:
			for _, r := range rng.Perm(rows)[:1+rng.IntN(min(4, rows))] {
				a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, float64(rng.IntN(9)-4)+0.5)
			}
		}
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	return addUnits(a)
}

// addUnits adds the unit columns of all rows.
func addUnits(a *basis.Columns) *basis.Columns {
	for r := range a.Rows {
		a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, 1)
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	return a
}

// column returns a column with all its zeros.
func column(a *basis.Columns, j int32) []float64 {
	v := make([]float64, a.Rows)
	for l := a.Start[j]; l < a.Start[j+1]; l++ {
		v[a.Row[l]] += a.Coef[l]
	}
	return v
}

// rank is how many of the columns are independent.
func rank(a *basis.Columns, columns []int32) (found int) {
	var reduced [][]float64
	var pivots []int
	for _, j := range columns {
		v := column(a, j)
		for k, u := range reduced {
			factor := v[pivots[k]]
			for r := range v {
				v[r] -= factor * u[r]
			}
		}
		best := 0
		for r := range v {
			if math.Abs(v[r]) > math.Abs(v[best]) {
				best = r
			}
		}
		if math.Abs(v[best]) < 1e-7 {
			continue
		}
		pivot := v[best]
		for r := range v {
			v[r] /= pivot
		}
		reduced, pivots = append(reduced, v), append(pivots, best)
		found++
	}
	return found
}

// The basis has the first independent columns of the order, and its factors solve with it both ways.
func TestChoose(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := 1 + rng.IntN(12)
		columns := 1 + rng.IntN(25)
		a := random(rng, rows, columns)
		var order []int32
		for _, j := range rng.Perm(columns + rows) {
			order = append(order, int32(j))
		}
		b := basis.New(a)
		for range 2 { // also where one was chosen before
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			if !b.Choose(order, math.MaxInt, math.MaxInt) || len(b.Chosen) != rows {
				t.Fatalf("seed %d: %d columns of %d", seed, len(b.Chosen), rows)
			}
			last := 0
			for k, j := range b.Chosen {
				for ; order[last] != j; last++ {
					if rank(a, append(b.Chosen[:k:k], order[last])) > k {
						t.Fatalf("seed %d: column %d is independent and was left out", seed, order[last])
					}
				}
			}
			checkSolutions(t, rng, a, b)
		}
	}
}

// All rows that are combinations of others are found, each with a combination that vanishes.
func TestDependent(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		rows := 1 + rng.IntN(12)
		a := random(rng, rows, 1+rng.IntN(2*rows))
		a.Start = a.Start[:len(a.Start)-rows] // without the unit columns
		all := make([]int32, len(a.Start)-1)
		for j := range all {
			all[j] = int32(j)
		}
		b, found := basis.New(a), 0
		whole := b.Dependent(math.MaxInt, math.MaxInt/8, func(rows []int32, y []float64) {
			found++
			row := rows[0]
			for _, j := range all {
				sum := 0.0
				for r, v := range column(a, j) {
					sum += y[r] * v
				}
				if y[row] != 1 || math.Abs(sum) > 1e-8 {
					t.Errorf("seed %d: row %d has %v of its combination, which is %v in column %d", seed, row, y[row], sum, j)
				}
			}
		})
		if want := rows - rank(a, all); !whole || found != want {
			t.Fatalf("seed %d: %d rows are combinations of others, and not %d", seed, want, found)
		}
	}
}

// Of a table of all pairs, whose sums by rows and by columns come to the same, few columns are gone through.
func TestDependentIsLittleWork(t *testing.T) {
	const n = 100
	a := &basis.Columns{Rows: 2 * n, Start: []int32{0}}
	for k := range int32(n * n) {
		a.Row, a.Coef = append(a.Row, k/n, n+k%n), append(a.Coef, 1, 1)
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	b, found := basis.New(a), 0
	if !b.Dependent(len(a.Row), 3*len(a.Row), func([]int32, []float64) { found++ }) || found != 1 {
		t.Errorf("%d equations were found after %d visits", found, b.Work)
	}
}

// Of labels along a chain, one equation of each link follows from others: each combination is gathered from its own
// rows alone, so that many of them are little work.
func TestDependentOnesAreMany(t *testing.T) {
	const nodes, labels = 300, 5
	start, index := []int32{0}, []int32(nil)
	add := func(variables ...int32) {
		index = append(index, variables...)
		start = append(start, int32(len(index)))
	}
	pair := func(node, a, b int) int32 { return int32(nodes*labels + (node*labels+a)*labels + b) }
	for node := range nodes {
		var sum []int32
		for a := range labels {
			sum = append(sum, int32(node*labels+a))
		}
		add(sum...)
		for a := range labels {
			left, right := []int32{int32(node*labels + a)}, []int32{int32((node+1)%nodes*labels + a)}
			for b := range labels {
				left, right = append(left, pair(node, a, b)), append(right, pair(node, b, a))
			}
			add(left...)
			add(right...)
		}
	}
	coef := make([]float64, len(index))
	for k, j := range index {
		coef[k] = 1
		if j < nodes*labels {
			coef[k] = -1
		}
	}
	b, entries := basis.New(basis.FromRows(nodes*labels*(labels+1), start, index, coef)), len(index)
	found := 0
	if !b.Dependent(2*entries, 16*entries, func([]int32, []float64) { found++ }) || found != nodes {
		t.Errorf("%d rows were found, and %d entries visited of %d", found, b.Work, entries)
	}
}

func checkSolutions(t *testing.T, rng *rand.Rand, a *basis.Columns, b *basis.Basis) {
	t.Helper()
	x, v, z := make([]float64, a.Rows), make([]float64, a.Rows), make([]float64, a.Rows)
	for k, j := range b.Chosen {
		x[k] = rng.Float64() - 0.5
		for r, c := range column(a, j) {
			v[r] += x[k] * c
		}
	}
	b.Solve(v, z)
	for k := range x {
		if math.Abs(x[k]-z[k]) > 1e-8 {
			t.Fatalf("Solve: %v, want %v", z, x)
		}
	}
	for k, j := range b.Chosen {
		z[k] = 0
		for r, c := range column(a, j) {
			z[k] += x[r] * c
		}
	}
	b.SolveTransposed(z, v)
	for r := range x {
		if math.Abs(x[r]-v[r]) > 1e-8 {
			t.Fatalf("SolveTransposed: %v, want %v", v, x)
		}
	}
}

// What fills is given up, and the columns that are chosen first are those that do not.
func TestChooseGivesUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 200
	a := &basis.Columns{Rows: n, Start: []int32{0}}
	var order []int32
	for j := range n {
		for _, r := range rng.Perm(n)[:5] {
			a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, rng.Float64())
		}
		a.Start = append(a.Start, int32(len(a.Row)))
		order = append(order, int32(j))
	}
	for r := range n {
		order = append(order, int32(n+r))
	}
	b := basis.New(addUnits(a))
	if b.Choose(order, 2*len(a.Row), math.MaxInt) {
		t.Errorf("%d entries are more than %d", b.Entries(), 2*len(a.Row))
	}
	if !b.Choose(order[n:], 0, math.MaxInt) || b.Entries() != n {
		t.Errorf("unit columns have %d entries", b.Entries())
	}
}

// Columns that depend on many others are not all looked at: margins of a table add up to the same, and each of its
// cells is found to depend on a way through those before.
func TestChooseGivesUpSearching(t *testing.T) {
	const n = 40
	a := &basis.Columns{Rows: 2 * n, Start: []int32{0}}
	var order []int32
	for k := range n * n {
		a.Row, a.Coef = append(a.Row, int32(k/n), int32(n+k%n)), append(a.Coef, 1, 1)
		a.Start = append(a.Start, int32(len(a.Row)))
		order = append(order, int32(k))
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	order = append(order, n*n+n)
	b := basis.New(addUnits(a))
	if !b.Choose(order, math.MaxInt, math.MaxInt) {
		t.Fatal("no basis")
	}
	t.Logf("%d columns visited %d", len(b.Chosen), b.Work)
	if b.Choose(order, math.MaxInt, len(order)) {
		t.Errorf("%d visits are more than %d", b.Work, len(order))
	}
}

// A basis of large columns is one whatever their scales, and its factors solve with it both ways. Columns that are
// nothing are in none.
func TestChooseLarge(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		rows, columns := 1+rng.IntN(12), 1+rng.IntN(25)
		a := random(rng, rows, columns)
		b := basis.New(a)
		for range 2 { // also where one was chosen before
			order, scale := byScale(rng, columns+rows, columns)
			if !b.ChooseLarge(order[:rows], scale, 0.1, math.MaxInt, math.MaxInt) || len(b.Chosen) != rows {
				t.Fatalf("seed %d: %d columns of %d", seed, len(b.Chosen), rows)
			}
			for _, j := range b.Chosen {
				if scale[j] == 0 {
					t.Fatalf("seed %d: column %d is nothing", seed, j)
				}
			}
			checkSolutions(t, rng, a, b)
		}
	}
}

// byScale draws scales, some of the first columns' 0, and the order of the columns by them.
func byScale(rng *rand.Rand, n, first int) (order []int32, scale []float64) {
	scale = make([]float64, n)
	for j := range scale {
		if order = append(order, int32(j)); j >= first || rng.IntN(5) > 0 {
			scale[j] = math.Pow(10, 4*rng.Float64())
		}
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(scale[j], scale[i]) })
	return order, scale
}

// The largest columns fill little where those that fill least come first, and the basis weighs as much.
func TestChooseLargeFillsLess(t *testing.T) {
	const n = 500
	rng := rand.New(rand.NewPCG(3, 3))
	a := &basis.Columns{Rows: n, Start: []int32{0}}
	for range n {
		for _, r := range rng.Perm(n)[:6] {
			a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, float64(1+rng.IntN(2)))
		}
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	addUnits(a)
	order, scale := byScale(rng, 2*n, 0)
	b := basis.New(a)
	weight := func() (sum float64) {
		for _, j := range b.Chosen {
			sum += math.Log(scale[j])
		}
		return sum / n
	}
	if !b.Choose(order, math.MaxInt, math.MaxInt) {
		t.Fatal("no basis")
	}
	entries, heavy := b.Entries(), weight()
	if !b.ChooseLarge(order[:n], scale, 0.1, math.MaxInt, math.MaxInt) {
		t.Fatal("no basis")
	}
	t.Logf("entries: %d by weight, %d; mean log weight: %.2f by weight, %.2f", entries, b.Entries(), heavy, weight())
	if b.Entries() > entries/2 || weight() < heavy-0.3 {
		t.Errorf("%d entries of weight %.2f, by weight %d of %.2f", b.Entries(), weight(), entries, heavy)
	}
	if b.ChooseLarge(order[:n], scale, 0.1, 10, math.MaxInt) || b.ChooseLarge(order[:n], scale, 0.1, math.MaxInt, 10) {
		t.Error("it does not give up")
	}
}

// What fills too much is known from what is there, long before it is in the factors.
func TestChooseLargeForeseesFill(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(4, 4))
	a := &basis.Columns{Rows: n, Start: []int32{0}}
	for range n {
		for _, r := range rng.Perm(n)[:8] {
			a.Row, a.Coef = append(a.Row, int32(r)), append(a.Coef, rng.Float64()+0.5)
		}
		a.Start = append(a.Start, int32(len(a.Row)))
	}
	addUnits(a)
	var order []int32
	scale := make([]float64, 2*n)
	for j := range scale {
		order, scale[j] = append(order, int32(j)), 1
	}
	b := basis.New(a)
	if !b.ChooseLarge(order[:n], scale, 0.1, math.MaxInt, math.MaxInt) {
		t.Fatal("no basis")
	}
	entries, visits := b.Entries(), b.Work
	if b.ChooseLarge(order[:n], scale, 0.1, entries/2, math.MaxInt) || b.Work > visits/4 {
		t.Errorf("%d visits of %d for half of %d entries", b.Work, visits, entries)
	}
	if !b.ChooseLarge(order[:n], scale, 0.1, entries, math.MaxInt) || b.Entries() != entries {
		t.Errorf("%d entries, not %d", b.Entries(), entries)
	}
}

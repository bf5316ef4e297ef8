package basis

import (
	"cmp"
	"math"
	"slices"
)

// Greedy is the basis of the columns of greatest weight as a preconditioner of A W Aᵀ. It is kept while weights change,
// until products with A and it have cost as much more as another one does, or many times as much.
type Greedy struct {
	*Basis
	// Weights are those of all columns.
	Weights []float64
	// Left is what basic columns take so that the rows of the last r of Precondition hold, by pivots, and Off the most of
	// that in terms of the roots of the weights.
	Left []float64
	Off  float64
	// Young says that the weights have not changed since it was chosen.
	Young bool
	// Visits are those of all choices, and Worth is how many a basis is worth.
	Visits int
	Worth  float64

	// least is how many products a solution has taken at least; spent is what those since the choice have cost, and lost
	// what those beyond the least have.
	least, lost, spent int
	classes            []int32 // of columns by weight, the greatest first
	order              []int32
	u, scale           []float64
	inverse            []float64 // of the weights of the basis, by pivots
}

const (
	// ratio is that of the weights of a class, in which columns with few entries come first.
	ratio = 1.2
	// fill is how many times as many entries as the matrix a basis may have, and effort how many times as many may be
	// visited to choose it, if the basis is worth that. One that is not easy, column by column, is chosen where it fills
	// least.
	fill, easy, effort = 8, 128, 2048
	// perVisit is how many times the work of an entry of a product that of one visited in a choice is.
	perVisit = 2
	// dear is how many times as much as the choice of a basis products with it may have cost when weights change.
	dear = 10
)

// NewGreedy makes one that has no basis yet. The weights may change at any time.
func NewGreedy(a *Columns, weights []float64, worth float64) *Greedy {
	return &Greedy{Basis: New(a), Weights: weights, Worth: worth, classes: make([]int32, len(weights)),
		order: make([]int32, len(weights)), Left: make([]float64, a.Rows), u: make([]float64, a.Rows),
		scale: make([]float64, len(weights)), inverse: make([]float64, a.Rows)}
}

// ChooseByWeight takes a basis by the present weights. It tells whether there is one that does not fill.
func (g *Greedy) ChooseByWeight() bool {
	g.Young, g.least, g.lost, g.spent = true, math.MaxInt, 0, 0
	a := g.a
	for j, w := range g.Weights {
		size := 0.0
		for _, c := range a.Coef[a.Start[j]:a.Start[j+1]] {
			size = max(size, math.Abs(c))
		}
		g.order[j], g.classes[j] = int32(j), math.MaxInt32
		if w *= size * size; w > 0 {
			g.classes[j] = int32(math.Floor(-math.Log(w) / math.Log(ratio)))
		}
	}
	entries := func(j int32) int32 { return a.Start[j+1] - a.Start[j] }
	slices.SortFunc(g.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.classes[a], g.classes[b]), cmp.Compare(entries(a), entries(b)), cmp.Compare(a, b))
	})
	all := len(a.Coef)
	limit := int(min(effort*float64(all), g.Worth))
	ok := g.Choose(g.order, fill*all, min(limit, easy*all))
	g.Visits += g.Work
	if !ok && g.Work < limit {
		for j, w := range g.Weights {
			g.scale[j] = math.Sqrt(w)
		}
		ok = g.ChooseLarge(g.order, g.scale, fill*all, limit-g.Work)
		g.Visits += g.Work
	}
	if ok {
		g.invert()
	}
	return ok
}

// invert keeps the inverses of the weights of the basis.
func (g *Greedy) invert() {
	for k, j := range g.Chosen {
		g.inverse[k] = 1 / g.Weights[j]
	}
}

// Follow takes another basis, as weights have changed, if solutions with this one have cost as much as that. It tells
// whether there is one.
func (g *Greedy) Follow() bool {
	g.Young = false
	cost := perVisit * g.Work
	if g.lost <= cost && g.spent <= dear*cost {
		g.invert()
		return true
	}
	return g.ChooseByWeight()
}

// perProduct is the number of entries that a product and its preconditioning visit.
func (g *Greedy) perProduct() int { return 2 * (len(g.a.Coef) + g.Entries()) }

// Limit is the number of products of a solution from which on another basis is less work.
func (g *Greedy) Limit() int {
	if g.Young {
		return math.MaxInt
	}
	return g.least + (perVisit*g.Work-g.lost)/g.perProduct()
}

// Note counts the products of a solution.
func (g *Greedy) Note(products int) {
	g.least = min(g.least, products)
	g.lost += (products - g.least) * g.perProduct()
	g.spent += products * g.perProduct()
}

// Precondition sets z to B⁻ᵀ W⁻¹ B⁻¹ r.
func (g *Greedy) Precondition(r, z []float64) {
	g.Solve(r, g.Left)
	off, u := 0.0, g.u[:len(g.Left)]
	inverse := g.inverse[:len(g.Left)]
	for k, left := range g.Left {
		u[k] = left * inverse[k]
		off = max(off, left*u[k])
	}
	g.Off = math.Sqrt(off)
	g.SolveTransposed(g.u, z)
}

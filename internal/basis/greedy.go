package basis

import (
	"cmp"
	"math"
	"math/rand/v2"
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
	fills              bool    // bases column by column do
	far, hard          bool    // bases by weight are far from the largest, and larger ones are too much work
	tried              bool    // a larger basis, where those by weight seem near it
	exchanges          bool    // these are found by exchanges
	rent               int     // visits that these may take: as many as products with the present basis were worth
	classes            []int32 // of columns by weight, the greatest first
	order, short       []int32 // columns by class and entries, and by entries alone
	u, scale           []float64
	squares            []float64 // of the columns' largest entries
	inverse            []float64 // of the weights of the basis, by pivots
}

const (
	// ratio is that of the weights of a class, in which columns with few entries come first.
	ratio = 1.2
	// weightless is the class of a column of no weight, behind those of all numbers, and -weightless before them.
	weightless = 1 << 13
	// fill is how many times as many entries as the matrix a basis may have, and effort how many times as many may be
	// visited to choose it, if the basis is worth that. One that is not easy, column by column, is of columns that are
	// told by where their entries are, and takes its pivots where they fill least, and a larger one is taken if that is
	// easy.
	fill, easy, effort = 16, 128, 16384
	// Easy is how many entries may be visited, in terms of the matrix's, to choose a basis that is.
	Easy = easy
	// perVisit is how many times the work of an entry of a product that of one visited in a choice is.
	perVisit = 2
	// dear is how many times as much as the choice of a basis products with it may have cost when weights change.
	dear = 10
	// loose and strict are the parts of a row's largest entry that pivots are at least, the latter where there is a basis.
	loose, strict = 0.1, 0.5
	// useless is how large a column is in terms of a basis whose square leaves no digits. Such a basis is made larger
	// column by column where pivots of all that are to be in it fill, and lasting is how many times as many entries may be
	// visited then, as the next ones come from it.
	useless, lasting = 1e8, 4
	// poor is how large a column is in terms of a basis that is far from the largest, beyond how large those are that had
	// better be in it, and probes how many combinations tell that. One is enough where it shows no column to be more than
	// poor by doubtful, as is usual. Where no column is more than that, each that is beyond takes a product or two more of
	// a solution, and those that take at most worthwhile times as much as the choice of the present one stay out.
	poor, beyond, probes, doubtful, worthwhile = 1000, 10, 4, 10, 2
)

// NewGreedy makes one that has no basis yet. The weights may change at any time.
func NewGreedy(a *Columns, weights []float64, worth float64) *Greedy {
	g := &Greedy{Basis: New(a), Weights: weights, Worth: worth, classes: make([]int32, len(weights)),
		squares: make([]float64, len(weights)), order: make([]int32, len(weights)), Left: make([]float64, a.Rows),
		u: make([]float64, a.Rows), scale: make([]float64, len(weights)), inverse: make([]float64, a.Rows)}
	for j := range g.order {
		g.order[j], g.classes[j] = int32(j), a.Start[j+1]-a.Start[j]
		size := 0.0
		for _, c := range a.Coef[a.Start[j]:a.Start[j+1]] {
			size = max(size, math.Abs(c))
		}
		g.squares[j] = size * size
	}
	g.short = make([]int32, len(weights))
	sortByClass(g.short, g.order, g.classes)
	return g
}

// ChooseByWeight takes a basis by the present weights, or a larger one in place of the former where those by weight are
// poor. It tells whether there is one that does not fill.
func (g *Greedy) ChooseByWeight() (ok bool) {
	g.rent = max(g.lost/perVisit, len(g.a.Coef))
	g.Young, g.least, g.lost, g.spent = true, math.MaxInt, 0, 0
	for j, w := range g.Weights {
		g.scale[j] = math.Sqrt(w)
	}
	if ok = g.far && g.enlarge(); !ok {
		if ok = g.choose(); ok {
			chosen := g.Basis
			g.enlarge()
			if g.Basis == chosen && !g.fills {
				g.refactor()
			}
		}
	}
	if ok {
		g.invert()
	}
	return ok
}

// Filled tells whether a basis that is far from the largest was kept as larger ones fill.
func (g *Greedy) Filled() bool { return g.hard && !g.exchanges }

// Exchange takes a larger basis in place of such a one by exchanges, as all later choices do if they have to. It tells
// whether there is one.
func (g *Greedy) Exchange() (ok bool) {
	g.hard, g.exchanges = false, true
	g.rent = max(g.spent/perVisit, len(g.a.Coef))
	if ok = g.enlarge(); ok {
		g.invert()
	}
	return ok
}

// Doubtful tells whether a basis that seems near the largest was not compared with that yet.
func (g *Greedy) Doubtful() bool { return g.Young && !g.far && !g.fills && !g.tried }

// Enlarge takes a larger basis in place of such a one, once its products have taken as long as that may, and has all
// later ones made larger where there are such. It tells whether there is one.
func (g *Greedy) Enlarge() (ok bool) {
	g.tried, g.far = true, true
	if g.far = g.enlarge(); g.far {
		g.least, g.lost, g.spent = math.MaxInt, 0, 0
		g.invert()
	}
	return g.far
}

// choose takes a basis of the columns of greatest weight, without those that depend on others by what is left of them,
// or, where that fills, as of random sums, by where their entries are.
func (g *Greedy) choose() (ok bool) {
	a := g.a
	unit := math.Log(ratio)
	for j, w := range g.Weights {
		g.classes[j] = weightless
		if w *= g.squares[j]; w > 0 {
			g.classes[j] = int32(math.Floor(max(-weightless, -math.Log(w)/unit)))
		}
	}
	sortByClass(g.order, g.short, g.classes)
	all := len(a.Coef)
	limit := g.limit()
	if !g.fills {
		ok = g.Choose(g.order, fill*all, min(limit, easy*all))
		limit -= g.Work
		g.Visits += g.Work
		g.fills = !ok
	}
	if !ok && limit > 0 {
		ok = g.ChooseLarge(g.Matched(g.order), g.scale, loose, fill*all, limit)
		g.Visits += g.Work
	}
	return ok
}

// refactor takes the pivots of a basis that was chosen column by column where they fill least, if its factors have more
// entries than the matrix and so have fewer.
func (g *Greedy) refactor() {
	if g.Entries() <= len(g.a.Coef) {
		return
	}
	b := New(g.a)
	ok := b.ChooseLarge(g.Chosen, g.scale, loose, g.Entries(), g.Work)
	g.Visits += b.Work
	if ok {
		b.Work += g.Work
		g.Basis = b
	}
}

// sortByClass writes columns in the order of their classes, those of one as they are.
func sortByClass(out, columns, classes []int32) {
	first := slices.Min(classes)
	start := make([]int32, slices.Max(classes)-first+2)
	for _, class := range classes {
		start[class-first+1]++
	}
	for k := range start[1:] {
		start[k+1] += start[k]
	}
	for _, j := range columns {
		at := &start[classes[j]-first]
		out[*at] = j
		*at++
	}
}

// enlarge takes larger bases where columns are far larger in terms of the basis than those in it, of these and the
// basis, for as long as that halves the largest and there are more than a few. It tells whether there is a larger one,
// or none is any use. Where they fill, it is not tried again.
func (g *Greedy) enlarge() (ok bool) {
	if g.hard {
		return false
	}
	if !g.far && slices.Max(g.measure(1)) <= poor/doubtful {
		return false
	}
	size := g.measure(probes)
	most, before := slices.Max(size), math.Inf(1)
	g.far = g.far || most > poor
	for g.far && most > beyond && most < before/2 {
		if most <= poor/doubtful && g.few(size) {
			return true
		}
		former := g.Basis
		if g.Basis, g.hard = g.larger(size); !g.hard {
			size, before = g.measure(probes), most
			most = slices.Max(size)
		}
		if g.hard || most >= before {
			g.Basis = former
			break
		}
		ok = true
	}
	return ok || most <= beyond
}

// few tells whether so few columns are far larger, of this size in terms of the basis, that products with it are less
// work than a larger one: conjugate gradients take little more for a matrix that is one of low rank off.
func (g *Greedy) few(size []float64) bool {
	count := 0
	for _, s := range size {
		if s > beyond {
			count++
		}
	}
	return count*g.perProduct() <= worthwhile*perVisit*g.Work
}

// larger takes a basis of the present one and of the columns that are far larger in terms of it, which are of this size
// there: of all at once, or, where that fills and the present one is useless, or has been of no use, of one after the
// other, the largest first, for as long as products with the present one took if it is of some use.
func (g *Greedy) larger(size []float64) (b *Basis, hard bool) {
	var columns []int32
	for j, s := range size {
		if s > beyond {
			columns = append(columns, int32(j))
		}
	}
	all := len(g.a.Coef)
	b = New(g.a)
	ok := !g.exchanges &&
		b.ChooseLarge(slices.Concat(g.Chosen, columns), g.scale, strict, fill*all, easy*all)
	g.Visits += b.Work
	if !ok && (g.exchanges || slices.Max(size) > useless) {
		slices.SortStableFunc(columns, func(i, j int32) int { return cmp.Compare(size[j], size[i]) })
		limit := lasting * g.limit()
		if slices.Max(size) <= useless {
			limit = min(limit, g.rent)
		}
		b, ok = g.Exchanged(columns, g.scale, fill*all, limit)
		g.Visits += b.Work
	}
	return b, !ok
}

// limit is how many entries may be visited to choose a basis.
func (g *Greedy) limit() int { return int(min(g.Worth, effort*float64(len(g.a.Coef)))) }

// measure finds by some probes about how large all columns are in terms of the basis, those in it of size 1 and not
// looked at. A combination with random signs is about as large as the root of the sum of the squares.
func (g *Greedy) measure(probes int) (size []float64) {
	size = make([]float64, len(g.Weights))
	g.Visits += probes * g.perProduct() / perVisit
	z, y, rng := make([]float64, g.a.Rows), make([]float64, g.a.Rows), rand.New(rand.NewPCG(1, 2))
	for range probes {
		for k, j := range g.Chosen {
			z[k] = math.Copysign(1/g.scale[j], rng.Float64()-0.5)
		}
		g.SolveTransposed(z, y)
		for j := range size {
			first, last := g.a.Start[j], g.a.Start[j+1]
			size[j] = max(size[j], g.scale[j]*math.Abs(dot(g.a.Row[first:last], g.a.Coef[first:last], y)))
		}
	}
	for _, j := range g.Chosen {
		size[j] = 0
	}
	return size
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
	switch {
	case g.Doubtful():
		return max(0, perVisit*easy*len(g.a.Coef)-g.spent) / g.perProduct()
	case g.Young:
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

// GiveUp counts the products of what was not solved.
func (g *Greedy) GiveUp(products int) { g.spent += products * g.perProduct() }

// Take sets Left to B⁻¹ r.
func (g *Greedy) Take(r []float64) { g.solveByLevels(r, g.Left) }

// Precondition sets z to B⁻ᵀ W⁻¹ B⁻¹ r. What is no number does not count in Off.
func (g *Greedy) Precondition(r, z []float64) {
	g.Take(r)
	off, u := 0.0, g.u[:len(g.Left)]
	inverse, values := g.inverse[:len(g.Left)], g.values[:len(g.Left)]
	for k, left := range g.Left {
		v := left * inverse[k]
		if size := left * v; size > off {
			off = size
		}
		u[k] = v * values[k]
	}
	g.Off = math.Sqrt(off)
	g.solveTransposedByLevels(u, z)
}

package interior

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/basis"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// program is a convex program over a box, for which every row j brings a multiplier between bounds,
//
//	min over y in [0,1]ⁿ of  max over lo ≤ μ ≤ hi of  qᵀy + Σ_j μ_j d_j - ½ c_j μ_j²,   d = Ay + constant:
//
// squares have the compliance c = 1/2w, linear hinges bounds 0 and w, hard rules no bound on one side or both. With the
// slacks s, t of the bounds of μ and the multipliers zl, zu of the box, a solution has
//
//	q + Aᵀμ - zl + zu = 0    d - cμ - t + s = 0    s(μ - lo) = t(hi - μ) = zl·y = zu(1 - y) = 0.
type program struct {
	n        int
	rows     []row
	index    []int32 // of all rows, one after the other
	coef     []float64
	y        []float64
	zl, zu   []float64
	dy       []float64
	dzl, dzu []float64
	rhs      []float64
	beyond   []float64 // what is wanted of the products: of each variable's lower and upper bound, and each row's
	former   []float64 // keepStep's
	settled  []float64 // what a basis has taken from dy, without the rows of single variables; empty if nothing
	basic    []int32   // rows, and behind them variables, of which the multipliers take pushes that a basis found
	taken    []float64 // which
	diagonal []float64
	linear   []float64 // of linear potentials: the gradient
	pushes   float64   // the sum of their weights
	pushed   int       // their number
	constant float64   // what they, and potentials of fixed variables, are where all variables are 0
	width    []float64 // of each variable, for what it stands for
	sides    []float64 // the multiplier that each one's lower and upper bound has if it is a hard row's, for each unit
	gradient []float64
	bend     []float64 // of each variable, by its bounds and squares
	several  []int32   // rows of more than one variable, which go into the factorisation
	rigid    bool      // some of which are hard
	doubted  bool      // whether these contradict each other is what is asked
	steep    bool      // or have weights that are many times others
	curved   bool      // some row has a compliance
	unsolved bool      // by a dense matrix
	saved    []float64
	firm     float64
	floor    float64 // the least that firm is
	mean     float64 // of the products before the present step
	scale    float64 // of the multipliers
	rough    bool    // the last solution of the matrix is not one
	predicts bool    // the step at hand is not taken, but tells what others aim for
	// objective and violation are the last proof's.
	objective, violation float64
	gap, unproven        float64 // its gap, relative and in terms of the weights
	yielding             float64 // its gap for points that violate rows by no more than this one, likewise
	tolerance            float64 // what that may be, in terms of the weights
	feasibility          float64 // the violation that is accepted
	examined             bool    // for equations that follow from others
	inconsistent         bool    // one of those contradicts the others, as the multipliers show
	best                 float64 // how far off the saved point is
	endless              bool    // more steps are no use, as hard rows hold no better
	runs                 int     // that have begun, the last with products of this extent
	extent               float64
	budget, spent        float64 // the work of conjugate gradients after which it pauses, and that so far
	paused               bool
	vain                 bool        // it has ended without a proof, not paused
	stop                 func() bool // the target's
	ended                bool        // it was told so while the matrix was factored
	ray                  ray

	threads int
	matrix  matrix
	dense   dense
}

// ray is the best proof so far that hard rows contradict each other: every point violates some row by each or more, and
// all rows together by total.
type ray struct {
	each, total float64
	mu          []float64 // of all rows
}

// matrix is that of a step, which has one factorisation and several solutions.
type matrix interface {
	// factor factors the matrix; false says that the arithmetic has broken down.
	factor(p *program) bool
	// solve sets dy to the step for rhs, and the dmu of kept rows.
	solve(p *program)
}

// row is a row of the program.
type row struct {
	number             int // in the component
	lo, hi, compliance float64
	constant           float64
	first, last        int32   // its entries
	square             float64 // the sum of the squares of its coefficients

	d, mu, s, t     float64
	dmu, ds, dt     float64
	stiffness, lift float64 // Δμ = stiffness·(aΔy + lift)
	lower, upper    bool    // lo and hi are finite
	hard            bool
	below           bool // the side -d of an equation d = 0, whose other side is the next row
	kept            bool // Δμ is found with Δy, and not from it
	idle            bool // follows from other rows, and has no multiplier
}

// soft is a compliance that rows have in steps, and proximal a curvature that variables have there: pulls to the
// present point, which leave the solution as it is, and the matrix regular. A step leaves a row violated by soft times
// what its multiplier changes by: along chains, multipliers are as large as the square of the length, or more. Where
// that is not regular enough, both are larger by firm, from least to most. A trace is enough if weights are far apart
// and a pivot was lost; if that is not enough once more, they are larger by floor from then on.
const (
	soft, proximal      = 1e-18, 1e-10
	leastFirm, mostFirm = 1e-12, 1e-4
	floor               = 1e-8
)

func (p *program) reset(n int) {
	p.n = n
	p.linear = reuse.Len(p.linear, n)
	clear(p.linear)
	p.pushes, p.pushed, p.constant = 0, 0, 0
	p.rows, p.index, p.coef = p.rows[:0], p.index[:0], p.coef[:0]
}

// addRow adds a row whose entries have just been appended.
func (p *program) addRow(r row) {
	if n := len(p.rows); n > 0 {
		r.first = p.rows[n-1].last
	}
	r.last = int32(len(p.index))
	for _, a := range p.coef[r.first:r.last] {
		r.square += a * a
	}
	r.lower, r.upper = !math.IsInf(r.lo, 0), !math.IsInf(r.hi, 0)
	p.rows = append(p.rows, r)
}

// addRowOf adds a row with the coefficients of its free variables, times the sign.
func (w *work) addRowOf(r row, vars []int32, coef []float64, sign float64) {
	for k, i := range vars {
		if !w.fixed[i] {
			w.index = append(w.index, w.place[i])
			w.coef = append(w.coef, sign*coef[k]*w.width[w.place[i]])
		}
	}
	w.addRow(r)
}

// prepare chooses the matrix; c keeps a sparse one for programs of the same form.
func (p *program) prepare(c *component) {
	for _, v := range []*[]float64{&p.y, &p.zl, &p.zu, &p.dy, &p.dzl, &p.dzu, &p.rhs, &p.diagonal} {
		*v = reuse.Len(*v, p.n)
	}
	p.beyond = reuse.Len(p.beyond, 2*(p.n+len(p.rows)))
	p.several, p.rigid, p.steep, p.curved = p.several[:0], false, false, false
	p.examined, p.inconsistent = false, false
	most := spread * p.least()
	for j := range p.rows {
		r := &p.rows[j]
		p.curved = p.curved || r.compliance > 0
		if r.last-r.first > 1 {
			p.several = append(p.several, int32(j))
			p.rigid = p.rigid || r.hard
			steep := p.weight(r) > most
			p.steep = p.steep || steep
			r.kept = r.hard || steep || r.last-r.first > short
		}
	}
	switch {
	case p.dense.choose(p) <= small && !p.unsolved:
		p.dense.keep(p)
		p.matrix = &p.dense
	case c.sparse == nil || c.sparse.form != p.form():
		c.sparse = newSparse(p)
		fallthrough
	default:
		p.matrix = c.sparse
	}
}

// spread is how many times the least weight those may be whose rows are summed: the stiffness of a steep row that holds
// would leave no digit of what the least weights ask for.
const spread = 1e3

// weight is what a soft row's multiplier can push a variable by, or its curvature there; 0 if the row is hard.
func (p *program) weight(r *row) float64 {
	if r.hard {
		return 0
	}
	size := 0.0
	for _, a := range p.coef[r.first:r.last] {
		size = max(size, math.Abs(a))
	}
	if r.compliance > 0 {
		return size / r.compliance * size
	}
	return (r.hi - r.lo) * size
}

// least is the least weight of a soft row or a linear potential.
func (p *program) least() float64 {
	least := math.Inf(1)
	for k := range p.rows {
		if w := p.weight(&p.rows[k]); w > 0 {
			least = min(least, w)
		}
	}
	for i, q := range p.linear {
		if q != 0 {
			least = min(least, math.Abs(q)/p.width[i])
		}
	}
	return least
}

// form is a hash of everything that the structure of the matrix follows from.
func (p *program) form() uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	mix := func(v int) { h = (h ^ uint64(v)) * prime }
	mix(p.n)
	for _, j := range p.several {
		r := &p.rows[j]
		mix(int(j))
		mix(int(r.last - r.first))
		if r.kept {
			mix(-1)
		}
		if r.equation() {
			mix(-2)
		}
		for _, i := range p.index[r.first:r.last] {
			mix(int(i))
		}
	}
	return h
}

// hash is a number of a row's variables.
func (p *program) hash(r *row) uint64 {
	h := uint64(14695981039346656037)
	for _, i := range p.index[r.first:r.last] {
		h = (h ^ uint64(i)) * 1099511628211
	}
	return h
}

// times is how many times the entries of another row a row's are, or 0.
func (p *program) times(r, than *row) float64 {
	if !slices.Equal(p.index[r.first:r.last], p.index[than.first:than.last]) {
		return 0
	}
	a, b := p.coef[r.first:r.last], p.coef[than.first:than.last]
	times := a[0] / b[0]
	for e := range a {
		if a[e] != times*b[e] {
			return 0
		}
	}
	return times
}

// begin takes the first point: in the middle of the box, with all products of the same size.
func (p *program) begin(size float64) {
	p.extent, p.firm = size, 0
	for i := range p.n {
		p.y[i], p.zl[i], p.zu[i] = 0.5, size, size
	}
	clear(p.dy)
	clear(p.dzl)
	clear(p.dzu)
	for j := range p.rows {
		r := &p.rows[j]
		r.d = p.slack(r, p.y)
		r.s, r.t = max(-r.d, 0)+1, max(r.d, 0)+1
		r.ds, r.dt, r.dmu = 0, 0, 0
		switch {
		case r.lower && r.upper:
			r.mu = (r.lo + r.hi) / 2
		case r.lower:
			r.mu = r.lo + size
		default:
			r.mu = 0
		}
	}
}

// small is the order of matrices that are factored as dense ones.
const small = 48

// nest finds rows that others have within them, but for equations, which may follow from others.
func (p *program) nest() nest {
	rows := make([]span, len(p.several))
	for k, j := range p.several {
		if r := &p.rows[j]; !r.equation() {
			rows[k] = span{r.first, r.last}
		}
	}
	return newNest(p.n, rows, p.index, p.coef)
}

// size is the scale of the multipliers: the mean of what bounds them or makes them.
func (p *program) size() float64 {
	sum, n := p.pushes, p.pushed
	for k := range p.rows {
		switch r := &p.rows[k]; {
		case r.hard:
		case r.compliance > 0:
			sum, n = sum+1/r.compliance, n+1
		case r.upper:
			sum, n = sum+math.Abs(r.hi), n+1
		}
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(n)
}

// slack returns d of a row, or without the constant aᵀv.
func (p *program) slack(r *row, v []float64) float64 { return r.constant + p.product(r, v) }

func (p *program) product(r *row, v []float64) float64 {
	sum := 0.0
	for k := r.first; k < r.last; k++ {
		sum += p.coef[k] * v[p.index[k]]
	}
	return sum
}

// addTo adds m times a row to v.
func (p *program) addTo(r *row, m float64, v []float64) {
	for k := r.first; k < r.last; k++ {
		v[p.index[k]] += m * p.coef[k]
	}
}

// products sums all products of what must not both be positive, after a step of the given length.
func (p *program) products(step stride) (sum float64, count int) {
	for i, y := range p.y {
		y += step.primal * p.dy[i]
		sum += y*(p.zl[i]+step.dual*p.dzl[i]) + (1-y)*(p.zu[i]+step.dual*p.dzu[i])
	}
	count = 2 * p.n
	for k := range p.rows {
		r := &p.rows[k]
		mu := r.mu + step.dual*r.dmu
		if r.lower {
			sum += (r.s + step.primal*r.ds) * (mu - r.lo)
			count++
		}
		if r.upper {
			sum += (r.t + step.primal*r.dt) * (r.hi - mu)
			count++
		}
	}
	return sum, count
}

// crowded is how many times as many rows as variables there are for steps to be by variables.
const crowded = 2

// byVariables lays out the rows of several variables for steps by variables, or returns nil if steps are better by
// rows: of equations, θ is without bound.
func (p *program) byVariables() *normal {
	equation := func(j int32) bool { return p.rows[j].equation() }
	if len(p.several) < crowded*p.n || slices.ContainsFunc(p.several, equation) {
		return nil
	}
	h := newNormal(p.n, len(p.several))
	for _, j := range p.several {
		r := &p.rows[j]
		h.add(p.index[r.first:r.last], p.coef[r.first:r.last])
	}
	return h
}

// columnsByVariables makes the columns of Kᵀ and of 1, for steps by variables. All rows are in K, those of single
// variables as well.
func (p *program) columnsByVariables() basis.Columns {
	rows, entries := len(p.rows), len(p.index)
	c := basis.Columns{Rows: p.n, Start: make([]int32, rows+p.n+1), Row: slices.Grow(slices.Clone(p.index), p.n),
		Coef: slices.Grow(slices.Clone(p.coef), p.n)}
	for k := range p.rows {
		c.Start[k] = p.rows[k].first
	}
	for i := range p.n {
		c.Start[rows+i] = int32(entries + i)
		c.Row, c.Coef = append(c.Row, int32(i)), append(c.Coef, 1)
	}
	c.Start[rows+p.n] = int32(entries + p.n)
	return c
}

// unbalanced is the largest push of a variable that nothing balances now; it overwrites t.
func (p *program) unbalanced(t []float64) (most float64) {
	copy(t, p.linear)
	for k := range p.rows {
		r := &p.rows[k]
		p.addTo(r, r.mu, t)
	}
	for i, v := range t {
		most = max(most, math.Abs(v-p.zl[i]+p.zu[i]))
	}
	return most
}

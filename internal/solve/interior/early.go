package interior

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/basis"
	"github.com/deeppsl/deeppsl/internal/kernel"
)

// early is the matrix of steps for as long as conjugate gradients are less work than a factorisation: while no variable
// is near a bound, the Schur complement of all rows of several variables,
//
//	S = (1 - R)(Θ⁻¹ + K D⁻¹ Kᵀ)(1 - R)ᵀ,
//
// is not far from (1 - R)Δ(1 - R)ᵀ, where Δ is the diagonal of what is between, even where factoring it fills memory; R
// is that of nest, 0 where no row is in another one. It is multiplied with, and never made. Later it is not far from
// B W Bᵀ, where B are those of the columns of (1 - R)K and of 1 - R whose weights, D⁻¹ and Θ⁻¹, are the greatest. With
// such a basis few products do at any precision: what they leave of the rows' equations, the basic variables and slacks
// take, so that the rows hold exactly, and what remains is left in the products of these. That is little of mu where
// they move by little of what they are.
//
// Where rows outnumber variables, the matrix by variables, D + KᵀΘK, is nearer to its diagonal, and smaller, and so are
// its bases, of the columns of Kᵀ and of 1 with the weights Θ and D: what products leave of pushes that nothing
// balances, the multipliers of basic rows and bounds take.
type early struct {
	direct *sparse // what solves when they are no longer
	over   bool
	spent  bool          // it is to be over
	most   int           // products of a solution, from which on a factorisation is less work
	greedy *basis.Greedy // nil while the diagonal is enough
	single bool          // the diagonal is the better preconditioner for good
	late   bool          // factors were used before
	vain   float64       // visits, at most, of a choice of a basis that led to none
	again  float64       // the mean product from which on a basis is tried in place of factors
	worse  int           // products from which on of a solution with the diagonal a basis is tried
	normal *normal       // whose diagonal that is; nil if it is S's
	pushes float64       // what may remain of each variable there

	length  float64 // of a product
	rows    []int32 // of the program
	nest    nest
	columns basis.Columns // of (1 - R)K and of 1 - R; by variables, of Kᵀ and 1
	own     int           // those of (1 - R)K, or Kᵀ; all where a row is within another, as the others are no diagonal
	weights []float64     // of these
	all     *outer        // of the columns; nil before the first product with them
	rest    *outer        // of those that are not in the basis; nil before the first product with that one
	weighed bool          // others are of the present weights
	inverse []float64     // the first of them, D⁻¹
	whole   []float64     // Δ⁻¹

	x, r, z, d, q []float64
	right         []float64
	known         []float64 // what the columns of the basis make of d
	others        []float64 // the weights of all other columns
	t             []float64 // by variables
	takes         []float64 // how much slacks, or by variables bounds, may take of what a step with the diagonal leaves
	resumes       bool      // x is a solution of this matrix
}

const (
	// fewest is the least number of products that conjugate gradients are tried for, and share the part of a
	// factorisation's work that those of one solution, of some three, may take. A solution that takes many with the
	// diagonal is tried with a basis, where a factorisation is as much as several of that, and, where that was of no use,
	// once more whenever it takes dearer times as many, then also with one that is not easily chosen.
	fewest, many, dearer, several, share = 30, 60, 4, 45, 0.3
	// exactness is the part of the right-hand side, squared and in the metric of the diagonal, that may remain, if the
	// violation of rows falls by steadily with it, or is little of what is accepted, or of the mean product in terms of
	// the weights, which is about how far values are from their bounds.
	exactness, steadily, accepted, slightly = 1e-6, 1.0 / 30, 0.05, 0.03
	// lenient is how many times as much a step may leave that is not taken itself.
	lenient = 10
	// later is the part of the mean product when factors were less work from which on a basis may be less.
	later = 0.01
	// near is how much basic columns, or slacks and bounds where there is no basis, may take, in terms of the root of
	// the mean product.
	near = 0.3
	// perProduct is the work of a product for an entry, and perChoice that of a choice for one visited, in about
	// nanoseconds.
	perProduct, perChoice = 4, 6
)

// newEarly lays out K. It tells whether conjugate gradients are worth trying. Where there is a budget, it is Try's,
// which makes no factorisations, and the matrix is analysed as far as it is to be.
func newEarly(p *program, direct *sparse) (e *early, ok bool) {
	if p.budget == 0 {
		direct.analyse(math.Inf(1), nil)
	}
	if most := p.affordable(direct); most >= fewest {
		e = &early{direct: direct, most: int(min(most, math.MaxInt32)), length: direct.length(p), rows: p.several,
			single: most < several, worse: many, normal: p.byVariables()}
		for _, j := range e.rows {
			p.rows[j].kept = e.normal == nil
		}
		if e.normal == nil {
			e.lay(p)
		} else {
			e.room(p, p.columnsByVariables())
		}
	}
	return e, e != nil
}

// affordable is the number of products of a solution from which on a factorisation is less work.
func (p *program) affordable(direct *sparse) float64 {
	return share * direct.work() / (perProduct * direct.length(p))
}

// length is the number of entries of S's columns.
func (s *sparse) length(p *program) float64 {
	entries := p.n + len(p.several) - s.nest.saved
	for _, j := range p.several {
		entries += int(p.rows[j].last - p.rows[j].first)
	}
	return float64(entries)
}

// lay makes the columns.
func (e *early) lay(p *program) {
	e.nest = e.direct.nest
	start := make([]int32, p.n+len(e.rows)+1)
	e.eachEntry(p, func(column, _ int32, _ float64) { start[column+1]++ })
	for i := range start[1:] {
		start[i+1] += start[i]
	}
	entries := start[len(start)-1]
	c := basis.Columns{Rows: len(e.rows), Start: start, Row: make([]int32, entries), Coef: make([]float64, entries)}
	at := slices.Clone(start)
	e.eachEntry(p, func(column, row int32, a float64) {
		c.Row[at[column]], c.Coef[at[column]] = row, a
		at[column]++
	})
	e.room(p, c)
	if len(e.nest.inner) > 0 {
		e.own = len(e.weights)
	}
	e.inverse, e.whole = e.weights[:p.n], make([]float64, c.Rows)
}

// room makes room for steps with these columns.
func (e *early) room(p *program, c basis.Columns) {
	e.columns, e.own = c, len(c.Start)-1-c.Rows
	e.weights, e.t = make([]float64, e.own+c.Rows), make([]float64, p.n)
	for _, v := range []*[]float64{&e.x, &e.r, &e.z, &e.d, &e.q, &e.right} {
		*v = make([]float64, c.Rows)
	}
}

// eachEntry visits the entries of (1 - R)K and of 1 - R.
func (e *early) eachEntry(p *program, visit func(column, row int32, a float64)) {
	for k, j := range e.rows {
		r := &p.rows[j]
		visit(int32(p.n+k), int32(k), 1)
		if rest, ok := e.nest.rest[int32(k)]; ok {
			for _, l := range rest {
				visit(p.index[l], int32(k), p.coef[l])
			}
			continue
		}
		for l := r.first; l < r.last; l++ {
			visit(p.index[l], int32(k), p.coef[l])
		}
	}
	for _, in := range e.nest.inner {
		visit(int32(p.n)+in.row, in.outer, -in.times)
	}
}

// factor implements matrix.
func (e *early) factor(p *program) bool {
	if e.over {
		return e.comeBack(p) || e.direct.factor(p)
	}
	e.resumes = false
	e.setWeights(p)
	if e.normal == nil {
		e.weigh(p)
		e.slackTakes(p)
	} else {
		for k, j := range e.rows {
			e.normal.theta[k] = p.rows[j].stiffness
		}
		e.normal.set(p.diagonal)
		e.boundTakes(p)
		e.pushes = max(steadily*p.unbalanced(e.t), slightly*p.mean)
	}
	if e.greedy != nil && !e.choose(p, e.greedy.Follow) {
		if e.late {
			e.leave(p)
			return e.direct.factor(p)
		}
		e.forgo()
	}
	return true
}

// setWeights computes the weights of all columns.
func (e *early) setWeights(p *program) {
	if e.normal != nil {
		for k := range p.rows {
			e.weights[k] = p.rows[k].stiffness
		}
		p.bounds(e.weights[e.own:])
	} else {
		for k, j := range e.rows {
			e.weights[p.n+k] = 1 / p.rows[j].stiffness
		}
		for i, d := range p.diagonal {
			e.inverse[i] = 1 / d
		}
	}
	if e.weighed = false; e.all != nil {
		e.all.weigh(e.weights)
	}
}

// weigh computes Δ⁻¹. The diagonal of S itself would not do: R ties an outer row to the inner one by what that gives,
// which is far more than all else where the inner row is far from its bound.
func (e *early) weigh(p *program) {
	for k, j := range e.rows {
		r := &p.rows[j]
		sum := e.weights[p.n+k]
		for l := r.first; l < r.last; l++ {
			sum += p.coef[l] * p.coef[l] * e.inverse[p.index[l]]
		}
		e.whole[k] = 1 / sum
	}
}

// solve implements matrix.
func (e *early) solve(p *program) {
	if p.paused {
		return
	}
	if e.spent = e.spent || !e.over && !e.conjugate(p) && !e.improve(p); e.spent && !e.over {
		if p.paused = p.budget > 0; p.paused {
			return
		}
		e.giveUp(p)
	}
	if e.over {
		e.direct.solve(p)
		return
	}
	if e.byVariables() {
		copy(p.dy, e.normal.x)
		e.loosen(p)
		return
	}
	if e.normal != nil {
		e.settleByVariables(p)
		return
	}
	copy(e.t, p.rhs)
	copy(e.q, e.x)
	e.nest.applyTransposed(e.q)
	for k, j := range e.rows {
		r := &p.rows[j]
		r.dmu = e.q[k]
		p.addTo(r, -r.dmu, e.t)
	}
	for i, v := range e.t {
		p.dy[i] = v * e.inverse[i]
	}
	if e.greedy != nil {
		e.settle(p)
	} else {
		e.slacken(p)
	}
}

// byVariables tells whether the step is found by variables, as it is while their diagonal is enough.
func (e *early) byVariables() bool { return e.normal != nil && e.greedy == nil }

// keep has the multipliers of all rows found with the step, and not from it, and the right-hand side be for that.
func (e *early) keep(p *program) {
	for _, j := range e.rows {
		if r := &p.rows[j]; !r.kept {
			r.kept = true
			p.addTo(r, r.stiffness*r.lift, p.rhs)
		}
	}
}

// improve solves what has taken too many products with another preconditioner, a basis that was chosen for it or else
// the diagonal, and tells whether that took few.
func (e *early) improve(p *program) bool {
	if e.late {
		return !e.greedy.Young && e.choose(p, e.greedy.ChooseByWeight) && e.conjugate(p)
	}
	for !e.single {
		if e.greedy == nil {
			e.greedy = basis.NewGreedy(&e.columns, e.weights, e.worth())
		}
		tried := e.greedy.Young
		if ok := tried || e.choose(p, e.greedy.ChooseByWeight); ok && (!tried && e.conjugate(p) || e.exchange(p)) {
			return true
		}
		e.forgo()
		if e.conjugate(p) {
			return true
		}
	}
	return false
}

// exchange solves with a larger basis in place of one that is of no use, if that is the last resort, or none has been
// of use before: what the diagonal takes by then, and a poor basis, grows without end where nothing is factored.
func (e *early) exchange(p *program) bool {
	return (e.last() || e.worse > many) && e.greedy.Filled() && e.choose(p, e.greedy.Exchange) && e.conjugate(p)
}

// enlarge has a larger basis chosen if there may be one that takes fewer products, and tells whether there is.
func (e *early) enlarge(p *program) bool {
	return e.greedy != nil && e.greedy.Doubtful() && e.choose(p, e.greedy.Enlarge)
}

// worth is how many entries may be visited to choose a basis, at first as many as for one that is easily chosen.
func (e *early) worth() float64 {
	most := float64(e.most) * e.length
	if e.worse == many && !e.last() {
		return min(most, basis.Easy*float64(len(e.columns.Row)))
	}
	return most
}

// forgo goes back to the diagonal until that takes far more products than when a basis was of no use.
func (e *early) forgo() {
	e.greedy, e.single = nil, e.last()
	e.worse *= dearer
}

// last tells whether the diagonal, where a basis is of no use, is the last resort.
func (e *early) last() bool { return e.worse*dearer >= e.most }

// fair is the number of products with a basis that take as long as dearer times those with the diagonal after which it
// was chosen: where that is not enough, the diagonal was no worse.
func (e *early) fair() int {
	if e.last() {
		return e.most
	}
	return int(float64(dearer*e.worse) * e.length / (e.length + float64(e.greedy.Entries())))
}

// choose has a basis chosen, and counts what that takes.
func (e *early) choose(p *program, by func() bool) (ok bool) {
	before := e.greedy.Visits
	if ok = by(); ok && e.greedy.Visits > before {
		e.rest = nil
	}
	p.spent += perChoice * float64(e.greedy.Visits-before)
	if !ok {
		e.vain = max(e.vain, float64(e.greedy.Visits-before))
	}
	return ok
}

// giveUp has the present right-hand side, and all that follow, solved directly.
func (e *early) giveUp(p *program) {
	e.keep(p)
	e.leave(p)
	for _, j := range e.rows {
		if r := &p.rows[j]; !r.kept {
			p.addTo(r, -r.stiffness*r.lift, p.rhs)
		}
	}
	e.direct.factor(p)
}

// leave has what is factored keep its rows from now on.
func (e *early) leave(p *program) {
	e.over, e.again = true, later*p.mean
	for _, j := range e.rows {
		p.rows[j].kept = false
	}
	for _, j := range e.direct.kept {
		p.rows[j].kept = true
	}
	for _, t := range e.direct.twins {
		p.rows[t.row].kept = true
	}
}

// comeBack has steps do without factors again, by a basis, if one is chosen in less than a factorisation takes: the
// nearer a vertex, the fewer products it takes, while a factorisation takes the same. One that is not easily chosen is
// for rows that hold: where they cannot, its steps show that late.
func (e *early) comeBack(p *program) (ok bool) {
	worth := e.direct.work() / perChoice
	dear := e.vain > 0 && (e.vain >= worth || p.violation > accepted*p.feasibility)
	if p.curved || dear || p.mean > e.again {
		return false
	}
	e.setWeights(p)
	e.greedy = basis.NewGreedy(&e.columns, e.weights, worth)
	if !e.choose(p, e.greedy.ChooseByWeight) {
		return false
	}
	e.over, e.spent, e.late, e.resumes = false, false, true, false
	for _, j := range e.rows {
		p.rows[j].kept = e.normal == nil
	}
	return true
}

// conjugate sets x to the steps of the multipliers, and tells whether that took few products.
func (e *early) conjugate(p *program) bool {
	if e.byVariables() {
		products, ok := e.normal.solve(p.rhs, exactness, p.leniently(e.pushes), e.takes, e.limit(), p.stop)
		p.spent += perProduct * e.length * float64(products)
		return ok
	}
	violation := e.begin(p)
	goal := p.leniently(max(steadily*violation, accepted*p.feasibility, slightly*p.mean/p.scale))
	first := e.precondition(p)
	rz, products := e.resume(p, first), 0
	e.start()
	for copy(e.d, e.z); !e.enough(p, rz/first, goal); products++ {
		e.multiplyOn(p)
		curvature := kernel.Dot(e.d, e.q)
		switch {
		case products >= e.limit() && e.enlarge(p):
			return e.conjugate(p)
		case products >= e.limit() || !(curvature > 0):
			if e.greedy != nil {
				e.greedy.GiveUp(products)
			}
			return false
		}
		if p.stop() {
			break // whatever the step is, the next look at the clock takes the best point
		}
		advance(e.x, e.r, e.d, e.q, rz/curvature)
		before := rz
		rz = e.precondition(p)
		kernel.Turn(e.d, e.z, rz/before)
		if e.greedy != nil {
			kernel.Turn(e.known, e.r, rz/before)
		}
	}
	if e.greedy != nil {
		e.greedy.Note(products)
	}
	return true
}

// limit is the number of products from which on another preconditioner, or a factorisation, is better.
func (e *early) limit() int {
	switch {
	case e.late:
		return min(e.greedy.Limit(), e.most/2)
	case e.greedy != nil:
		return min(e.greedy.Limit(), e.fair())
	case !e.single:
		return min(e.most, e.worse)
	}
	return e.most
}

// enough tells whether so little of the right-hand side remains, a part of it in the metric of the preconditioner, that
// the solution is exact enough.
func (e *early) enough(p *program, part, goal float64) bool {
	if e.greedy != nil {
		return e.greedy.Off <= near*math.Sqrt(p.mean) && !math.IsNaN(part)
	}
	if part > exactness {
		return false
	}
	copy(e.q, e.r)
	e.nest.undo(e.q)
	return !beyond(e.q, goal, e.takes)
}

// begin sets r to the right-hand side of S, and returns how far the rows' equations are from holding now.
func (e *early) begin(p *program) (violation float64) {
	if e.normal != nil {
		copy(e.r, p.rhs)
		return 0
	}
	for i, v := range p.rhs {
		e.t[i] = v * e.inverse[i]
	}
	for k, j := range e.rows {
		r := &p.rows[j]
		e.r[k] = r.lift + p.product(r, e.t)
		v := r.lift
		if r.upper {
			v += r.dt
		}
		if r.lower {
			v -= r.ds
		}
		violation = max(violation, math.Abs(v))
	}
	e.nest.apply(e.r)
	return violation
}

// resume begins at the solution of the last right-hand side of the same matrix, of which Mehrotra's and Gondzio's have
// several that differ little, if that is nearer than nothing. It returns what precondition does.
func (e *early) resume(p *program, first float64) float64 {
	if e.resumes {
		copy(e.right, e.r)
		copy(e.d, e.x)
		e.multiply(p)
		for k, v := range e.q {
			e.r[k] -= v
		}
		if rz := e.precondition(p); rz < first {
			return rz
		}
		copy(e.r, e.right)
		e.precondition(p)
	}
	clear(e.x)
	e.resumes = true
	return first
}

// precondition sets z to about the solution for r, and returns how large that is in the metric of the preconditioner.
func (e *early) precondition(p *program) float64 {
	if e.greedy != nil {
		p.spent += perProduct * float64(e.greedy.Entries())
		e.greedy.Precondition(e.r, e.z)
	} else {
		copy(e.z, e.r)
		e.nest.undo(e.z)
		for k, v := range e.whole {
			e.z[k] *= v
		}
		e.nest.undoTransposed(e.z)
	}
	return kernel.Dot(e.r, e.z)
}

// multiply sets q to S·d.
func (e *early) multiply(p *program) {
	p.spent += perProduct * e.length
	if e.all == nil {
		e.all = e.layOut(nil)
		e.all.weigh(e.weights)
	}
	clear(e.q)
	e.addProduct(e.all, e.weights)
}

// layOut lays out the columns that are not the diagonal, without some.
func (e *early) layOut(without []int32) *outer {
	s := kernel.Sparse{Start: e.columns.Start, Index: e.columns.Row, Coef: e.columns.Coef}
	return newOuter(s, e.own, without, e.columns.Rows)
}

// addProduct adds to q the product of d with columns that are laid out, and with slacks that are the diagonal.
func (e *early) addProduct(columns *outer, weights []float64) {
	columns.add(e.q, e.d)
	if slacks := weights[e.own:]; len(slacks) > 0 {
		kernel.AddProducts(e.q, slacks, e.d)
	}
}

// start prepares for multiplyOn: the direction is what the preconditioner makes of r.
func (e *early) start() {
	if e.greedy == nil {
		return
	}
	e.known = append(e.known[:0], e.r...)
	if e.rest == nil {
		e.rest, e.weighed = e.layOut(e.greedy.Chosen), false
	}
	if e.weighed {
		return
	}
	e.weighed = true
	e.others = append(e.others[:0], e.weights...)
	for _, j := range e.greedy.Chosen {
		e.others[j] = 0
	}
	e.rest.weigh(e.others)
}

// multiplyOn is multiply where it is known what the columns of a basis add.
func (e *early) multiplyOn(p *program) {
	if e.greedy == nil {
		e.multiply(p)
		return
	}
	p.spent += perProduct * e.length
	copy(e.q, e.known)
	e.addProduct(e.rest, e.others)
}

package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// region is a part of the model that is solved anew while everything around it stays as it is, with what that does to
// the proof of the whole. The gap is a sum over ground rules and atoms (see solve.Certify), so that the change of it
// is a sum over the ground rules of the region's atoms, and over all atoms of these. An atom around the region that
// the change pushes away from where it is costs some gap: where that is more than may be, it is taken in.
type region struct {
	state *State
	atoms []*border // those of the rows, in the order in which they were met
	at    map[int32]*border
	rows  []*place
	seen  map[int]*place
	added []*place
	// gap and objective are by how much those of the whole have changed, and excess is what the region's state may have
	// won by violating hard ground rules.
	gap, objective    float64
	violation, excess float64
	// stiff says that Newton's method has left off far from a solution, and failed how many rounds have had none.
	stiff  bool
	failed int
}

// border is an atom of a region, which is free to move there, or around it.
type border struct {
	number int32
	free   bool
	column int32 // of a free one
	y      float64
	g      float64 // the slope of the Lagrangian, in the state that the region started from
	slope  float64 // and in the present one
}

// excess is what the atom adds to the gap with a slope.
func (a *border) excess(y, slope float64) float64 { return slope*y - min(0, slope) }

// place is a ground rule in a region.
type place struct {
	number int // among all; -1 of one that is new
	block  *mrf.Block
	atoms  []*border
	coef   []float64
	c, w   float64
	scale  float32
	mu     float64 // the multiplier at the start
	now    float64 // and at present
	gone   bool
}

// region begins one with the atoms and ground rules of a change.
func (s *State) region(i int32, gone map[int]bool, added []Ground) *region {
	r := &region{state: s, at: make(map[int32]*border), seen: make(map[int]*place)}
	for _, k := range sortedKeys(gone) {
		r.row(k).gone = true
	}
	for k := range added {
		r.add(&added[k])
	}
	for _, p := range append(slices.Clone(r.rows), r.added...) {
		for _, a := range p.atoms {
			r.enter(a)
		}
	}
	r.enter(r.atom(i))
	return r
}

// atom returns an atom of the region or around it.
func (r *region) atom(i int32) *border {
	if a := r.at[i]; a != nil {
		return a
	}
	a := &border{number: i, y: r.state.y[i]}
	if whole := r.state.proof; whole != nil {
		a.g = whole.slopes[i]
	} else {
		a.g = r.state.slope(i)
	}
	a.slope = a.g
	r.at[i] = a
	r.atoms = append(r.atoms, a)
	return a
}

// slope is that of the Lagrangian along a variable, by the multipliers as they are.
func (s *State) slope(i int32) (g float64) {
	for _, place := range s.index.Of(i, s.places[:0]) {
		if mu := s.mu[place]; mu != 0 {
			block, j := s.index.Locate(place)
			g += mu * s.coefficient(s.field.Model.Blocks[block], j, i)
		}
	}
	return g
}

// coefficient is that of a variable in a potential.
func (s *State) coefficient(b *mrf.Block, j int, i int32) float64 {
	ids, coef := b.Row(j, &s.row)
	return coef[slices.Index(ids, i)]
}

// enter lets an atom move, and takes in the ground rules that it is in.
func (r *region) enter(a *border) {
	if a.free {
		return
	}
	a.free = true
	for _, k := range r.state.index.Of(a.number, nil) {
		r.row(k)
	}
}

// row takes a ground rule in.
func (r *region) row(k int) *place {
	if p := r.seen[k]; p != nil {
		return p
	}
	s := r.state
	block, j := s.index.Locate(k)
	b := s.field.Model.Blocks[block]
	var c [1]float64
	s.field.Constants(block, j, j+1, c[:])
	p := &place{number: k, block: b, c: c[0], w: s.field.Weights()[b.Rule], scale: 1}
	if b.Scale != nil {
		p.scale = b.Scale[j]
		p.w *= float64(p.scale)
	}
	ids, coef := b.Row(j, &s.row)
	p.coef = slices.Clone(coef)
	for _, i := range ids {
		p.atoms = append(p.atoms, r.atom(i))
	}
	low, high := solve.Domain(b, p.w)
	p.mu = min(max(s.mu[k], low), high)
	p.now = p.mu
	r.seen[k] = p
	r.rows = append(r.rows, p)
	return p
}

// add takes a ground rule in that the model does not have.
func (r *region) add(g *Ground) {
	p := &place{number: -1, coef: g.Coef, c: g.Constant, scale: float32(g.Scale),
		block: &mrf.Block{Rule: g.Rule, Kind: g.Kind, Exponent: g.Exponent}}
	p.w = r.state.field.Weights()[g.Rule] * float64(p.scale)
	for k, i := range g.Inputs {
		p.c += g.InputCoef[k] * r.state.field.Inputs()[i]
	}
	for _, i := range g.Vars {
		p.atoms = append(p.atoms, r.atom(i))
	}
	r.added = append(r.added, p)
}

// at is the slack in the present state, or in the one that the region started from.
func (p *place) slack(start *State) float64 {
	d := p.c
	for k, a := range p.atoms {
		if start != nil {
			d += p.coef[k] * start.y[a.number]
		} else {
			d += p.coef[k] * a.y
		}
	}
	return d
}

// cost is what the ground rule adds to the gap and to the objective.
func (p *place) cost(d, mu float64) (gap, objective float64) {
	_, gap, objective = solve.Contribution(p.block, p.w, d, mu)
	return gap, objective
}

// resolve solves the region to a gap, and takes in what is around it until the gaps there have grown by no more than a
// budget, or than a generous one as soon as going on is not cheap: all in units of energy. It is not done where the
// region would have more atoms than a limit, or grows so slowly, as along a chain, that all rounds together have gone
// through many times as many ground rules, or where two rounds had no solution: what is held around a region can
// contradict its hard rules but for rounding.
func (r *region) resolve(ctx context.Context, gap, budget, generous float64, limit int) (done bool, err error) {
	enough := budget
	for work := len(r.rows); ; work += len(r.rows) {
		if err := r.solve(ctx, gap); err != nil {
			return false, err
		}
		r.account()
		if work > cheap {
			budget, enough = generous, max(budget, ahead*generous)
		}
		if !r.grow(budget, enough) {
			return true, nil
		}
		if r.size() > limit || work > crawling*limit || r.failed >= failures {
			return false, nil
		}
	}
}

// crawling is how many times as many ground rules as it may have atoms a region may take in all rounds together.
const crawling = 5

// failures is how many rounds may have no solution, hopeless the gap with which a method has left off far from one, and
// steps how many the interior point method takes at most where others can go on.
const failures, hopeless, steps = 2, 0.01, 60

func (r *region) size() (free int) {
	for _, a := range r.atoms {
		if a.free {
			free++
		}
	}
	return free
}

// all lists the ground rules as they are now.
func (r *region) all(visit func(p *place)) {
	for _, p := range r.rows {
		if !p.gone {
			visit(p)
		}
	}
	for _, p := range r.added {
		visit(p)
	}
}

// few ground rules are solved by the interior point method where Newton's leaves off.
const few = 50_000

// solve moves the free atoms to their best, to a gap.
func (r *region) solve(ctx context.Context, gap float64) error {
	field, order, objective := r.field()
	y, mu := make([]float64, field.Model.Variables), make([]float64, len(order))
	for _, a := range r.atoms {
		if a.free {
			y[a.column] = a.y
		}
	}
	for k, p := range order {
		mu[k] = p.now
	}
	limits := r.state.settings
	limits.Threads = 1
	limits.Feasibility = feasible / 10
	limits.Gap = gap / max(field.Grain(), objective)
	if r.size() < len(r.atoms) {
		limits.Cursory = true
	}
	result, err := r.method(ctx, field, limits, y, mu)
	if err != nil {
		return err
	}
	if isFar(result) {
		r.failed++
	}
	for _, a := range r.atoms {
		if a.free {
			a.y = result.Y[a.column]
		}
	}
	for k, p := range order {
		low, high := solve.Domain(p.block, p.w)
		p.now = min(max(result.Multipliers[k], low), high)
	}
	return nil
}

// method solves the region's field, from values and multipliers on.
func (r *region) method(ctx context.Context, field *mrf.Field, limits solve.Settings, y, mu []float64) (
	result *solve.Result, err error,
) {
	direct := len(mu) <= few
	if !r.stiff || !direct {
		solver := limited(field, limits, more, len(mu))
		solver.WarmStart(y, mu)
		if result, err = solver.Solve(ctx); err != nil || !direct || !result.Status.LeftOff() {
			return result, err
		}
		r.stiff = isFar(result)
	}
	if limits.Cursory {
		limits.MaxIterations = steps
	}
	other, err := interior.New(field, limits).Solve(ctx)
	if result == nil || err == nil && other.Multipliers != nil && better(other.Certificate, result.Certificate) {
		result = other
	}
	return result, err
}

// isFar tells whether a method has left off far from a solution.
func isFar(r *solve.Result) bool {
	return r.Status.LeftOff() && (r.MaxViolation > feasible || math.Abs(r.Gap) > hopeless)
}

// field makes the region's, in which what is around it are constants; with the ground rules in its order, and what
// they cost at present.
func (r *region) field() (field *mrf.Field, order []*place, objective float64) {
	n := int32(0)
	for _, a := range r.atoms {
		if a.free {
			a.column = n
			n++
		}
	}
	type shape struct {
		rule, exponent int
		kind           mrf.Kind
	}
	known := make(map[shape]int)
	m := &mrf.Model{Variables: int(n), Rules: r.state.field.Model.Rules}
	var members [][]*place
	r.all(func(p *place) {
		if p.idles() {
			return
		}
		_, cost := p.cost(p.slack(nil), 0)
		objective += cost
		at := shape{p.block.Rule, p.block.Exponent, p.block.Kind}
		k, is := known[at]
		if !is {
			k = len(m.Blocks)
			known[at] = k
			b := rows(p.block.Kind)
			b.Rule, b.Exponent = p.block.Rule, p.block.Exponent
			m.Blocks, members = append(m.Blocks, b), append(members, nil)
		}
		p.write(m.Blocks[k])
		members[k] = append(members[k], p)
	})
	field = mrf.NewFieldOn(m, 1)
	field.SetWeights(r.state.field.Weights())
	field.Within(r.state.field)
	return field, slices.Concat(members...), objective
}

// idles tells whether the ground rule has no multiplier, and holds however the region's atoms move: as most do that
// have an atom around the region at 0. They take no part in a solution, and are counted all the same.
func (p *place) idles() bool {
	if kind := p.block.Kind; p.now != 0 || kind != mrf.Hinge && kind != mrf.LessEqual {
		return false
	}
	most := p.c
	for k, a := range p.atoms {
		if a.free {
			most += max(0, p.coef[k])
		} else {
			most += p.coef[k] * a.y
		}
	}
	return most <= feasible/10
}

// write appends the ground rule to a block, with what does not move in its constant.
func (p *place) write(b *mrf.Block) {
	constant := p.c
	for k, a := range p.atoms {
		if a.free {
			b.Vars = append(b.Vars, a.column)
			b.VarCoef.Append(p.coef[k])
		} else {
			constant += p.coef[k] * a.y
		}
	}
	b.VarStart, b.InputStart = append(b.VarStart, int32(len(b.Vars))), append(b.InputStart, 0)
	b.Bias64, b.Scale = append(b.Bias64, constant), append(b.Scale, p.scale)
	b.Len++
}

// account finds by how much the gap and the objective of the whole have changed.
func (r *region) account() {
	r.gap, r.objective, r.violation, r.excess = 0, 0, 0, 0
	for _, a := range r.atoms {
		a.slope = a.g
	}
	move := func(p *place, by float64) {
		for k, a := range p.atoms {
			a.slope += p.coef[k] * by
		}
	}
	for _, p := range r.rows {
		gap, value := p.cost(p.slack(r.state), p.mu)
		r.gap, r.objective = r.gap-gap, r.objective-value
		if p.gone {
			move(p, -p.mu)
		} else {
			move(p, p.now-p.mu)
		}
	}
	for _, p := range r.added {
		move(p, p.now)
	}
	r.all(func(p *place) {
		d := p.slack(nil)
		gap, value := p.cost(d, p.now)
		r.gap, r.objective = r.gap+gap, r.objective+value
		if p.block.Kind == mrf.Equal {
			d = math.Abs(d)
		}
		if p.block.Kind.Hard() && d > 0 {
			r.violation = max(r.violation, d)
			r.excess += math.Abs(p.now * d)
		}
	})
	for _, a := range r.atoms {
		r.gap += a.excess(a.y, a.slope) - a.excess(r.state.y[a.number], a.g)
	}
}

// grow takes in the atoms around the region whose gaps have grown most, if they have by more than allowed in all, until
// the others have by no more than enough; all of them where hard rules are violated. False if there are none.
func (r *region) grow(allowed, enough float64) bool {
	type candidate struct {
		atom  *border
		worse float64
	}
	var around []candidate
	left := 0.0
	for _, a := range r.atoms {
		worse := a.excess(a.y, a.slope) - a.excess(a.y, a.g)
		if !a.free && (worse > 0 || r.violation > feasible) {
			around = append(around, candidate{a, worse})
			left += worse
		}
	}
	slices.SortStableFunc(around, func(a, b candidate) int { return cmp.Compare(b.worse, a.worse) })
	grown := left > allowed || r.violation > feasible
	for k := 0; grown && k < len(around) && (left > enough || r.violation > feasible); k++ {
		left -= around[k].worse
		r.enter(around[k].atom)
	}
	return grown && len(around) > 0
}

// accept makes the region's state that of the whole.
func (r *region) accept() {
	s := r.state
	for _, a := range r.atoms {
		s.y[a.number], s.freedom[a.number] = a.y, unknown
		if p := s.piece[a.number]; p != nil {
			s.dissolve(p)
		}
	}
	for _, p := range r.rows {
		s.mu[p.number], s.standings[p.number] = p.now, unseen
	}
	if whole := s.proof; whole != nil {
		whole.objective.Add(r.objective)
		whole.gap.Add(r.gap)
		for _, a := range r.atoms {
			whole.slopes[a.number] = a.slope
		}
	}
}

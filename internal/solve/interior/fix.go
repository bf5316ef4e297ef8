package interior

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/reuse"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// work is the memory that a goroutine needs to solve components, one after the other.
type work struct {
	solver *Solver
	c      *component
	target target

	y      []float64 // of the component's variables
	fixed  []bool
	place  []int32 // of a free variable among the free ones
	forced []forced
	free   []int32 // the free variables
	boxes  []box   // of all variables
	boxed  bool    // some are not the whole interval
	// straight are the rows of potentials that have no bend within the box: they are not the program's.
	straight []straight
	// hardOnly leaves soft rows out.
	hardOnly bool
	yield    float64 // the compliance of hard rows
	leeway   float64 // by how much hard rows may be violated
	gives    bool    // a hard row is, whatever the values of free variables
	program
}

// forced is a hard row that leaves its variables only one choice.
type forced struct {
	row       int
	variables []int32 // that it fixed
	most      bool    // at its largest value rather than the smallest
}

// straight is a row whose multiplier is known.
type straight struct {
	row int
	mu  float64
}

// slight is the rounding that a hard row's bound may have.
const slight = 1e-9

// solve finds the MAP state of a component, and its multipliers. What contradicts what hard rows fixed is solved again
// with nothing fixed, for a proof that has all rows.
func (w *work) solve(c *component) outcome {
	possible := w.lay(c)
	out := outcome{infeasible: !possible}
	if possible {
		out = w.minimise(w.target)
	}
	return w.conclude(out)
}

// conclude is the rest of solve once the program is minimised, or its minimisation paused.
func (w *work) conclude(out outcome) outcome {
	if w.budget > 0 && !out.converged && !out.infeasible {
		w.vain, w.paused = !w.paused, true
		return out
	}
	w.budget = 0
	if out.infeasible && len(w.forced) > 0 {
		clear(w.fixed)
		w.forced = w.forced[:0]
		w.state()
		out = w.minimise(w.target)
	}
	out.yields = out.converged && (out.yields || w.gives)
	w.record(out.infeasible)
	if !out.converged && !out.infeasible && (w.rigid || w.ray.each > certain) && !w.target.stop() &&
		!w.solver.settings.Cursory {
		w.doubt(&out)
	}
	return out
}

// certain is the violation of all points beyond which a proof of it is more than rounding.
const certain = 1e-11

// doubt asks, after a program that could not be solved, whether its hard rows contradict each other: without soft ones,
// their multipliers show that by the least contradiction. If they do, but by no more than is accepted, they give way,
// unless that is little of so many rows, as along chains, that it is much together.
func (w *work) doubt(out *outcome) {
	least, total := w.ray.each, w.ray.total
	if least <= certain && w.giveLittle(out) {
		return
	}
	w.doubted = true
	defer func() { w.doubted = false }()
	w.hardOnly = true
	again := w.anew(out)
	w.hardOnly = false
	found := w.ray.each > certain
	if found {
		least, total = w.ray.each, w.ray.total
	}
	much := presolve.Affordable * solve.Contradiction(w.target.feasibility)
	if out.infeasible = again.infeasible; !again.infeasible && found && total > much {
		out.infeasible = true
		for k := range w.rows {
			w.rows[k].mu = w.ray.mu[k]
		}
	}
	if out.infeasible {
		w.record(true)
	} else if least > certain {
		w.giveWay(out, least)
	}
}

// giveWay solves a program whose hard rows have to be violated by at least so much: they may be violated by a little
// more than that, and than rounding, or by as much as is accepted, or yield to their multipliers. How much they should
// yield depends on these, which are not known yet: about the least is mostly right. The best point is kept.
func (w *work) giveWay(out *outcome, least float64) {
	accepted := w.target.feasibility
	little := min(1.25*max(least, yieldedLess*accepted), (least+accepted)/2)
	for _, leeway := range []float64{little, accepted * (1 - slight)} {
		if !out.converged && !out.infeasible && !w.target.stop() && leeway < accepted {
			w.giveLeeway(out, leeway, math.Inf(1))
		}
	}
	best, target := math.Inf(1), w.target
	w.target.gap, w.target.least = 4*w.target.gap, 4*w.target.least // there may be no better
	for _, times := range []float64{1, 10, 0.1} {
		if out.converged || out.infeasible || w.target.stop() {
			break
		}
		w.yield = times * least
		out.converged = w.anew(out).converged
		if out.converged || w.best < best {
			best = w.best
			w.record(false)
		}
	}
	w.yield, w.target = 0, target
}

// Of what is accepted, so much may hard rows be violated by if that gains next to nothing: a few times the gap that is
// aimed at.
const (
	yielded, yieldedLess = 0.125, 0.125 / 4
	worthless            = 8
)

// giveLittle solves a program whose hard rows hold for no point, by less than shows in a proof, or for next to none,
// such as sums of rounded numbers: their multipliers have no size. They may be violated by a little that gains next to
// nothing. It tells whether that solves it.
func (w *work) giveLittle(out *outcome) bool {
	for _, part := range []float64{yielded, yieldedLess} {
		if !out.converged && !out.infeasible && !w.target.stop() {
			w.giveLeeway(out, part*w.target.feasibility, worthless)
		}
	}
	return out.converged || out.infeasible
}

// giveLeeway solves a program whose hard rows may be violated by so much. Where their multipliers are large, that can
// gain more than the gap, of which none is then left to prove but to points that violate them as much: if that gains
// more than so many times the gap that is aimed at, it is for nothing. What little room there is leaves products of a
// dense matrix without digits where rows go round a cycle; in a sparse one they stand apart.
func (w *work) giveLeeway(out *outcome, leeway, most float64) {
	w.leeway = leeway
	w.target.feasibility -= leeway
	again := w.anew(out)
	if !again.converged && !again.infeasible && w.matrix == &w.dense {
		w.unsolved = true
		again = w.anew(out)
		w.unsolved = false
	}
	w.target.feasibility += leeway
	again.converged = again.converged && w.worth() <= most*w.tolerance
	if out.converged, out.infeasible = again.converged, again.infeasible; out.converged || out.infeasible {
		out.yields = out.converged
		w.record(out.infeasible)
	}
	w.leeway = 0
}

// worth is what the leeway of the hard rows gains, by their multipliers.
func (w *work) worth() (gain float64) {
	for k := range w.rows {
		if w.rows[k].hard {
			gain += w.leeway * math.Abs(w.rows[k].mu)
		}
	}
	return gain
}

// anew solves a program with nothing fixed.
func (w *work) anew(out *outcome) outcome {
	clear(w.fixed)
	w.forced = w.forced[:0]
	w.state()
	again := w.minimise(w.target)
	out.iterations += again.iterations
	return again
}

// lay makes the program of a component. It tells whether the hard rows that are fixed hold.
func (w *work) lay(c *component) (possible bool) {
	w.c = c
	w.y = reuse.Len(w.y, len(c.variables))
	w.fixed = reuse.Len(w.fixed, len(c.variables))
	w.place = reuse.Len(w.place, len(c.variables))
	clear(w.fixed)
	w.fix()
	return w.state()
}

// fix fixes what follows from hard rows, again and again until nothing does.
func (w *work) fix() {
	w.forced = w.forced[:0]
	for pass, changed := 0, true; changed && pass < passes; pass++ {
		changed = false
		for j := range w.c.potentials {
			if kind := w.block(j).Kind; kind.Hard() {
				changed = w.force(j, kind) || changed
			}
		}
	}
}

// passes bounds how often fix goes through all rows: along chains, rows may fix one variable each time.
const passes = 32

func (w *work) block(j int) *mrf.Block {
	s := w.solver
	return s.field.Model.Blocks[s.blocks[w.c.potentials[j]]]
}

// force fixes the variables of a hard row that holds at its extreme only.
func (w *work) force(j int, kind mrf.Kind) bool {
	vars, coef := w.c.row(j)
	least := w.solver.constants[w.c.potentials[j]]
	most, free := least, 0
	for k, i := range vars {
		if a := coef[k]; w.fixed[i] {
			least += a * w.y[i]
			most += a * w.y[i]
		} else {
			least += min(0, a)
			most += max(0, a)
			free++
		}
	}
	up := kind == mrf.Equal && most <= slight && least < -slight
	if free == 0 || !up && least < -slight {
		return false
	}
	f := forced{row: j, most: up}
	for k, i := range vars {
		if !w.fixed[i] {
			w.fixed[i], w.y[i] = true, 0
			if (coef[k] > 0) == up {
				w.y[i] = 1
			}
			f.variables = append(f.variables, i)
		}
	}
	w.forced = append(w.forced, f)
	return true
}

// state writes the program of the free variables. It tells whether the hard rows that have none hold.
func (w *work) state() (possible bool) {
	possible, w.gives = true, false
	w.free = w.free[:0]
	for i, fixed := range w.fixed {
		w.place[i] = int32(len(w.free))
		if !fixed {
			w.free = append(w.free, int32(i))
		}
	}
	most := solve.Contradiction(w.target.feasibility)
	w.findBoxes()
	w.straight = w.straight[:0]
	w.program.reset(len(w.free))
	w.layBoxes()
	w.rows = slices.Grow(w.rows, len(w.c.potentials))
	w.index, w.coef = slices.Grow(w.index, len(w.c.index)), slices.Grow(w.coef, len(w.c.coef))
	for j, number := range w.c.potentials {
		vars, coef := w.c.row(j)
		d, free := w.solver.constants[number], false
		for k, i := range vars {
			if w.fixed[i] {
				d += coef[k] * w.y[i]
			} else {
				d += coef[k] * w.boxes[i].lo
				free = true
			}
		}
		if free {
			w.stateRow(j, d)
		} else if kind := w.block(j).Kind; kind.Hard() {
			if kind == mrf.Equal {
				d = math.Abs(d)
			}
			possible = possible && d <= most
			w.gives = w.gives || d > slight
		} else if !w.hardOnly {
			value, _ := w.block(j).Potential(d)
			w.constant += w.solver.weights[number] * value
		}
	}
	if len(w.c.potentials) <= few {
		w.constant = 0 // to solve these twice takes no time, and far smaller gaps explain more
	}
	w.program.prepare(w.c)
	return possible
}

// stateRow adds a row that has free variables.
func (w *work) stateRow(j int, d float64) {
	b, weight := w.block(j), w.solver.weights[w.c.potentials[j]]
	vars, coef := w.c.row(j)
	r := row{number: j, constant: d, hard: b.Kind.Hard(), lo: math.Inf(-1), hi: math.Inf(1)}
	switch {
	case !b.Kind.Hard() && (weight == 0 || w.hardOnly) || w.within(j):
		return
	case b.Kind == mrf.Linear:
		w.addLinear(j, d, weight)
		return
	case b.Exponent == 1 && w.straighten(j, d, weight):
		return
	case b.Kind == mrf.LessEqual:
		r.lo, r.compliance, r.constant = 0, w.yield, d-w.leeway
	case b.Kind == mrf.Equal && w.leeway > 0:
		below := r
		below.lo, below.constant, below.below = 0, -d-w.leeway, true
		w.addRowOf(below, vars, coef, -1)
		r.lo, r.constant = 0, d-w.leeway
	case b.Kind == mrf.Equal:
		r.compliance = w.yield
	case b.Exponent == 2:
		r.compliance = 1 / (2 * weight)
	default:
		r.lo, r.hi = -weight, weight
	}
	if b.Kind == mrf.Hinge {
		r.lo = 0
	}
	w.addRowOf(r, vars, coef, 1)
}

// straighten adds a potential that has no bend within the box as what it is there, a linear one.
func (w *work) straighten(j int, d, weight float64) (ok bool) {
	vars, coef := w.c.row(j)
	least, most := d, d
	for k, i := range vars {
		if !w.fixed[i] {
			a := coef[k] * w.width[w.place[i]]
			least, most = least+min(0, a), most+max(0, a)
		}
	}
	slope, ok := w.block(j).Straight(least, most)
	if ok {
		w.straight = append(w.straight, straight{j, slope * weight})
		w.addLinear(j, d, slope*weight)
	}
	return ok
}

// addLinear adds a linear potential of that weight, which is d where all variables are 0.
func (w *work) addLinear(j int, d, weight float64) {
	w.constant += weight * d
	w.pushes, w.pushed = w.pushes+math.Abs(weight), w.pushed+1
	vars, coef := w.c.row(j)
	for k, i := range vars {
		if !w.fixed[i] {
			w.linear[w.place[i]] += weight * coef[k] * w.width[w.place[i]]
		}
	}
}

// record writes the solution and its multipliers where the solver keeps them; of contradictory hard rows, those that
// prove it, and none else.
func (w *work) record(infeasible bool) {
	for k, i := range w.free {
		w.y[i] = w.boxes[i].lo + w.width[k]*w.program.y[k]
	}
	s := w.solver
	for k, i := range w.c.variables {
		s.result.Y[i] = w.y[k]
	}
	for j, number := range w.c.potentials {
		vars, coef := w.c.row(j)
		d := s.constants[number]
		for k, i := range vars {
			d += coef[k] * w.y[i]
		}
		s.result.Multipliers[number] = s.unit * s.subgradient(int(number), d)
	}
	for _, l := range w.straight {
		s.result.Multipliers[w.c.potentials[l.row]] = s.unit * l.mu
	}
	below := 0.0
	for _, r := range w.rows {
		if r.below {
			below = r.mu
			continue
		}
		s.result.Multipliers[w.c.potentials[r.number]], below = s.unit*(r.mu-below), 0
	}
	if infeasible {
		for j, number := range w.c.potentials {
			if !w.block(j).Kind.Hard() {
				s.result.Multipliers[number] = 0
			}
		}
		w.saveBoxes()
		return
	}
	w.saveBoxes()
	w.saveForced()
}

// saveForced finds multipliers for the rows that fixed variables: as much as keeps those where they are, whatever
// rounding has left of the sums that push them. Along chains of rows these can be many orders larger than any weight.
func (w *work) saveForced() {
	if len(w.forced) == 0 {
		return
	}
	mu := w.solver.result.Multipliers
	sizes := make([]float64, len(w.c.variables))
	g := w.gradientOf(mu, sizes)
	for k := len(w.forced) - 1; k >= 0; k-- {
		f := &w.forced[k]
		most := 0.0
		vars, coef := w.c.row(f.row)
		for e, i := range vars {
			if !slices.Contains(f.variables, i) {
				continue
			}
			if away := g[i] * (2*w.y[i] - 1); away > 0 {
				most = max(most, (away+ulps*sizes[i])/math.Abs(coef[e]))
			}
		}
		if f.most {
			most = -most
		}
		mu[w.c.potentials[f.row]] = most
		w.push(g, sizes, f.row, most)
	}
}

// ulps is what rounding may leave of a sum of some terms, in terms of their sizes.
const ulps = 0x1p-46

// push adds a row's multiplier to the gradient of the Lagrangian, and the size of that to its terms' sizes, if not nil.
func (w *work) push(g, sizes []float64, j int, mu float64) {
	vars, coef := w.c.row(j)
	for k, i := range vars {
		g[i] += mu * coef[k]
		if sizes != nil {
			sizes[i] += math.Abs(mu * coef[k])
		}
	}
}

// box is the interval that hard rows of a variable alone leave it, and which rows they are, or none: the program has
// the variable in terms of it, and not the rows. Slacks of such rows begin at 1, however little the rows leave, while
// the middle of the box is a place to begin.
type box struct {
	lo, hi       float64
	below, above int32
}

// unbounded is the row of a bound that is the variable's own, and narrow the width of boxes below which rows stay:
// where values of the variable differ by little more than rounding.
const (
	unbounded = -1
	narrow    = 1e-12
)

// findBoxes finds the boxes of free variables, unless hard rows are to give way.
func (w *work) findBoxes() {
	w.boxes = reuse.Len(w.boxes, len(w.c.variables))
	for i := range w.boxes {
		w.boxes[i] = box{0, 1, unbounded, unbounded}
	}
	if w.boxed = false; w.yield > 0 || w.leeway > 0 {
		return
	}
	for j := range w.c.potentials {
		if i, limit, up := w.limit(j); i >= 0 {
			w.boxed = true
			switch b := &w.boxes[i]; {
			case up && limit < b.hi:
				b.hi, b.above = limit, int32(j)
			case !up && limit > b.lo:
				b.lo, b.below = limit, int32(j)
			}
		}
	}
	for i, b := range w.boxes {
		if b.hi-b.lo < narrow {
			w.boxes[i] = box{0, 1, unbounded, unbounded}
		}
	}
}

// limit is the free variable that an inequality is about, and the limit that it sets it, from above or below; the
// variable is -1 if it is no inequality about one.
func (w *work) limit(j int) (variable int32, limit float64, up bool) {
	if w.block(j).Kind != mrf.LessEqual {
		return -1, 0, false
	}
	vars, coef := w.c.row(j)
	d, a := w.solver.constants[w.c.potentials[j]], 0.0
	variable = -1
	for k, i := range vars {
		switch {
		case w.fixed[i]:
			d += coef[k] * w.y[i]
		case variable >= 0 || coef[k] == 0:
			return -1, 0, false
		default:
			variable, a = i, coef[k]
		}
	}
	return variable, -d / a, a > 0
}

// within tells whether the box of the variable that a row is about says what it does.
func (w *work) within(j int) bool {
	if !w.boxed {
		return false
	}
	i, limit, up := w.limit(j)
	if i < 0 {
		return false
	}
	b := &w.boxes[i]
	return up && b.hi <= limit || !up && b.lo >= limit
}

// layBoxes tells the program what its variables are in terms of, and how large the multipliers of rows are that the
// box stands for.
func (w *work) layBoxes() {
	w.width = reuse.Len(w.width, len(w.free))
	w.sides = reuse.Len(w.sides, 2*len(w.free))
	for k, i := range w.free {
		b := &w.boxes[i]
		w.width[k] = b.hi - b.lo
		w.sides[2*k], w.sides[2*k+1] = w.share(b.below, i), w.share(b.above, i)
	}
}

// share is the multiplier of a bound's row in terms of what it pushes the program's variable by, or 0.
func (w *work) share(row, variable int32) float64 {
	if row == unbounded {
		return 0
	}
	return 1 / (w.boxes[variable].hi - w.boxes[variable].lo) / math.Abs(w.coefficient(row, variable))
}

func (w *work) coefficient(row, variable int32) float64 {
	vars, coef := w.c.row(int(row))
	return coef[slices.Index(vars, variable)]
}

// saveBoxes finds the multipliers of the rows that boxes stand for: what keeps each variable within them.
func (w *work) saveBoxes() {
	if !w.boxed {
		return
	}
	mu, g := w.solver.result.Multipliers, w.gradientOf(w.solver.result.Multipliers, nil)
	for _, i := range w.free {
		row := w.boxes[i].below
		if g[i] < 0 {
			row = w.boxes[i].above
		}
		if row != unbounded {
			mu[w.c.potentials[row]] = -g[i] / w.coefficient(row, i)
		}
	}
}

// gradientOf is that of the Lagrangian; sizes, if not nil, get those of its terms added.
func (w *work) gradientOf(mu, sizes []float64) []float64 {
	w.gradient = reuse.Len(w.gradient, len(w.c.variables))
	clear(w.gradient)
	for j, number := range w.c.potentials {
		w.push(w.gradient, sizes, j, mu[number])
	}
	return w.gradient
}

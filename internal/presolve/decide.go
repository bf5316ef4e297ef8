package presolve

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// decisions is what is known of the variables.
type decisions struct {
	field *mrf.Field
	// parent leads to the variable that stands for those tied to it; nil if none are.
	parent forest.Forest
	ties   []tie
	circles
	// lo and hi are the bounds, of variables that stand for themselves; trail says why, and tight tells whether variables
	// that are not fixed have bounds within the box.
	lo, hi []float64
	met    float64 // the distance of bounds that are the same
	trail  trail
	tight  bool
	bounds *propagation
	// worst is the clash of most excess, seen the excess of the last one that was looked at, best the best proof that
	// constraints contradict each other, by more than feasibility or not, and vain how many have been looked at since.
	worst             clash
	seen, feasibility float64
	best              *Contradiction
	vain              int
	// fixed variables have the value lo; they are counted.
	fixed   []bool
	decided int
	// implied has the places of constraints that others imply; nil if none are.
	implied bitset.Set
	// first is the number of each block's first potential.
	first  []int
	survey survey
	stop   func() bool // tells whether it is time to give up
	buffer mrf.RowBuffer
}

// tie is a hard equality coef·(y_i - y_k) = 0 that made two groups of variables one.
type tie struct {
	i, k, place int32
	coef        float64
}

// survey is what a pass over the potentials found.
type survey struct {
	gone, hard     int   // potentials without a part any more; constraints with one
	sampled, twice int   // potentials in a sample, and those of them that occur before
	touched        []int // of each block: potentials that are gone or changed
	steep          bool  // a constraint, or a linear or absolute value to the power of one, has a part
}

// passes bounds the rounds of decisions, each of which may make further ones possible. In most models the second finds
// nothing any more.
const passes = 6

// newDecisions knows nothing yet. stop may be nil.
func newDecisions(field *mrf.Field, feasibility float64, stop func() bool) *decisions {
	n := field.Model.Variables
	d := &decisions{field: field, feasibility: feasibility, lo: make([]float64, n), hi: make([]float64, n),
		met: met, fixed: make([]bool, n), stop: stop}
	for i := range d.hi {
		d.hi[i] = 1
	}
	if stop == nil {
		d.stop = func() bool { return false }
	}
	total := 0
	for _, b := range field.Model.Blocks {
		d.first = append(d.first, total)
		total += b.Len
	}
	return d
}

// decide finds what is decided. It returns false if constraints contradict each other, if it is clear at once that it
// will not pay, or if it is time to stop.
func (d *decisions) decide() bool {
	d.tie()
	for pass := range passes {
		settled, ok := d.bound()
		if !ok || pass == 0 && 4*len(d.ties) > d.field.Model.Variables && !steep(d.field.Model) {
			return false
		}
		if pass == 0 {
			d.imply()
		}
		pushes := d.look()
		switch {
		case d.stop():
			return false
		case !settled:
			return true
		case pass == passes-1 || !d.agree(pushes):
			d.minimise(pushes)
			return !d.stop()
		}
	}
	return true
}

// steep tells whether the model has potentials of exponent 1. Without them, a model in which every other variable is
// tied to another one is not worth a look: nearly all potentials would have to be written anew (see pays).
func steep(m *mrf.Model) bool {
	return slices.ContainsFunc(m.Blocks, func(b *mrf.Block) bool { return b.Kind <= mrf.Absolute && b.Exponent == 1 })
}

// root returns the variable that stands for i, once all are tied.
func (d *decisions) root(i int32) int32 {
	if d.parent == nil {
		return i
	}
	return d.parent[i]
}

// tie joins the variables of hard equalities, and of circles of orders; the least one stands for the others.
func (d *decisions) tie() {
	for k, b := range d.field.Model.Blocks {
		if b.Kind != mrf.Equal {
			continue
		}
		constants := make([]float64, b.Len)
		d.field.Constants(k, 0, b.Len, constants)
		var buffer mrf.RowBuffer
		for j, c := range constants {
			if vars, coef := b.Row(j, &buffer); c == 0 && len(vars) == 2 && coef[0] == -coef[1] && coef[0] != 0 {
				if d.join(vars[0], vars[1]) {
					d.ties = append(d.ties, tie{vars[0], vars[1], int32(d.first[k] + j), coef[0]})
				}
			}
		}
	}
	d.flatten()
	d.twins = d.parent
	d.circle()
	d.flatten()
}

// flatten has each variable lead straight to the one that stands for it.
func (d *decisions) flatten() {
	for i := range d.parent {
		d.parent[i] = d.parent.Root(int32(i))
	}
}

// join makes the groups of two variables one, and tells whether they were two.
func (d *decisions) join(i, k int32) bool {
	if d.parent == nil {
		d.parent = forest.New(d.field.Model.Variables)
	}
	if d.parent.Root(i) == d.parent.Root(k) {
		return false
	}
	d.parent.Join(i, k)
	return true
}

// fix gives a variable its value.
func (d *decisions) fix(i int32, value float64) {
	d.fixed[i], d.lo[i], d.hi[i] = true, value, value
	d.decided++
	d.bounds.mark(i)
}

// The ways that potentials push a variable.
const (
	down uint32 = 1 << iota
	up
	together // with others, or in a way that a value does not tell the slope

	// The same by potentials alone, and not by constraints.
	wishes     = 3
	wishedDown = down << wishes
	wishedUp   = up << wishes
	wished     = wishedDown | wishedUp
)

// sampling is one in how many potentials of a large model are looked at for duplicates; of one with no more than all
// potentials, each is.
const sampling, all = 64, 1 << 14

// look surveys all potentials and returns how they push each variable.
func (d *decisions) look() []uint32 {
	m := d.field.Model
	pushes := make([]uint32, m.Variables)
	d.tight = slices.ContainsFunc(d.trail.vars, func(i int32) bool { return !d.fixed[i] })
	whole := pieces(m, func(*mrf.Block) bool { return true })
	found := make([]survey, len(whole))
	samples := make([][]uint64, len(whole))
	every := uint64(1)
	if m.Potentials() > all {
		every = sampling
	}
	parallel.For(d.field.Threads, len(whole), func(task int) {
		found[task], samples[task] = d.lookAt(whole[task], every, pushes)
	})
	d.survey = survey{touched: make([]int, len(m.Blocks))}
	for task, s := range found {
		d.survey.gone += s.gone
		d.survey.hard += s.hard
		d.survey.steep = d.survey.steep || s.steep
		d.survey.touched[whole[task].k] += s.touched[0]
	}
	sample := slices.Concat(samples...)
	slices.Sort(sample)
	d.survey.sampled = len(sample)
	d.survey.twice = len(sample) - len(slices.Compact(sample))
	return pushes
}

// lookAt is look for a piece; it also returns the hashes of the potentials in the sample, one in every.
func (d *decisions) lookAt(p piece, every uint64, pushes []uint32) (s survey, sample []uint64) {
	b := d.field.Model.Blocks[p.k]
	s.touched = make([]int, 1)
	d.rows(p, func(j int, w float64, r *row) {
		idle := d.isImplied(p.k, j) || d.idle(r, b, w)
		if idle || r.changed {
			s.touched[0]++
		}
		if idle {
			s.gone++
			return
		}
		if b.Kind.Hard() {
			s.hard++
		}
		s.steep = s.steep || b.Kind >= mrf.Linear || b.Exponent == 1
		if h := r.hash(); h%every == 0 {
			sample = append(sample, h^uint64(p.k)<<48)
		}
		if !b.Kind.Hard() || len(r.vars) > 1 { // others are bounds
			r.push(b, pushes)
		}
	})
	return s, sample
}

// isImplied tells whether a block's constraint is one that others imply.
func (d *decisions) isImplied(block, j int) bool {
	return d.implied != nil && d.implied.Has(d.first[block]+j)
}

// push notes which way the potential may push its variables.
func (r *row) push(b *mrf.Block, pushes []uint32) {
	tangled := uint32(0)
	if len(r.vars) > 1 || b.Kind != mrf.Linear && b.Exponent != 2 {
		tangled = together
	}
	for k, i := range r.vars {
		way := up
		switch {
		case b.Kind == mrf.Absolute || b.Kind == mrf.Equal:
			way = up | down
		case r.coef[k] > 0:
			way = down
		}
		if !b.Kind.Hard() {
			way |= way << wishes
		}
		way |= tangled
		if atomic.LoadUint32(&pushes[i])&way != way {
			atomic.OrUint32(&pushes[i], way)
		}
	}
}

// agreement is the largest set of variables that can all move, at once, to the bound that they wish for: that to which
// all soft potentials push them, or, if none does, all constraints. A constraint that some of these moves go against
// has to hold with all of them made, whatever the other variables are; moves that go against one that does not are
// taken out, until there are no more. So tasks that only wait for each other begin at their earliest times, however
// long the chains are: to fix them one after the other would take as many passes.
type agreement struct {
	*propagation
	wish   []int8 // of each variable: 1 for its upper bound, -1 for the lower one, 0 for none
	wishes int    // how many are not 0
	gone   []int32
	minds  []bool // of each constraint: some wishes that are left could be against it
}

// agree fixes the variables of the agreement, and tells whether there are any.
func (d *decisions) agree(pushes []uint32) bool {
	a := &agreement{propagation: d.bounds, wish: make([]int8, len(pushes))}
	for v, push := range pushes {
		if i := int32(v); !d.fixed[v] && d.root(i) == i && push&wished != wished {
			a.wish[v], a.wishes = -1, a.wishes+1
			if push&wished == wishedUp || push&(wished|up|down) == up {
				a.wish[v] = 1
			}
		}
	}
	a.settle()
	if d.stop() || a.wishes == 0 {
		return false
	}
	for v, wish := range a.wish {
		switch {
		case wish > 0:
			d.fix(int32(v), d.hi[v])
		case wish < 0:
			d.fix(int32(v), d.lo[v])
		}
	}
	return true
}

// settle takes out wishes until no constraint is against those that are left. It gives up where that takes as long as
// propagating bounds may.
func (a *agreement) settle() {
	budget := 0
	a.minds = make([]bool, len(a.places))
	for k := range a.places {
		if a.wishes == 0 || k%chunk == 0 && a.stop() {
			return
		}
		a.hear(int32(k))
		budget += rounds * len(a.row.vars)
	}
	if a.wishes > 0 && len(a.gone) > 0 && a.start == nil {
		a.index()
	}
	waits := make([]bool, len(a.places))
	var queue []int32
	for visits := 0; a.wishes > 0; visits++ {
		for _, i := range a.gone {
			for _, k := range a.of[a.start[i]:a.start[i+1]] {
				if a.minds[k] && !waits[k] {
					queue, waits[k] = append(queue, k), true
				}
			}
		}
		a.gone = a.gone[:0]
		if len(queue) == 0 {
			return
		}
		k := queue[0]
		queue, waits[k] = queue[1:], false
		a.hear(k)
		if budget -= 1 + len(a.row.vars); budget < 0 || visits%chunk == 0 && a.stop() {
			a.wishes = 0
		}
	}
}

// hear takes out the wishes that a constraint is against, and notes whether it could be against any that are left.
func (a *agreement) hear(k int32) {
	kind := a.read(a.places[k])
	a.minds[k] = a.hearSide(1)
	if kind == mrf.Equal {
		a.minds[k] = a.hearSide(-1) || a.minds[k]
	}
}

// hearSide is hear for the inequality sign·(a·y + c) ≤ 0.
func (a *agreement) hearSide(sign float64) (minds bool) {
	r := &a.row
	most, against := sign*r.constant, false
	for k, i := range r.vars {
		c := sign * r.coef[k]
		switch wish := a.wish[i]; {
		case wish == 0:
			most += max(c, 0) // not by the bounds: those may follow from the constraint
		case wish > 0:
			most += c * a.hi[i]
		default:
			most += c * a.lo[i]
		}
		against = against || c*float64(a.wish[i]) > 0
	}
	if !against || most <= slip/2 && !math.IsNaN(most) {
		return against
	}
	for k, i := range r.vars {
		if sign*r.coef[k]*float64(a.wish[i]) > 0 {
			a.wish[i], a.wishes = 0, a.wishes-1
			a.gone = append(a.gone, i)
		}
	}
	return false
}

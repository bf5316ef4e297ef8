package local

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// part is the problem of some variables, with all others held where they are. It grows: what has been gathered stays.
type part struct {
	variables []int32 // their numbers in the part are their places here
	frontier  []int32 // variables that the part's potentials have, and the part has not
	fringe    []edge  // what is known of them, for as many as there were in the last round
	singles   []single
	rows      []row
	ids       []int32 // of the rows, one after the other
	coef      []float64
	groups    []group
	member    []int32    // the component of each variable
	residue   []float64  // what each variable has of the gap of its component's last solution
	numbers   []int32    // of the variables in their pieces
	of        []int32    // the component of each row
	scattered bool       // it began with many variables
	fresh     bool       // it has not been solved yet
	around    []pressure // what the frontier adds to the gap
	debts     []pressure // and those that earlier changes have left pressed, once it is indebted
	indebted  bool
	loose     bool    // pinned variables are taken in
	exact     bool    // it is solved to the gap that was asked for, whatever that of all is
	missed    float64 // what potentials add to the gap that were still in the last round
}

// row is a potential of a part.
type row struct {
	block   *mrf.Block // its kind
	place   int32
	end     int32 // of its ids
	scale   float32
	c, d, w float64 // constant with inputs, slack, and weight
}

// edge is a variable of the frontier: which singles it has, once they were asked for, and what it adds to the gap since
// its slope has changed.
type edge struct {
	from, to int
	rest     float64
}

// group is the rows of one kind.
type group struct {
	block  *mrf.Block
	scaled bool
	rows   []int32
}

func (p *part) entries() int { return len(p.ids) }

func (p *part) bytes() int64 {
	const ofRow, ofEntry = 56 + 8, 12
	return 4*int64(cap(p.variables)+cap(p.frontier)) + ofRow*int64(cap(p.rows)) + ofEntry*int64(cap(p.ids))
}

// reset empties the part, whose memory stays.
func (p *part) reset() {
	p.variables, p.frontier, p.rows = p.variables[:0], p.frontier[:0], p.rows[:0]
	p.ids, p.coef, p.groups, p.indebted = p.ids[:0], p.coef[:0], p.groups[:0], false
	p.fringe, p.singles, p.around = p.fringe[:0], p.singles[:0], p.around[:0]
	p.residue, p.fresh, p.scattered = p.residue[:0], true, false
	p.missed, p.exact, p.loose = 0, false, false
}

// terms returns the variables and coefficients of a row.
func (p *part) terms(k int32) (ids []int32, coef []float64) {
	from := int32(0)
	if k > 0 {
		from = p.rows[k-1].end
	}
	to := p.rows[k].end
	return p.ids[from:to], p.coef[from:to]
}

// Marks of variables: inside a part, their numbers from 1.
const (
	outside = 0
	beside  = -1 // in its frontier
	pulled  = -2 // there too, and its slope has changed
)

// markAll gives variables that have come since the last part marks.
func (s *State) markAll() {
	if n := len(s.y) - len(s.marks); n > 0 {
		s.marks = append(s.marks, make([]int32, n)...)
	}
}

// take lets variables move, and gathers their potentials.
func (s *State) take(p *part, variables []int32) {
	s.markAll()
	from := len(p.variables)
	for _, i := range variables {
		if s.marks[i] > 0 {
			continue
		}
		if !p.loose && s.pin(i) >= 0 {
			if s.marks[i] == outside {
				s.marks[i] = beside
				p.frontier = append(p.frontier, i)
			}
			s.settle(i)
			continue
		}
		p.variables = append(p.variables, i)
		s.marks[i] = int32(len(p.variables))
	}
	s.gatherAround(p, p.variables[from:])
	kept, known := p.frontier[:0], p.fringe[:0]
	for k, i := range p.frontier {
		if s.marks[i] >= outside {
			continue
		}
		if kept = append(kept, i); k < len(p.fringe) {
			known = append(known, p.fringe[k])
		}
	}
	p.frontier, p.fringe = kept, known
}

// gatherAround gathers the potentials of some variables, but for those that turn out to be still. Threads find their
// places, and then look at each once; the order is that in which one alone would.
func (s *State) gatherAround(p *part, variables []int32) {
	var places []int32
	for _, l := range s.shared(len(variables), lookoutLen, func(l *lookout, from, to int) {
		l.places = l.places[:0]
		for _, i := range variables[from:to] {
			l.places = append(l.places, s.alongBy(i, set{s.quiet, true}, &l.own)...)
		}
	}) {
		for _, place := range l.places {
			if bit := uint64(1) << (place % 64); s.quiet[place/64]&bit == 0 {
				s.quiet[place/64] |= bit
				places = append(places, place)
			}
		}
	}
	for _, l := range s.shared(len(places), gatherLen, func(l *lookout, from, to int) {
		l.found, l.rows, l.ids, l.coef = l.found[:0], l.rows[:0], l.ids[:0], l.coef[:0]
		for _, place := range places[from:to] {
			v := s.viewBy(int(place), &l.own)
			if k := s.levelOf(&v, s.mu[place]); k >= 0 {
				l.found = append(l.found, finding{place, int8(k)})
				continue
			}
			l.ids, l.coef = append(l.ids, v.ids...), append(l.coef, v.coef...)
			l.rows = append(l.rows, v.row(int(place), len(l.ids), v.slack(s.y)))
		}
	}) {
		for _, f := range l.found {
			s.quiet[f.place/64] &^= 1 << (f.place % 64)
			s.turn(int(f.level), int(f.place))
		}
		first := int32(len(p.ids))
		s.gatherTerms(p, l.ids, l.coef)
		for _, r := range l.rows {
			r.end += first
			p.add(r)
		}
	}
}

// gatherLen is how many potentials are looked at in a task.
const gatherLen = 512

// gather adds a potential with a slack to a part.
func (s *State) gather(p *part, place int, v *view, d float64) {
	s.quiet[place/64] |= 1 << (place % 64)
	s.gatherTerms(p, v.ids, v.coef)
	p.add(v.row(place, len(p.ids), d))
}

// gatherTerms adds variables of rows, with their coefficients, to a part.
func (s *State) gatherTerms(p *part, ids []int32, coef []float64) {
	for _, i := range ids {
		if s.marks[i] == outside {
			s.marks[i] = beside
			p.frontier = append(p.frontier, i)
		}
	}
	p.ids, p.coef = append(p.ids, ids...), append(p.coef, coef...)
}

// row is the row of a potential with a slack, whose terms end somewhere.
func (v *view) row(place, end int, d float64) row {
	return row{block: v.block, place: int32(place), end: int32(end), scale: v.scale, c: v.c, d: d, w: v.w}
}

// add adds a row.
func (p *part) add(r row) {
	p.rows = append(p.rows, r)
	g := p.group(&r)
	g.rows = append(g.rows, int32(len(p.rows)-1))
}

// group returns that of a row.
func (p *part) group(r *row) *group {
	for k := len(p.groups) - 1; k >= 0; k-- {
		g := &p.groups[k]
		if b := g.block; b == r.block && g.scaled == (r.scale != 1) || b.Rule == r.block.Rule && b.Kind == r.block.Kind &&
			b.Exponent == r.block.Exponent && g.scaled == (r.scale != 1) {
			return g
		}
	}
	if n := len(p.groups); n < cap(p.groups) { // with the memory of one that was there
		p.groups = p.groups[:n+1]
		p.groups[n] = group{r.block, r.scale != 1, p.groups[n].rows[:0]}
	} else {
		p.groups = append(p.groups, group{block: r.block, scaled: r.scale != 1})
	}
	return &p.groups[len(p.groups)-1]
}

// forget ends a part.
func (s *State) forget(p *part) {
	for _, set := range [][]int32{p.variables, p.frontier} {
		for _, i := range set {
			s.marks[i] = outside
		}
	}
	for k := range p.rows {
		place := p.rows[k].place
		s.quiet[place/64] &^= 1 << (place % 64)
	}
}

// step is how far a variable goes at most in the first round, where so many change at once that most of what keeps
// them from going further is still: it is found there before they are where it does.
const step = 0.3

// reach is how far a variable may go.
func (p *part) reach() float64 {
	if p.fresh && p.scattered {
		return step
	}
	return 1
}

// install makes the solutions of a part's pieces those of the whole.
func (s *State) install(p *part, pieces []*piece) {
	var moved []int32
	for _, q := range pieces {
		for n, k := range q.variables {
			i := p.variables[k]
			moved = append(moved, i)
			s.gap.add(-s.box(i))
			to, left := q.result.Y[n], q.left/float64(len(q.variables))
			if reach := p.reach(); math.Abs(to-s.y[i]) > reach {
				to, left = min(max(to, s.y[i]-reach), s.y[i]+reach), math.Inf(1)
			}
			s.setValue(i, to)
			p.residue[k] = left
		}
	}
	for _, i := range p.frontier {
		s.gap.add(-s.box(i))
	}
	s.noteParts(p, pieces)
	parallel.For(parallel.Threads(s.settings.Threads), len(pieces), func(k int) {
		for n, row := range pieces[k].order {
			s.installRow(p, pieces[k], row, pieces[k].result.Multipliers[n])
		}
	})
	for _, q := range pieces {
		s.sums.merge(&q.sums)
		for _, push := range q.pushes {
			s.setSlope(push.i, s.g[push.i]+push.by)
			s.marks[push.i] = pulled
		}
	}
	for _, set := range [][]int32{moved, p.frontier} {
		for _, i := range set {
			s.gap.add(s.box(i))
		}
	}
	s.absorbAround(p)
	p.fresh = false
	s.lookAgain(p, moved)
}

// absorbAround leaves as little of the gap around a part as can be, and notes where that is.
func (s *State) absorbAround(p *part) {
	p.around = p.around[:0]
	for len(p.fringe) < len(p.frontier) {
		p.fringe = append(p.fringe, edge{})
	}
	for k, i := range p.frontier {
		e, mark := &p.fringe[k], s.marks[i]
		s.marks[i] = beside
		if s.hold(i) {
			continue
		}
		if mark == pulled {
			if e.to == 0 {
				e.from = len(p.singles)
				p.singles = s.appendSingles(p.singles, i)
				e.to = len(p.singles)
			}
			e.rest = s.absorb(i, p.singles[e.from:e.to])
		}
		if e.rest > 0 {
			p.around = append(p.around, pressure{i, e.rest})
		}
	}
}

// installRow makes a row of a piece what it is where its variables are now, with a multiplier, beside other pieces.
func (s *State) installRow(p *part, q *piece, row int32, multiplier float64) {
	r := &p.rows[row]
	ids, coef := p.terms(row)
	v := view{block: r.block, ids: ids, coef: coef, w: r.w, c: r.c}
	d, mu := v.slack(s.y), s.mu[r.place]
	if r.d <= 0 && d <= 0 && mu == 0 && multiplier == 0 && r.block.Kind == mrf.Hinge {
		r.d = d
		return // as most are
	}
	before, now := s.term(&v, r.d, mu), s.term(&v, d, multiplier)
	q.sums.count(&before, -1, s.settings.Feasibility)
	q.sums.count(&now, 1, s.settings.Feasibility)
	r.d = d
	change := now.mu - mu
	if change == 0 {
		return
	}
	s.mu[r.place] = now.mu
	for e, i := range ids {
		if s.marks[i] > 0 {
			s.g[i] += coef[e] * change
		} else {
			q.pushes = append(q.pushes, push{i, coef[e] * change})
		}
	}
}

// lookAgain gathers those potentials around variables that have moved that are still no more, and counts what they add
// to the totals.
func (s *State) lookAgain(p *part, moved []int32) {
	p.missed = 0
	for _, place := range s.wake(moved) {
		v := s.view(place)
		d := v.slack(s.y)
		if d > 0 {
			t := s.term(&v, d, 0)
			s.count(&t, 1)
			p.missed += t.gap
			s.unsolved(p, v.ids)
			if v.block.Kind.Hard() {
				p.missed = math.Inf(1)
			}
		}
		s.gather(p, place, &v, d)
	}
}

// A large part mostly falls into components, which none of its potentials ties to each other: what changes at once is
// in many places, and what is held between them keeps them apart. They are solved apart, each in the steps that it
// takes: those of all together are as short as they have to be where that is shortest, and as many as where most are
// needed. And a component that nothing has come to since the last round keeps the solution that it has.

// piece is some components of a part that are solved together.
type piece struct {
	variables []int32 // their numbers in the part
	order     []int32 // the rows in the order of the model
	entries   int     // of its rows, until it is built also those of variables around it
	model     *mrf.Model
	result    *solve.Result
	left      float64 // of the gap
	err       error
	sums      sums   // what installing it has changed
	pushes    []push // and by how much the slopes of variables around it
	cuts      []cut
}

// push is a change of a slope.
type push struct {
	i  int32
	by float64
}

// cut is where the rows of a group begin in a piece, of which there are so many with so many terms.
type cut struct {
	group               *group
	from, rows, entries int
}

func (q *piece) contradictory() bool { return q.result.Status == solve.Infeasible }

// leastRows is as many as are solved in less time than setting up takes.
const leastRows = 1_000

// component is one of a part's.
type component struct {
	rows      int
	objective float64
	left      float64 // of the gap by its last solution; infinite if there is none for what it is now
	piece     int     // -1 if its last solution is good enough
}

// pieces makes those of what is not solved to a tolerance.
func (s *State) pieces(p *part, tolerance float64) (pieces []*piece) {
	components := s.components(p)
	open := func() int {
		pieces = append(pieces, &piece{model: &mrf.Model{Rules: len(s.theta)}})
		return len(pieces) - 1
	}
	last, filled := -1, 0
	for k := range components {
		c := &components[k]
		switch {
		case c.left <= tolerance*max(s.Grain(), math.Abs(c.objective)):
			c.piece = -1
			continue
		case c.rows >= s.least:
			c.piece = open()
			continue
		case last < 0:
			last, filled = open(), 0
		}
		c.piece = last
		if filled += c.rows; filled >= s.least {
			last = -1
		}
	}
	p.numbers = p.numbers[:0]
	for k := range p.variables {
		number := 0
		if at := components[p.member[k]].piece; at >= 0 {
			number = len(pieces[at].variables)
			pieces[at].variables = append(pieces[at].variables, int32(k))
		}
		p.numbers = append(p.numbers, int32(number))
	}
	for k := range p.groups {
		p.share(&p.groups[k], components, pieces)
	}
	for _, q := range pieces {
		q.model.Variables = len(q.variables)
	}
	return pieces
}

// share shares the rows of a group among the pieces.
func (p *part) share(g *group, components []component, pieces []*piece) {
	for _, row := range g.rows {
		at := components[p.of[row]].piece
		if at < 0 {
			continue
		}
		q := pieces[at]
		if n := len(q.cuts); n == 0 || q.cuts[n-1].group != g {
			q.cuts = append(q.cuts, cut{group: g, from: len(q.order)})
		}
		c, ids := &q.cuts[len(q.cuts)-1], p.rows[row].end
		if row > 0 {
			ids -= p.rows[row-1].end
		}
		c.rows, c.entries = c.rows+1, c.entries+int(ids)
		q.order, q.entries = append(q.order, row), q.entries+int(ids)
	}
}

// build makes the blocks of a piece's model, beside other pieces.
func (s *State) build(p *part, q *piece) {
	q.entries = 0
	for _, c := range q.cuts {
		g := c.group.block
		b := &mrf.Block{Rule: g.Rule, Kind: g.Kind, Exponent: g.Exponent, Len: c.rows, VarStart: make([]int32, 1, c.rows+1),
			InputStart: make([]int32, c.rows+1), Bias64: make([]float64, 0, c.rows), Vars: make([]int32, 0, c.entries)}
		for _, row := range q.order[c.from : c.from+c.rows] {
			s.copy(p, row, b)
		}
		q.model.Blocks, q.entries = append(q.model.Blocks, b), q.entries+len(b.Vars)
	}
}

// copy appends a row to a block of a piece.
func (s *State) copy(p *part, row int32, b *mrf.Block) {
	r := &p.rows[row]
	ids, coef := p.terms(row)
	constant := r.c
	for e, i := range ids {
		if number := s.marks[i]; number > 0 {
			b.Vars = append(b.Vars, p.numbers[number-1])
			b.VarCoef.Append(coef[e])
		} else {
			constant += coef[e] * s.y[i]
		}
	}
	b.VarStart, b.Bias64 = append(b.VarStart, int32(len(b.Vars))), append(b.Bias64, constant)
	if r.scale != 1 {
		b.Scale = append(b.Scale, r.scale)
	}
}

// components finds those of a part, in the order of their first variables. A part that began in one place is not looked
// into: it mostly is a single one.
func (s *State) components(p *part) (components []component) {
	for range len(p.variables) - len(p.residue) {
		p.residue = append(p.residue, math.Inf(1))
	}
	if p.of = p.of[:0]; !p.scattered {
		p.member = append(p.member[:0], make([]int32, len(p.variables))...)
		p.of = append(p.of, make([]int32, len(p.rows))...)
		return []component{{rows: len(p.rows), left: math.Inf(1)}}
	}
	of, count := s.join(p).Number()
	components = make([]component, count)
	for k, at := range of {
		components[at].left += p.residue[k]
	}
	for k := range p.rows {
		r := &p.rows[k]
		p.of[k] = p.member[p.of[k]]
		c := &components[p.of[k]]
		value, _ := r.block.Potential(r.d)
		c.rows++
		c.objective += r.w * value
	}
	return components
}

// join groups the variables that rows tie, in p.member, and has one variable of each row in p.of.
func (s *State) join(p *part) forest.Forest {
	groups := forest.Forest(p.member[:0]).Grow(len(p.variables))
	from := int32(0)
	for k := range p.rows {
		root := int32(forest.None)
		for _, i := range p.ids[from:p.rows[k].end] {
			switch number := s.marks[i]; {
			case number <= 0:
			case root == forest.None:
				root = number - 1
			default:
				root = groups.Join(root, number-1)
			}
		}
		p.of, from = append(p.of, root), p.rows[k].end
	}
	p.member = groups
	return groups
}

// unsolved says that something has come to some variables, so that what they had is no solution any more.
func (s *State) unsolved(p *part, variables []int32) {
	for _, i := range variables {
		if number := s.marks[i]; number > 0 {
			p.residue[number-1] = math.Inf(1)
		}
	}
}

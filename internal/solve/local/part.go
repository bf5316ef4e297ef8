package local

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/reuse"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/squares"
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
	known     map[kind]int  // their numbers
	ties      forest.Forest // the variables that rows tie to each other
	tied      []int32       // a variable of each row that has been gone through for that
	open      []int32       // those of these rows that have variables around the part
	member    []int32       // the component of each variable
	residue   []float64     // what each variable has of the gap of its component's last solution
	own       []float64     // and what the squares of it alone add to the gap, for pressPart
	relief    relief
	pool      []*piece          // in whose memory others are
	problems  []squares.Problem // of pieces, the heaviest first
	moved     []int32           // what installing pieces has moved
	places    []int32           // of what is gathered
	numbers   []int32           // of the variables in their pieces
	of        []int32           // the component of each row
	scattered bool              // it began with many variables
	fresh     bool              // it has not been solved yet
	around    []pressure        // what the frontier adds to the gap
	loose     bool              // pinned variables are taken in
	stiff     bool              // Newton's method has left a piece of it far from a solution
	exact     bool              // it is solved to the gap that was asked for, whatever that of all is
	missed    float64           // what potentials add to the gap that were still in the last round
	failed    int               // how many rounds had no solution
	crawled   int               // how many rounds have taken in little, since the last one that has not
	limit     int               // how many coefficients are gathered at most, up to the portion that exceeds it
}

// row is a potential of a part.
type row struct {
	block     *mrf.Block // its kind
	place     int32
	from, end int32 // of its ids
	scale     float32
	c, d, w   float64 // constant with inputs, slack, and weight
	mu        float64 // its multiplier: at hand, since those of all are far apart
}

// cost is what it adds to the objective.
func (r *row) cost() float64 {
	value, _ := r.block.Potential(r.d)
	return r.w * value
}

// edge is a variable of the frontier: which singles it has, which is known once a slope of it has added to the gap, and
// what it adds since then.
type edge struct {
	from, to int
	known    bool
	rest     float64
}

// group is the rows of one kind.
type group struct {
	kind   kind
	block  *mrf.Block
	square bool // all are squares of few variables
	rows   []int32
}

func (p *part) entries() int { return len(p.ids) }

func (p *part) bytes() int64 {
	const ofRow, ofEntry = 64 + 8, 12
	bytes := 4 * int64(cap(p.variables)+cap(p.frontier)+cap(p.ties)+cap(p.tied)+cap(p.open))
	bytes += ofRow*int64(cap(p.rows)) + ofEntry*int64(cap(p.ids))
	for k := range p.problems {
		bytes += p.problems[k].Bytes()
	}
	for _, q := range p.pool {
		bytes += 4*int64(cap(q.variables)+cap(q.order)) + 16*int64(cap(q.pushes))
	}
	bytes += 4*int64(cap(p.moved)+cap(p.places)) + p.relief.bytes()
	return bytes
}

// square tells whether all of a part's rows are squares of few variables.
func (p *part) square() bool {
	for k := range p.groups {
		if !p.groups[k].square {
			return false
		}
	}
	return true
}

// reset empties the part, whose memory stays.
func (p *part) reset() {
	p.variables, p.frontier, p.rows = p.variables[:0], p.frontier[:0], p.rows[:0]
	p.ids, p.coef, p.groups = p.ids[:0], p.coef[:0], p.groups[:0]
	p.fringe, p.singles, p.around = p.fringe[:0], p.singles[:0], p.around[:0]
	p.ties, p.tied, p.open = p.ties[:0], p.tied[:0], p.open[:0]
	p.residue, p.fresh, p.scattered = p.residue[:0], true, false
	p.missed, p.exact, p.loose, p.stiff, p.crawled, p.failed = 0, false, false, false, 0, 0
	clear(p.known)
}

// terms returns the variables and coefficients of a row.
func (p *part) terms(k int32) (ids []int32, coef []float64) {
	r := &p.rows[k]
	return p.ids[r.from:r.end], p.coef[r.from:r.end]
}

// Marks of variables: inside a part, their numbers from 1.
const (
	outside = 0
	beside  = -1 // in its frontier
	pulled  = -2 // there too, and its slope has changed
	reached = -8 // is added to these while variables are searched
)

// markAll gives variables that have come since the last part marks.
func (s *State) markAll() {
	if n := len(s.y) - len(s.marks); n > 0 {
		s.marks = append(s.marks, make([]int32, n)...)
	}
}

// take lets variables move, with those that hard rules tie to them, and gathers their potentials.
func (s *State) take(p *part, variables []int32) {
	s.markAll()
	row := len(p.rows)
	s.takeAlone(p, variables)
	s.takeAlone(p, s.bound(p, row))
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

// takeAlone lets variables move, but for those that are pinned.
func (s *State) takeAlone(p *part, variables []int32) {
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
}

// short is how many variables a hard rule has at most that takes in all of them.
const short = 32

// bound are the variables around a part that hard rules, from one of its rows on, tie to it: held, they would take all
// that the multiplier of such a rule changes by, which nothing limits.
func (s *State) bound(p *part, row int) (bound []int32) {
	for _, r := range p.rows[row:] {
		if r.block.Kind.Hard() && r.end-r.from <= short && (r.mu != 0 || r.d >= 0) {
			bound = append(bound, p.ids[r.from:r.end]...)
		}
	}
	return bound
}

// tie adds to variables around a part, or others, those outside it that potentials which count tie to them, the nearest
// ones first, until there are so many, or so many potentials have been looked at.
func (s *State) tie(variables []int32, many, looks int) []int32 {
	tied := variables[:0]
	meet := func(i int32) {
		if mark := s.marks[i]; mark <= outside && mark > reached {
			s.marks[i] += reached
			tied = append(tied, i)
		}
	}
	for _, i := range variables {
		meet(i)
	}
	for at := 0; at < len(tied) && len(tied) < many && looks > 0; at++ {
		looks -= s.occurs(tied[at])
		for _, place := range s.along(tied[at], set{s.quiet, true}) {
			v := s.view(int(place))
			if s.mu[place] == 0 && v.slack(s.y) <= 0 {
				continue
			}
			for _, i := range v.ids {
				meet(i)
			}
		}
	}
	for _, i := range tied {
		s.marks[i] -= reached
	}
	return tied
}

// gatherAround gathers the potentials of some variables, but for those that turn out to be still, unless there are more
// coefficients than there may be.
func (s *State) gatherAround(p *part, variables []int32) {
	for len(variables) > 0 && p.entries() <= p.limit {
		n := min(gatherPortion, len(variables))
		s.gatherSome(p, variables[:n])
		variables = variables[n:]
	}
}

// gatherSome gathers the potentials of some variables, whose places threads find, in the order in which one alone
// would.
func (s *State) gatherSome(p *part, variables []int32) {
	p.places = p.places[:0]
	for _, l := range s.shared(len(variables), lookoutLen, func(l *lookout, from, to int) {
		l.places = l.places[:0]
		for _, i := range variables[from:to] {
			l.places = append(l.places, s.alongBy(i, set{s.quiet, true}, &l.own)...)
		}
	}) {
		for _, place := range l.places {
			if s.quiet.Put(int(place)) {
				p.places = append(p.places, place)
			}
		}
	}
	s.gatherPlaces(p, p.places)
}

// gatherPlaces gathers potentials, which are quiet already, but for those that turn out to be still. Threads look at
// each once.
func (s *State) gatherPlaces(p *part, places []int32) {
	looked := s.shared(len(places), gatherLen, func(l *lookout, from, to int) {
		l.found, l.rows, l.ids, l.coef = l.found[:0], l.rows[:0], l.ids[:0], l.coef[:0]
		for _, place := range places[from:to] {
			v := s.viewBy(int(place), &l.own)
			d, mu := v.slack(s.y), s.mu[place]
			if d < 0 { // what matters is still on no level
				if k := s.levelOf(&v, mu); k >= 0 {
					l.found = append(l.found, finding{place, int8(k)})
					continue
				}
			}
			l.ids, l.coef = append(l.ids, v.ids...), append(l.coef, v.coef...)
			l.rows = append(l.rows, v.row(int(place), len(l.ids), d, mu))
		}
	})
	p.reserve(looked)
	for _, l := range looked {
		for _, f := range l.found {
			s.quiet.Remove(int(f.place))
			s.turn(int(f.level), int(f.place))
		}
		first := int32(len(p.ids))
		s.gatherTerms(p, l.ids, l.coef)
		for _, r := range l.rows {
			r.from, r.end = r.from+first, r.end+first
			p.add(r)
		}
	}
}

// reserve makes room for the rows that have been found.
func (p *part) reserve(looked []lookout) {
	rows, terms := 0, 0
	for k := range looked {
		rows, terms = rows+len(looked[k].rows), terms+len(looked[k].ids)
	}
	p.rows, p.ids, p.coef = reuse.Room(p.rows, rows), reuse.Room(p.ids, terms), reuse.Room(p.coef, terms)
}

// gatherPortion is of how many variables potentials are gathered at once, and gatherLen how many of these are looked at
// in a task.
const gatherPortion, gatherLen = 4096, 512

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

// row is the row of a potential with a slack and a multiplier, whose terms end somewhere.
func (v *view) row(place, end int, d, mu float64) row {
	return row{block: v.block, place: int32(place), from: int32(end - len(v.ids)), end: int32(end), scale: v.scale, c: v.c,
		d: d, w: v.w, mu: mu}
}

// add adds a row.
func (p *part) add(r row) {
	p.rows = append(p.rows, r)
	g := p.group(&r)
	g.square = g.square && r.end-r.from <= squares.Longest
	g.rows = append(g.rows, int32(len(p.rows)-1))
}

// kind is what the rows of a group have in common.
type kind struct {
	rule     int
	kind     mrf.Kind
	exponent int
	scaled   bool
}

func (r *row) kind() kind {
	return kind{r.block.Rule, r.block.Kind, r.block.Exponent, r.scale != 1}
}

// recent is how many groups are compared with a row before it is looked up.
const recent = 8

// group returns that of a row: mostly one of the last.
func (p *part) group(r *row) *group {
	of, n := r.kind(), len(p.groups)
	for k := n - 1; k >= max(0, n-recent); k-- {
		if g := &p.groups[k]; g.kind == of {
			return g
		}
	}
	if k, there := p.known[of]; there {
		return &p.groups[k]
	}
	if p.known == nil {
		p.known = make(map[kind]int)
	}
	if p.known[of] = n; n < cap(p.groups) { // with the memory of one that was there
		p.groups = p.groups[:n+1]
		p.groups[n].rows = p.groups[n].rows[:0]
	} else {
		p.groups = append(p.groups, group{})
	}
	g := &p.groups[n]
	g.kind, g.block, g.square = of, r.block, r.block.Squared()
	return g
}

// forget ends a part.
func (s *State) forget(p *part) {
	for _, set := range [][]int32{p.variables, p.frontier} {
		for _, i := range set {
			s.marks[i] = outside
		}
	}
	for k := range p.rows {
		s.quiet.Remove(int(p.rows[k].place))
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
	p.moved = p.moved[:0]
	for _, q := range pieces {
		for n, k := range q.variables {
			i := p.variables[k]
			p.moved = append(p.moved, i)
			to, left := q.y[n], q.left/float64(len(q.variables))
			if reach := p.reach(); math.Abs(to-s.y[i]) > reach {
				to, left, q.cut = min(max(to, s.y[i]-reach), s.y[i]+reach), math.Inf(1), true
			}
			s.setValue(i, to)
			s.setDebt(i, 0)
			p.residue[k] = left
		}
	}
	s.noteParts(p, pieces)
	parallel.For(parallel.Threads(s.settings.Threads), len(pieces), func(k int) {
		s.installRows(p, pieces[k])
		s.countBoxes(p, pieces[k], 1)
	})
	for _, q := range pieces {
		s.sums.merge(&q.sums)
		for _, push := range q.pushes {
			if s.marks[push.i] != pulled {
				s.marks[push.i] = pulled
				s.gap.Add(-s.box(push.i))
			}
			s.setSlope(push.i, s.g[push.i]+push.by)
		}
	}
	s.absorbAround(p)
	p.fresh = false
	s.lookAgain(p)
}

// countBoxes adds what the variables of a piece add to the gap to what installing it has changed, or takes it out if
// sign is -1.
func (s *State) countBoxes(p *part, q *piece, sign float64) {
	for _, k := range q.variables {
		q.sums.gap.Add(sign * s.box(p.variables[k]))
	}
}

// absorbAround leaves as little of the gap around a part as can be, and notes where that is. What pulled variables add
// to the gap has been taken out.
func (s *State) absorbAround(p *part) {
	p.around = p.around[:0]
	for len(p.fringe) < len(p.frontier) {
		p.fringe = append(p.fringe, edge{})
	}
	s.findSingles(p)
	s.noteAround(p)
	for _, l := range s.shared(len(p.frontier), gatherLen, func(l *lookout, from, to int) {
		l.gap = solve.Sum{}
		for k, i := range p.frontier[from:to] {
			if s.marks[i] != pulled {
				continue
			}
			if e := &p.fringe[from+k]; e.known && s.pinBy(i, &l.own) < 0 {
				s.lean(i, p.singles[e.from:e.to], &l.line)
				e.rest = s.absorb(i, p.singles[e.from:e.to], &l.gap)
			}
			l.gap.Add(s.box(i))
		}
	}) {
		s.gap.Merge(l.gap)
	}
	for k, i := range p.frontier {
		s.marks[i] = beside
		if s.hold(i) {
			continue
		}
		if rest := p.fringe[k].rest + float64(s.debt[i]); rest > 0 {
			p.around = append(p.around, pressure{i, rest})
		}
	}
}

// findSingles finds the singles of variables around a part that are pulled for the first time.
func (s *State) findSingles(p *part) {
	var unknown []int32
	for k, i := range p.frontier {
		if e := &p.fringe[k]; s.marks[i] == pulled && !e.known && s.box(i) > 0 {
			e.known = true
			unknown = append(unknown, int32(k))
		}
	}
	next := 0
	for _, l := range s.shared(len(unknown), lookoutLen, func(l *lookout, from, to int) {
		l.singles, l.ends = l.singles[:0], l.ends[:0]
		for _, k := range unknown[from:to] {
			l.singles = s.appendSingles(l.singles, p.frontier[k], &l.own)
			l.ends = append(l.ends, len(l.singles))
		}
	}) {
		first, from := len(p.singles), len(p.singles)
		p.singles = append(reuse.Room(p.singles, len(l.singles)), l.singles...)
		for _, end := range l.ends {
			e := &p.fringe[unknown[next]]
			e.from, e.to = from, first+end
			from, next = e.to, next+1
		}
	}
}

// installRows makes the rows of a piece what they are where its variables are now, beside other pieces.
func (s *State) installRows(p *part, q *piece) {
	if q.problem != nil {
		s.installSquares(p, q)
		return
	}
	for n, row := range q.order {
		s.installRow(p, q, row, q.result.Multipliers[n])
	}
}

// installSquares is installRows for a piece of squares.
func (s *State) installSquares(p *part, q *piece) {
	for n, k := range q.variables {
		s.g[p.variables[k]] = q.problem.Slopes[n] // there is nothing else that has a multiplier
	}
	for n, row := range q.order {
		r := &p.rows[row]
		d, mu, free := q.problem.Of(n)
		if q.cut {
			ids, coef := p.terms(row)
			d = (&view{ids: ids, coef: coef, c: r.c}).slack(s.y)
		}
		was := r.mu
		if d <= 0 && mu == 0 && was == 0 && r.d <= 0 && r.block.Kind == mrf.Hinge {
			r.d = d
			continue // as most are
		}
		gap, objective := r.square(was)
		q.sums.gap.Add(-gap)
		q.sums.objective.Add(-objective)
		r.d = d
		gap, objective = r.square(mu)
		q.sums.gap.Add(gap)
		q.sums.objective.Add(objective)
		r.mu, s.mu[r.place] = mu, mu
		if free == int(r.end-r.from) || mu == was {
			continue
		}
		ids, coef := p.terms(row)
		for e, i := range ids {
			if s.marks[i] <= 0 {
				q.pushes = append(q.pushes, push{i, coef[e] * (mu - was)})
			}
		}
	}
}

// square is what a square adds to the gap with a multiplier that it may have, and to the objective.
func (r *row) square(mu float64) (gap, objective float64) {
	absolute, d := r.block.Kind != mrf.Hinge, r.d
	if gap = squareGap(r.w, d, mu, absolute); !absolute {
		d = max(0, d)
	}
	return gap, r.w * d * d
}

// installRow makes a row of a piece what it is where its variables are now, with a multiplier, beside other pieces.
func (s *State) installRow(p *part, q *piece, row int32, multiplier float64) {
	r := &p.rows[row]
	ids, coef := p.terms(row)
	v := view{block: r.block, ids: ids, coef: coef, w: r.w, c: r.c}
	d, mu := v.slack(s.y), r.mu
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
	r.mu, s.mu[r.place] = now.mu, now.mu
	for e, i := range ids {
		if s.marks[i] > 0 {
			s.g[i] += coef[e] * change
		} else {
			q.pushes = append(q.pushes, push{i, coef[e] * change})
		}
	}
}

package local

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/reuse"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/squares"
)

// A large part mostly falls into components, which none of its potentials ties to each other: what changes at once is
// in many places, and what is held between them keeps them apart. They are solved apart, each in the steps that it
// takes: those of all together are as short as they have to be where that is shortest, and as many as where most are
// needed. And a component that nothing has come to since the last round keeps the solution that it has.

// piece is some components of a part that are solved together.
type piece struct {
	variables []int32 // their numbers in the part
	rows      int
	order     []int32 // the rows in the order of the model
	entries   int     // of its rows, until it is built also those of variables around it
	model     *mrf.Model
	problem   *squares.Problem // nil if it is solved by the model
	result    *solve.Result    // of the model
	y         []float64        // its solution
	cut       bool             // variables went less far
	left      float64          // of the gap
	err       error
	stiff     bool   // Newton's method has left it far from a solution
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

// contradictory tells whether hard rules of a piece contradict each other, or seem to, where something around it is
// held.
func (s *State) contradictory(q *piece) bool {
	if q.result == nil {
		return false
	}
	seems := s.unsolvable(q.result) && q.result.MaxViolation > s.settings.Feasibility
	return q.result.Status == solve.Infeasible || seems && len(s.part.frontier) > 0
}

// square tells whether all of its rows are squares of few variables.
func (q *piece) square() bool {
	return !slices.ContainsFunc(q.cuts, func(c cut) bool { return !c.group.square })
}

// leastRows is as many as are solved in less time than setting up takes.
const leastRows = 1_000

// component is one of a part's.
type component struct {
	rows      int
	left      float64 // of the gap by its last solution; infinite if there is none for what it is now
	objective float64 // if there is one
	piece     int     // -1 if its last solution is good enough
}

// pieces makes those of what is not solved to a tolerance.
func (s *State) pieces(p *part, tolerance float64) (pieces []*piece) {
	components := s.components(p)
	open := func() int {
		pieces = append(pieces, p.piece(len(pieces)))
		return len(pieces) - 1
	}
	last := -1
	for k := range components {
		c := &components[k]
		switch {
		case c.left <= tolerance*max(s.Grain(), math.Abs(c.objective)):
			c.piece = -1
			continue
		case c.rows >= s.least:
			c.piece = open()
			pieces[c.piece].rows = c.rows
			continue
		case last < 0:
			last = open()
		}
		c.piece = last
		if pieces[last].rows += c.rows; pieces[last].rows >= s.least {
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
	for _, q := range pieces {
		q.order = reuse.Room(q.order, q.rows)
	}
	for k := range p.groups {
		p.share(&p.groups[k], components, pieces)
	}
	return pieces
}

// piece returns piece k, empty, in the memory that it had in the round before.
func (p *part) piece(k int) *piece {
	for len(p.pool) <= k {
		p.pool = append(p.pool, new(piece))
	}
	q := p.pool[k]
	*q = piece{variables: q.variables[:0], order: q.order[:0], pushes: q.pushes[:0], cuts: q.cuts[:0]}
	return q
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
		c, ids := &q.cuts[len(q.cuts)-1], int(p.rows[row].end-p.rows[row].from)
		c.rows, c.entries = c.rows+1, c.entries+ids
		q.order, q.entries = append(q.order, row), q.entries+ids
	}
}

// build makes a piece's model, beside other pieces.
func (s *State) build(p *part, q *piece) {
	q.entries, q.model = 0, &mrf.Model{Rules: len(s.theta), Variables: len(q.variables)}
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
	p.member = of
	components = make([]component, count)
	for k, at := range of {
		components[at].left += p.residue[k]
	}
	for k := range p.rows {
		at := of[p.tied[k]]
		p.of = append(p.of, at)
		c := &components[at]
		if c.rows++; !math.IsInf(c.left, 1) {
			c.objective += p.rows[k].cost()
		}
	}
	return components
}

// join groups the variables that rows tie. Only rows that have come since the last time and those of which variables
// were around the part can tie more.
func (s *State) join(p *part) forest.Forest {
	p.ties = p.ties.Grow(len(p.variables) - len(p.ties))
	for k := len(p.tied); k < len(p.rows); k++ {
		p.tied, p.open = append(p.tied, forest.None), append(p.open, int32(k))
	}
	open := p.open[:0]
	for _, k := range p.open {
		root, whole := int32(forest.None), true
		for _, i := range p.ids[p.rows[k].from:p.rows[k].end] {
			switch number := s.marks[i]; {
			case number <= 0:
				whole = false
			case root == forest.None:
				root = number - 1
			default:
				root = p.ties.Join(root, number-1)
			}
		}
		if p.tied[k] = root; !whole {
			open = append(open, k)
		}
	}
	p.open = open
	return append(p.member[:0], p.ties...)
}

// unsolved says that something has come to some variables, so that what they had is no solution any more.
func (s *State) unsolved(p *part, variables []int32) {
	for _, i := range variables {
		if number := s.marks[i]; number > 0 {
			p.residue[number-1] = math.Inf(1)
		}
	}
}

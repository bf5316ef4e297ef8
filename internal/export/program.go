package export

import (
	"strconv"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// program is a field as a quadratic program.
type program struct {
	field     *mrf.Field
	constants []float64 // c_j by potential
	linear    []float64 // coefficients of y in the objective, from linear potentials
	offset    float64   // the objective's constant
}

// newProgram gathers what is not row by row: the linear potentials' part of the objective, and the constants.
func newProgram(field *mrf.Field) *program {
	m := field.Model
	q := &program{field: field, constants: make([]float64, m.Potentials()), linear: make([]float64, m.Variables)}
	field.Slacks(make([]float64, m.Variables), q.constants)
	q.visit(func(p *potential) {
		if p.block.Kind != mrf.Linear {
			return
		}
		q.offset += p.weight * p.constant
		p.terms(func(i int32, a float64) { q.linear[i] += p.weight * a })
	})
	return q
}

// potential is one potential or constraint while the program is walked.
type potential struct {
	block  *mrf.Block
	at     int // its place in the block
	number int // and among all potentials
	// weight is w_j; for constraints it has no meaning.
	weight   float64
	constant float64 // c_j
	shape    *shape
}

// terms calls visit for the variables of d_j with their coefficients; those of 0 are left out.
func (p *potential) terms(visit func(i int32, a float64)) {
	for k, i := range p.block.Variables(p.at) {
		if a := p.block.Coefficient(p.at, k); a != 0 {
			visit(i, a)
		}
	}
}

// bound returns the right-hand side of the potential's rows, -c_j; never -0.
func (p *potential) bound() float64 { return 0 - p.constant }

// shape says which rows and slack a potential becomes.
type shape struct {
	// rows have aᵀy on their left side, some of them with the slack, and -c_j on their right one.
	rows []row
	// free slacks may be below 0.
	free bool
	// squared slacks enter the objective as w s², the others as w s.
	squared bool
}

// row is one row of a potential.
type row struct {
	prefix   byte // of its name, before the potential's number
	relation relation
	slack    float64 // coefficient of the slack, 0 for constraints
}

// relation stands between the two sides of a row, with its spelling in both formats.
type relation struct {
	sign string
	mps  byte
}

var (
	atMost  = relation{"<=", 'L'}
	equals  = relation{"=", 'E'}
	atLeast = relation{">=", 'G'}
)

var (
	hinge         = shape{rows: []row{{'r', atMost, -1}}}
	squaredHinge  = shape{rows: hinge.rows, squared: true}
	absolute      = shape{rows: []row{{'r', atMost, -1}, {'m', atLeast, 1}}}
	square        = shape{rows: []row{{'r', equals, -1}}, free: true, squared: true}
	lessEqual     = shape{rows: []row{{'r', atMost, 0}}}
	equal         = shape{rows: []row{{'r', equals, 0}}}
	objectiveOnly = shape{}
)

// shapeOf returns the shape of a block's potentials, if their weight is not 0.
func shapeOf(b *mrf.Block) *shape {
	switch {
	case b.Kind == mrf.LessEqual:
		return &lessEqual
	case b.Kind == mrf.Equal:
		return &equal
	case b.Kind == mrf.Linear:
		return &objectiveOnly
	case b.Kind == mrf.Absolute && b.Exponent == 2:
		return &square
	case b.Kind == mrf.Absolute:
		return &absolute
	case b.Exponent == 2:
		return &squaredHinge
	}
	return &hinge
}

// hasSlack tells whether potentials of this shape have a slack variable.
func (s *shape) hasSlack() bool { return len(s.rows) > 0 && s.rows[0].slack != 0 }

// visit calls visit for every constraint, and every potential whose weight is not 0, in order. The potential is valid
// during the call only.
func (q *program) visit(visit func(p *potential)) {
	theta := q.field.Weights()
	var p potential
	for _, b := range q.field.Model.Blocks {
		p.block, p.shape = b, shapeOf(b)
		for p.at = range b.Len {
			p.weight, p.constant = theta[b.Rule], q.constants[p.number]
			if b.Scale != nil {
				p.weight *= float64(b.Scale[p.at])
			}
			if b.Kind.Hard() || p.weight != 0 {
				visit(&p)
			}
			p.number++
		}
	}
}

// slacks is visit for the potentials that have a slack variable.
func (q *program) slacks(visit func(p *potential)) {
	q.visit(func(p *potential) {
		if p.shape.hasSlack() {
			visit(p)
		}
	})
}

// name prints a column's or row's name: a letter and a number.
func name(prefix byte, number int) string { return string(prefix) + strconv.Itoa(number) }

// exact prints a number so that reading it gives the same bits.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

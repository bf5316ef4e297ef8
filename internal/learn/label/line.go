package label

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Line is a way for a label to move. If hard equalities would hold it, other variables move along so that the
// equalities stay true: with Knows(A, B) = Knows(B, A) both move, and in a sum of one what one class gains another
// loses.
type Line struct {
	Variables []int32   // the label, and what moves along
	Steps     []float64 // how far each moves when the label moves by one
}

// longest bounds the variables of a line. Equalities that chain more of them hold their labels.
const longest = 32

// Equalities finds the hard equalities of a variable.
type Equalities struct {
	rows  [][]equality // by variable
	truth []float64    // by variable: a label's true value, -1 for latent ones
}

// equality is row at of a block.
type equality struct {
	block *mrf.Block
	at    int
}

// NewEqualities prepares those of a model, whose labels have true values.
func NewEqualities(model *mrf.Model, labels *Labels) *Equalities {
	e := &Equalities{rows: make([][]equality, model.Variables), truth: make([]float64, model.Variables)}
	for i := range e.truth {
		e.truth[i] = -1
	}
	for k, i := range labels.Variables {
		e.truth[i] = labels.Truth[k]
	}
	for _, b := range model.Blocks {
		if b.Kind != mrf.Equal {
			continue
		}
		for j := range b.Len {
			for _, i := range b.Variables(j) {
				e.rows[i] = append(e.rows[i], equality{b, j})
			}
		}
	}
	return e
}

// Line lets variable i move, and one more variable for each equality that this would break, until none is. It is nil if
// that leads to too many, or to equalities all of whose variables move already.
func (e *Equalities) Line(i int32) *Line {
	l := &Line{Variables: []int32{i}, Steps: []float64{1}}
	for at := 0; at < len(l.Variables); at++ {
		for _, row := range e.rows[l.Variables[at]] {
			slope, partner := e.look(l, row)
			if math.Abs(slope) < 1e-9 {
				continue
			}
			if partner < 0 || len(l.Variables) == longest {
				return nil
			}
			l.Variables = append(l.Variables, row.block.Variables(row.at)[partner])
			l.Steps = append(l.Steps, -slope/row.block.Coefficient(row.at, partner))
		}
	}
	return l
}

// look returns how fast an equality breaks along the line, and the place of the variable in it that had best move
// along: the one with the highest true value, so that a false class trades with the true one; -1 if all of them move
// already.
func (e *Equalities) look(l *Line, row equality) (slope float64, partner int) {
	partner = -1
	variables := row.block.Variables(row.at)
	for k, v := range variables {
		coefficient := row.block.Coefficient(row.at, k)
		if at := slices.Index(l.Variables, v); at >= 0 {
			slope += coefficient * l.Steps[at]
		} else if coefficient != 0 && (partner < 0 || e.truth[v] > e.truth[variables[partner]]) {
			partner = k
		}
	}
	return slope, partner
}

package learn

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// line is a way for a label to move. If hard equalities would hold it, other variables move along so that the
// equalities stay true: with Knows(A, B) = Knows(B, A) both move, and in a sum of one what one class gains another
// loses.
type line struct {
	variables []int32
	steps     []float64 // how far each moves when the label, the first of them, moves by one
	sections  []section

	// moves says whether the box and the other hard rules left room the last time; then surprise is -log p.
	moves    bool
	surprise float64
}

// section is a potential or an inequality as a function of the distance moved: its slack changes by slope times that.
type section struct {
	block  *mrf.Block
	number int     // of the potential, among all
	scale  float64 // s_j, the observed factor of its weight
	slope  float64
	// excess and push are what the section last added to the derivatives, by weight and by slack.
	excess, push float64
}

// longest bounds the variables of a line. Equalities that chain more of them hold their labels.
const longest = 32

// drawLines returns a line per label that has one.
func drawLines(model *mrf.Model, labels *Labels) []*line {
	e := newEqualities(model, labels)
	var lines []*line
	for _, i := range labels.Variables {
		if l := e.line(i); l != nil {
			lines = append(lines, l)
		}
	}
	cutSections(model, lines)
	return lines
}

// equalities finds the hard equalities of a variable.
type equalities struct {
	rows  [][]equality // by variable
	truth []float64    // by variable: a label's true value, -1 for latent ones
}

// equality is row at of a block.
type equality struct {
	block *mrf.Block
	at    int
}

func newEqualities(model *mrf.Model, labels *Labels) *equalities {
	e := &equalities{rows: make([][]equality, model.Variables), truth: make([]float64, model.Variables)}
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

// line lets variable i move, and one more variable for each equality that this would break, until none is.
func (e *equalities) line(i int32) *line {
	l := &line{variables: []int32{i}, steps: []float64{1}}
	for at := 0; at < len(l.variables); at++ {
		for _, row := range e.rows[l.variables[at]] {
			slope, partner := e.look(l, row)
			if math.Abs(slope) < 1e-9 {
				continue
			}
			if partner < 0 || len(l.variables) == longest {
				return nil
			}
			l.variables = append(l.variables, row.block.Variables(row.at)[partner])
			l.steps = append(l.steps, -slope/row.block.Coefficient(row.at, partner))
		}
	}
	return l
}

// look returns how fast an equality breaks along the line, and the place of the variable in it that had best move
// along: the one with the highest true value, so that a false class trades with the true one; -1 if all of them move
// already.
func (e *equalities) look(l *line, row equality) (slope float64, partner int) {
	partner = -1
	variables := row.block.Variables(row.at)
	for k, v := range variables {
		coefficient := row.block.Coefficient(row.at, k)
		if at := slices.Index(l.variables, v); at >= 0 {
			slope += coefficient * l.steps[at]
		} else if coefficient != 0 && (partner < 0 || e.truth[v] > e.truth[variables[partner]]) {
			partner = k
		}
	}
	return slope, partner
}

// cutSections finds the potentials and inequalities that change along each line.
func cutSections(model *mrf.Model, lines []*line) {
	type move struct {
		line int
		step float64
	}
	moves := make(map[int32][]move)
	for k, l := range lines {
		for at, v := range l.variables {
			moves[v] = append(moves[v], move{k, l.steps[at]})
		}
	}
	slopes := make([]float64, len(lines))
	first := 0
	for _, b := range model.Blocks {
		for j := range b.Len {
			var touched []int
			for k, v := range b.Variables(j) {
				for _, m := range moves[v] {
					touched = append(touched, m.line)
					slopes[m.line] += b.Coefficient(j, k) * m.step
				}
			}
			for _, at := range touched {
				lines[at].add(b, first+j, j, slopes[at])
				slopes[at] = 0 // also so that a line with two variables here is cut once
			}
		}
		first += b.Len
	}
}

// add appends the section of potential j, unless it does not change along the line.
func (l *line) add(b *mrf.Block, number, j int, slope float64) {
	if math.Abs(slope) < 1e-9 {
		return
	}
	s := section{block: b, number: number, scale: 1, slope: slope}
	if b.Scale != nil {
		s.scale = float64(b.Scale[j])
	}
	l.sections = append(l.sections, s)
}

// interval is how far the label can move, down and up, within the box and the inequalities that the labels keep.
func (l *line) interval(slacks, y []float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	bound := func(slack, slope float64) { // slack + slope·moved ≤ 0
		if slope > 0 {
			hi = math.Min(hi, math.Max(0, -slack/slope))
		} else {
			lo = math.Max(lo, math.Min(0, -slack/slope))
		}
	}
	for k, v := range l.variables {
		bound(y[v]-1, l.steps[k])
		bound(-y[v], -l.steps[k])
	}
	for _, s := range l.sections {
		if s.block.Kind == mrf.LessEqual && slacks[s.number] <= narrow {
			bound(slacks[s.number], s.slope)
		}
	}
	return lo, hi
}

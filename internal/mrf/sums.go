package mrf

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/reuse"
)

// findSums takes the preconditioner's rows, if their potentials are squares without a kink; none if memory is short.
func (s *Singles) findSums() {
	s.shift = make([][]float64, len(s.field.terms))
	if s.field.Model.Paged() != nil {
		return
	}
	for k, own := range chooseOwn(s.field) {
		t := &s.field.terms[k]
		if own == nil || !t.Squared() || t.Kind != Absolute {
			continue
		}
		s.shift[k] = make([]float64, t.Len)
		for j, ok := range own {
			if ok {
				s.sums = append(s.sums, member{t, int32(j)})
			}
		}
	}
}

// Shift returns by how much the multipliers of a span's potentials are to differ from their derivatives, or nil.
func (s *Singles) Shift(span *Span) []float64 {
	if shift := s.shift[span.Place]; shift != nil {
		return shift[span.lo:span.hi]
	}
	return nil
}

// countSingles counts the squared potentials of one variable each.
func (f *Field) countSingles() (total int) {
	for k := range f.terms {
		if t := &f.terms[k]; t.single() {
			total += t.Len
		}
	}
	return total
}

// bundle is the lines of the variables of a sum, with the steps along them and what gaps these leave.
type bundle struct {
	lines      []Line
	a, g, y    []float64
	step, gaps []float64
}

// worth is how much of a gap, in flat slopes per variable, must be left for a sum to be tried.
const worth = 30

// improve returns the shift λ of a sum's multiplier that leaves the smallest gap to its variables, whose slopes become
// g + λa, and to the sum itself, λ²/4w. It sets their steps t and gaps. The derivative of all that is λ/2w - aᵀt.
func (b *bundle) improve(s *Singles, m member, y, g []float64, flat float64) (shift float64) {
	index := m.term.vars.row(int(m.j))
	least := 0.0
	for _, i := range index {
		least += s.gap[i]
	}
	w := m.weight(s.field.theta)
	if least <= worth*flat*float64(len(index)) || w == 0 {
		return 0
	}
	lo, hi := b.load(s, m, y, g)
	lambda := (lo + hi) / 2
	for range attempts {
		gap, slope, curvature := b.at(lambda, flat)
		gap, slope, curvature = gap+lambda*lambda/(4*w), slope+lambda/(2*w), curvature+1/(2*w)
		if gap < least {
			least, shift = gap, lambda
			for k, i := range index {
				s.Step[i], s.gap[i] = b.step[k], b.gaps[k]
			}
			s.gap[index[0]] += lambda * lambda / (4 * w)
		}
		if math.Abs(slope)*(hi-lo) <= flat {
			break
		}
		if slope > 0 {
			hi = lambda
		} else {
			lo = lambda
		}
		if lambda -= slope / curvature; lambda <= lo || lambda >= hi {
			lambda = (lo + hi) / 2
		}
	}
	return shift
}

// load makes the lines, and returns the bounds of the best shift: beyond them, all steps go the same way.
func (b *bundle) load(s *Singles, m member, y, g []float64) (lo, hi float64) {
	index := m.term.vars.row(int(m.j))
	n := len(index)
	for len(b.lines) < n {
		b.lines = append(b.lines, Line{})
	}
	for _, v := range []*[]float64{&b.a, &b.g, &b.y, &b.step, &b.gaps} {
		*v = reuse.Len(*v, n)
	}
	for k, i := range index {
		b.lines[k].load(s.along(i), s.field.theta, y[i])
		b.a[k], b.g[k], b.y[k] = m.term.vars.coefficient(int(m.j), k), g[i], y[i]
		if b.a[k] != 0 {
			lo, hi = min(lo, -b.g[k]/b.a[k]), max(hi, -b.g[k]/b.a[k])
		}
	}
	return lo, hi
}

// at minimises along all lines, and returns the sum of the gaps, with its derivatives in λ.
func (b *bundle) at(lambda, flat float64) (gap, slope, curvature float64) {
	for k, a := range b.a {
		var c float64
		b.step[k], b.gaps[k], c = b.lines[k].Minimise(b.g[k]+lambda*a, b.y[k], flat)
		gap += b.gaps[k]
		slope -= a * b.step[k]
		if z := b.y[k] + b.step[k]; c > 0 && z > 0 && z < 1 {
			curvature += a * a / c
		}
	}
	return gap, slope, curvature
}

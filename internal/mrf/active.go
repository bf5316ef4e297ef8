package mrf

import "math/bits"

// Active is a set of potentials among the squared hinges of several variables, by a bit for each: those whose slack is
// above 0 somewhere. All others are 0 there, with their derivatives, and nothing has to be read for them. Of most
// models few are above 0 near an optimum. Between two points, those can be above 0 that are so at one of them.
type Active struct{ words []uint64 }

// spanWords is how many words a span has.
const spanWords = spanLen / 64

// NewActive makes an empty set; nil if the model has no such potentials, or is beyond memory.
func (f *Field) NewActive() *Active {
	if f.Model.Paged() != nil {
		return nil
	}
	for k := range f.terms {
		if f.terms[k].selects() {
			return &Active{make([]uint64, spanWords*len(f.spans))}
		}
	}
	return nil
}

// selects tells whether the term's potentials can be in a set.
func (t *term) selects() bool {
	return t.Kind == Hinge && t.Exponent == 2 && t.vars.start == nil && len(t.vars.coef) > 1
}

// of returns the words of a span.
func (a *Active) of(span int) []uint64 { return a.words[spanWords*span:][:spanWords] }

// union sets places to those of a span's n potentials that are in one of the sets, or to all if there is none.
func union(sets []*Active, span, n int, places *[spanLen]int32) []int32 {
	m := 0
	if len(sets) == 0 {
		for j := range n {
			places[j] = int32(j)
		}
		return places[:n]
	}
	for w := range spanWords {
		word := uint64(0)
		for _, set := range sets {
			word |= set.words[spanWords*span+w]
		}
		for ; word != 0; word &= word - 1 {
			places[m%spanLen] = int32(64*w + bits.TrailingZeros64(word))
			m++
		}
	}
	return places[:m]
}

// put makes the set hold these of a span's potentials.
func (a *Active) put(span int, places []int32) {
	words := a.of(span)
	clear(words)
	for _, j := range places {
		words[j/64] |= 1 << (j % 64)
	}
}

// SweepActive is Sweep for visitors that leave 0, and add 0, where the slack of a squared hinge is not above 0: of
// those of several variables, spans have only what is above 0 at y, looked for among some sets, or everywhere if there
// is none. It sets found, unless that is nil, to what they are.
func (f *Field) SweepActive(y, g []float64, among []*Active, found *Active, visit func(s *Span) float64) float64 {
	return f.sweepSpans(variables, nil, y, g, func(s *Span, n int, l *lane) {
		if t := f.spans[n].term; found != nil && t.selects() {
			f.openActive(s, n, y, among, l)
			found.put(n, s.places)
			return
		}
		f.open(s, n, y, l.slacks)
	}, visit)
}

// openActive is open for the potentials that are above 0.
func (f *Field) openActive(s *Span, n int, y []float64, among []*Active, l *lane) {
	r := f.spans[n]
	f.describe(s, n, l.slacks)
	if l.places == nil {
		l.places = new([spanLen]int32)
	}
	if len(among) == 0 && r.term.plain() {
		s.places = r.term.above(r.lo, r.hi, y, s.D, l.places)
	} else {
		s.places = r.term.aboveAmong(r.lo, union(among, n, r.hi-r.lo, l.places), y, s.D)
	}
	s.D, s.Spare = s.D[:len(s.places)], s.Spare[:len(s.places)]
	if r.term.Scale == nil {
		return
	}
	if l.scale == nil {
		l.scale = make([]float32, spanLen)
	}
	s.Scale = l.scale[:len(s.places)]
	for k, j := range s.places {
		s.Scale[k] = r.term.Scale[r.lo+int(j)]
	}
}

// plain tells whether the potentials have one constant and are of two or three variables, as most are.
func (t *term) plain() bool {
	return t.folded == nil && !t.Varies() && (len(t.vars.coef) == 2 || len(t.vars.coef) == 3)
}

// above lists which of the potentials [lo,hi) have a slack above 0 at y, and writes these slacks to the front of d.
func (t *term) above(lo, hi int, y, d []float64, places *[spanLen]int32) []int32 {
	n, c, coef := 0, t.Constant, t.vars.coef
	d = d[:hi-lo]
	index := t.vars.index[lo*len(coef) : hi*len(coef)]
	a0, a1 := coef[0], coef[1]
	if len(coef) == 2 {
		for j := range int32(len(d)) {
			p := (*[2]int32)(index)
			index = index[2:]
			slack := c + (a0*y[p[0]] + a1*y[p[1]])
			places[n%spanLen], d[n] = j, slack
			n += isAbove(slack)
		}
		return places[:n]
	}
	a2 := coef[2]
	for j := range int32(len(d)) {
		p := (*[3]int32)(index)
		index = index[3:]
		slack := c + (a0*y[p[0]] + a1*y[p[1]] + a2*y[p[2]])
		places[n%spanLen], d[n] = j, slack
		n += isAbove(slack)
	}
	return places[:n]
}

// aboveAmong keeps those of the places behind lo whose slack is above 0 at y, and writes these slacks to d.
func (t *term) aboveAmong(lo int, places []int32, y, d []float64) []int32 {
	n, coef := 0, t.vars.coef
	if t.plain() && len(coef) == 3 {
		c, index := t.Constant, t.vars.index[3*lo:]
		a0, a1, a2 := coef[0], coef[1], coef[2]
		for _, j := range places {
			p := (*[3]int32)(index[3*j:])
			slack := c + (a0*y[p[0]] + a1*y[p[1]] + a2*y[p[2]])
			places[n], d[n] = j, slack
			n += isAbove(slack)
		}
		return places[:n]
	}
	for _, j := range places {
		at := lo + int(j)
		sum := 0.0
		for k, i := range t.vars.row(at) {
			sum += coef[k] * y[i]
		}
		slack := t.constant(at) + sum
		places[n], d[n] = j, slack
		n += isAbove(slack)
	}
	return places[:n]
}

// isAbove is 1 for what is above 0, or no number, and else 0. Which slacks are no processor foresees, so there is no
// branch.
func isAbove(v float64) int {
	if !(v <= 0) {
		return 1
	}
	return 0
}

// addTransposeAt is addTranspose for some rows behind lo.
func (r *rows) addTransposeAt(lo int, places []int32, mu, g []float64) {
	coef := r.coef
	if len(coef) == 3 {
		a0, a1, a2 := coef[0], coef[1], coef[2]
		for k, j := range places {
			m, p := mu[k], (*[3]int32)(r.index[3*(lo+int(j)):])
			g[p[0]] += a0 * m
			g[p[1]] += a1 * m
			g[p[2]] += a2 * m
		}
		return
	}
	for k, j := range places {
		m, at := mu[k], (lo+int(j))*len(coef)
		for e, i := range r.index[at : at+len(coef)] {
			g[i] += coef[e] * m
		}
	}
}

package mrf

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// Hessian is the matrix Σ_j h_j a_j a_jᵀ + shift·I, restricted to some variables, the free ones. Assemble compacts it:
// of a large model only the potentials with curvature and two or more free variables cost anything in a product, and
// these are few near an optimum. Vectors have one component per free variable.
type Hessian struct {
	// Free lists the variables of the matrix, ascending.
	Free []int32
	// Diagonal is the matrix's.
	Diagonal []float64

	field *Field
	place []int32 // of each variable in Free, or -1
	lanes []compact
	few   bool     // so few entries that merging the lanes' products would cost more than it saves
	own   [][]bool // by block: potentials that the preconditioner inverts exactly, or nil; see chooseOwn
	pre   preconditioner
	// y and curve are the last Assemble's, for what there was no room to keep.
	y     []float64
	curve func(*Span)
	above *Active // the squared hinges of several variables that have curvature; nil if that is not known
}

// compact is a lane's part of the matrix, off the diagonal.
type compact struct {
	pairs   []pair
	rows    alikeRows
	own     compactRows
	shares  []float64 // per own row: how the preconditioner weighs it
	partial []float64 // of a product, or of the diagonal; zero in between
	members []int32   // scratch: one potential's free variables
	coefs   []float64
	kept    int  // the lane's first span of which nothing is kept but own rows and the diagonal
	full    bool // there is no room for more
}

// pair is an entry of the matrix and its mirror image.
type pair struct {
	i, k  int32
	value float64
}

// compactRows are potentials of several free variables: a term h·a aᵀ each.
type compactRows struct {
	h     []float64
	start []int32
	index []int32
	value []float64
}

func (r *compactRows) reset() {
	r.h, r.index, r.value = r.h[:0], r.index[:0], r.value[:0]
	r.start = append(r.start[:0], 0)
}

func (r *compactRows) add(h float64, index []int32, value []float64) {
	r.h = append(r.h, h)
	r.index = append(r.index, index...)
	r.value = append(r.value, value...)
	r.start = append(r.start, int32(len(r.index)))
}

// NewHessian makes an empty matrix for the field's model.
func (f *Field) NewHessian() *Hessian {
	return &Hessian{
		field: f, place: make([]int32, f.Model.Variables),
		lanes: make([]compact, len(f.lanes)), own: chooseOwn(f),
	}
}

// Assemble sets the matrix to the curvature of the potentials at y between the variables whose free is true. The curve
// replaces a span's slacks by h_j ≥ 0; (*Span).Curve is that of the energy itself. If the field's Room is bounded, y
// and what curve rests on must stay as they are while there are products. The diagonal may be added to before the first
// system is solved.
func (h *Hessian) Assemble(y []float64, free []bool, shift float64, curve func(*Span)) {
	h.AssembleActive(y, free, shift, curve, nil)
}

// AssembleActive is Assemble where it is known which squared hinges of several variables are above 0 at y, unless that
// is nil; the others have no curvature. It must stay as it is for as long as y.
func (h *Hessian) AssembleActive(y []float64, free []bool, shift float64, curve func(*Span), above *Active) {
	h.number(free)
	h.y, h.curve, h.above = y, curve, above
	f := h.field
	parallel.For(f.Threads, len(f.lanes), func(k int) {
		c, l := &h.lanes[k], &f.lanes[k]
		c.reset(len(h.Free))
		c.kept = l.hi
		h.visit(l, l.lo, func(s *Span) {
			if !c.full && f.Room > 0 && c.bytes() > f.Room/int64(len(f.lanes)) {
				c.full, c.kept = true, s.Number
			}
			h.compact(c, s)
		})
	})
	h.Diagonal = reuse.Len(h.Diagonal, len(h.Free))
	for i := range h.Diagonal {
		h.Diagonal[i] = shift
	}
	h.merge(h.Diagonal)
	h.few = h.Entries() < len(h.lanes)*len(h.Free)/2 && h.whole()
	h.pre.inverse = h.pre.inverse[:0] // Restrict's is that of another matrix
}

// visit calls each for a lane's spans from first on, with the curvatures in place of the slacks.
func (h *Hessian) visit(l *lane, first int, each func(*Span)) {
	var s Span
	for n := first; n < l.hi; n++ {
		if h.above != nil && h.field.spans[n].term.selects() {
			h.field.openActive(&s, n, h.y, []*Active{h.above}, l)
		} else {
			h.field.open(&s, n, h.y, l.slacks)
		}
		h.curve(&s)
		each(&s)
		l.trail.pass(h.field.spans[n])
	}
	l.trail.end()
}

// whole tells whether all entries are kept.
func (h *Hessian) whole() bool {
	return !slices.ContainsFunc(h.lanes, func(c compact) bool { return c.full })
}

// bytes is what the entries take that the room is for.
func (c *compact) bytes() int64 {
	return int64(len(c.pairs))*16 + int64(len(c.rows.h))*8 + int64(len(c.rows.index))*4 +
		int64(len(c.rows.runs))*12 + int64(len(c.rows.values))*8
}

// Entries counts the coefficients off the diagonal, which a product goes through.
func (h *Hessian) Entries() int {
	total := 0
	for k := range h.lanes {
		c := &h.lanes[k]
		total += 2*len(c.pairs) + len(c.rows.index) + len(c.own.index)
	}
	return total
}

// number lists the free variables. Which are free no processor foresees, so there is no branch to take.
func (h *Hessian) number(free []bool) {
	if cap(h.Free) < len(free) {
		h.Free = make([]int32, len(free))
	}
	list, n := h.Free[:len(free)], int32(0)
	for i, ok := range free {
		place, next := int32(-1), n
		if ok {
			place, next = n, n+1
		}
		h.place[i] = place
		list[n] = int32(i)
		n = next
	}
	h.Free = list[:n]
}

func (c *compact) reset(n int) {
	c.full = false
	c.pairs = c.pairs[:0]
	c.rows.reset()
	c.own.reset()
	c.partial = reuse.Len(c.partial, n)
	clear(c.partial)
}

// compact appends the span's potentials that have curvature.
func (h *Hessian) compact(c *compact, s *Span) {
	vars := &s.term.vars
	switch s.term.uniformArity() {
	case 1:
		h.compactSingles(c, s)
		return
	case 2:
		if !s.Block.Kind.Hard() {
			h.compactPairs(c, s)
			return
		}
	}
	own := h.own[s.Place]
	for j, curvature := range s.D {
		if curvature <= 0 {
			continue
		}
		c.members, c.coefs = c.members[:0], c.coefs[:0]
		at := s.At(j)
		for k, i := range vars.row(at) {
			if p := h.place[i]; p >= 0 {
				a := vars.coefficient(at, k)
				c.members, c.coefs = append(c.members, p), append(c.coefs, a)
				c.partial[p] += curvature * a * a
			}
		}
		switch m := c.members; {
		case len(m) < 2:
		case own != nil && own[at]:
			c.own.add(curvature, m, c.coefs)
		case c.full:
		case len(m) == 2:
			c.pairs = append(c.pairs, pair{m[0], m[1], curvature * c.coefs[0] * c.coefs[1]})
		default:
			c.rows.add(curvature, m, c.coefs)
		}
	}
}

// compactSingles is compact for potentials of one variable, which meet the diagonal only.
func (h *Hessian) compactSingles(c *compact, s *Span) {
	a := s.term.vars.coef[0]
	if r := &s.term.vars; r.run {
		for j, p := range h.place[int(r.first)+s.lo : int(r.first)+s.hi] {
			if p >= 0 {
				c.partial[p] += s.D[j] * a * a
			}
		}
		return
	}
	for j, i := range s.term.vars.index[s.lo:s.hi] {
		if p := h.place[i]; p >= 0 {
			c.partial[p] += s.D[j] * a * a
		}
	}
}

// compactPairs is compact for potentials of two variables that are not the preconditioner's own.
func (h *Hessian) compactPairs(c *compact, s *Span) {
	a0, a1 := s.term.vars.coef[0], s.term.vars.coef[1]
	for j, curvature := range s.D {
		if curvature <= 0 {
			continue
		}
		index := s.term.vars.row(s.At(j))
		p0, p1 := h.place[index[0]], h.place[index[1]]
		if p0 >= 0 {
			c.partial[p0] += curvature * a0 * a0
		}
		if p1 >= 0 {
			c.partial[p1] += curvature * a1 * a1
		}
		if p0 >= 0 && p1 >= 0 && !c.full {
			c.pairs = append(c.pairs, pair{p0, p1, curvature * a0 * a1})
		}
	}
}

// uniformArity is the number of variables of all the block's potentials, or 0 if they differ.
func (t *term) uniformArity() int { return len(t.vars.coef) }

// Mul sets out to the product of the matrix with v.
func (h *Hessian) Mul(v, out []float64) {
	if h.few {
		h.scale(v, out)
		for k := range h.lanes {
			h.lanes[k].addProduct(v, out)
		}
		return
	}
	parallel.For(h.field.Threads, len(h.lanes), func(k int) {
		h.lanes[k].addProduct(v, h.lanes[k].partial)
		h.addRest(k, v, h.lanes[k].partial)
	})
	h.scale(v, out)
	h.merge(out)
}

// addRest adds the product of what lane k did not keep with v.
func (h *Hessian) addRest(k int, v, out []float64) {
	if !h.lanes[k].full {
		return
	}
	h.visit(&h.field.lanes[k], h.lanes[k].kept, func(s *Span) {
		vars := &s.term.vars
		if s.term.uniformArity() == 1 {
			return
		}
		own := h.own[s.Place]
		for j, curvature := range s.D {
			if at := s.At(j); curvature > 0 && (own == nil || !own[at]) {
				h.addRow(vars, at, curvature, v, out)
			}
		}
	})
}

// addRow adds the product of one potential's part off the diagonal with v.
func (h *Hessian) addRow(vars *rows, j int, curvature float64, v, out []float64) {
	index, t := vars.row(j), 0.0
	for k, i := range index {
		if p := h.place[i]; p >= 0 {
			t += vars.coefficient(j, k) * v[p]
		}
	}
	for k, i := range index {
		if p := h.place[i]; p >= 0 {
			a := vars.coefficient(j, k)
			out[p] += curvature * a * (t - a*v[p])
		}
	}
}

// alone is the number of variables up to which a pass over vectors takes less than waking another processor for it.
const alone = 4 * parallel.Grain

// threads is how many goroutines go over vectors.
func (h *Hessian) threads() int {
	if len(h.Free) < alone {
		return 1
	}
	return h.field.Threads
}

func (h *Hessian) scale(v, out []float64) {
	parallel.Range(h.threads(), len(out), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = h.Diagonal[i] * v[i]
		}
	})
}

// merge adds the lanes' parts, in order, to out, and clears them.
func (h *Hessian) merge(out []float64) {
	parallel.Range(h.field.Threads, len(out), func(lo, hi int) {
		for k := range h.lanes {
			drain(out[lo:hi], h.lanes[k].partial[lo:hi])
		}
	})
}

// addProduct adds the product of the part off the diagonal with v.
func (c *compact) addProduct(v, out []float64) {
	for k := range c.pairs {
		p := &c.pairs[k]
		out[p.i] += p.value * v[p.k]
		out[p.k] += p.value * v[p.i]
	}
	c.rows.addProduct(v, out)
	c.own.addProduct(v, out)
}

func (r *compactRows) addProduct(v, out []float64) {
	for j, h := range r.h {
		index, value := r.row(j)
		addOuter(h, index, value, v, out)
	}
}

func (r *compactRows) row(j int) ([]int32, []float64) {
	lo, hi := r.start[j], r.start[j+1]
	return r.index[lo:hi], r.value[lo:hi]
}

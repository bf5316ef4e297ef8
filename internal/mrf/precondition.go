package mrf

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// preconditioner approximates a Hessian by its diagonal and, in full, its own rows: a set of potentials no two of which
// share a variable. Those are the sums ("the classes of a document sum to one") and the hard constraints, whose large
// weights would otherwise ruin the condition number. Each is inverted by the Sherman-Morrison formula.
type preconditioner struct {
	inverse []float64 // of the diagonal without the own rows' part; zero for fixed variables
}

// longRow is the arity from which a potential is taken for a sum.
const longRow = 4

// chooseOwn picks the preconditioner's own potentials greedily: hard ones first, then long ones. It returns them by
// block, nil for blocks without any.
func chooseOwn(f *Field) [][]bool {
	own := make([][]bool, len(f.terms))
	var candidates []*term
	for k := range f.terms {
		t := &f.terms[k]
		if t.Len > 0 && (t.Kind.Hard() || t.longest() >= longRow) {
			candidates = append(candidates, t)
		}
	}
	if candidates == nil {
		return own
	}
	slices.SortStableFunc(candidates, func(a, b *term) int {
		return cmp.Or(cmp.Compare(hardFirst(a), hardFirst(b)), cmp.Compare(b.longest(), a.longest()))
	})
	taken := make([]bool, f.Model.Variables)
	for _, t := range candidates {
		own[t.place] = make([]bool, t.Len)
		t.claim(own[t.place], taken)
		t.Release(0, t.Len)
	}
	return own
}

func hardFirst(t *term) int {
	if t.Kind.Hard() {
		return 0
	}
	return 1
}

// longest returns the largest number of variables in a potential.
func (t *term) longest() int {
	longest := t.uniformArity()
	for j := range t.Len {
		if t.vars.start == nil {
			break
		}
		longest = max(longest, len(t.vars.row(j)))
	}
	t.Release(0, t.Len)
	return longest
}

// claim marks as own the potentials with two or more variables, none of which is taken yet.
func (t *term) claim(own, taken []bool) {
	for j := range t.Len {
		vars := t.vars.row(j)
		if len(vars) < 2 || slices.ContainsFunc(vars, func(i int32) bool { return taken[i] }) {
			continue
		}
		own[j] = true
		for _, i := range vars {
			taken[i] = true
		}
	}
}

// tiny bounds the preconditioner's diagonal from below, relative to the matrix's, where the own rows are all there is.
const tiny = 1e-10

// Restrict narrows the preconditioner to the free variables that are not fixed: it then inverts the own part of that
// submatrix, and leaves zeros elsewhere. A nil argument means all free variables.
func (h *Hessian) Restrict(fixed []bool) {
	p := &h.pre
	p.inverse = reuse.Len(p.inverse, len(h.Diagonal))
	copy(p.inverse, h.Diagonal)
	for c := range h.lanes {
		own := &h.lanes[c].own
		for j, curvature := range own.h {
			index, value := own.row(j)
			for k, i := range index {
				p.inverse[i] -= curvature * value[k] * value[k]
			}
		}
	}
	for i, d := range h.Diagonal {
		switch rest := max(p.inverse[i], tiny*d); {
		case fixed != nil && fixed[i]:
			p.inverse[i] = 0
		case rest > 0:
			p.inverse[i] = 1 / rest
		default:
			p.inverse[i] = 1
		}
	}
	for c := range h.lanes {
		h.lanes[c].weighOwn(p.inverse)
	}
}

// weighOwn computes h / (1 + h aᵀD⁻¹a) of the own rows.
func (c *compact) weighOwn(inverse []float64) {
	c.shares = reuse.Len(c.shares, len(c.own.h))
	for j, h := range c.own.h {
		index, value := c.own.row(j)
		aDa := 0.0
		for k, i := range index {
			aDa += value[k] * value[k] * inverse[i]
		}
		c.shares[j] = h / (1 + h*aDa)
	}
}

// owns tells whether the matrix has own rows.
func (h *Hessian) owns() bool {
	return slices.ContainsFunc(h.lanes, func(c compact) bool { return len(c.own.h) > 0 })
}

// correct turns z = D⁻¹r into M⁻¹r, where M is the matrix's own part.
func (h *Hessian) correct(z []float64) {
	threads := h.field.Threads
	if h.few {
		threads = 1
	}
	parallel.For(threads, len(h.lanes), func(c int) { h.lanes[c].correct(h.pre.inverse, z) })
}

// correct turns z = D⁻¹r into (D + h·a aᵀ)⁻¹r for each own row, as (I - h D⁻¹a aᵀ / (1 + h aᵀD⁻¹a)) z.
func (c *compact) correct(inverse, z []float64) {
	for j, share := range c.shares {
		index, value := c.own.row(j)
		az := 0.0
		for k, i := range index {
			az += value[k] * z[i]
		}
		az *= share
		for k, i := range index {
			z[i] -= az * value[k] * inverse[i]
		}
	}
}

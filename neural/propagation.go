package neural

import (
	"cmp"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// Link ties two rows of a table of features, both ways alike.
type Link struct {
	A, B   int32
	Weight float32 // above 0
}

// Links are what a network's logits are propagated along: a symmetric matrix S over the rows of its features, with
// S_ij = w_ij / √(d_i·d_j), where a row is linked to itself with the weight 1 and d_i is the sum of row i's weights.
type Links struct {
	start []int // by row, into the others
	to    []int32
	share []float32
}

// NewLinks makes the links among so many rows. Links of a row to itself do not count; of several between two rows the
// heaviest does. Their order does not matter.
func NewLinks(rows int, links []Link) *Links {
	all := make([]Link, 0, rows+2*len(links))
	for i := range int32(rows) {
		all = append(all, Link{i, i, 1})
	}
	for _, l := range links {
		if l.A != l.B {
			all = append(all, l, Link{l.B, l.A, l.Weight})
		}
	}
	slices.SortFunc(all, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B), cmp.Compare(b.Weight, a.Weight))
	})
	all = slices.CompactFunc(all, func(a, b Link) bool { return a.A == b.A && a.B == b.B })
	s := &Links{start: make([]int, rows+1), to: make([]int32, len(all)), share: make([]float32, len(all))}
	weight := make([]float64, rows)
	for k, l := range all {
		s.start[l.A+1], s.to[k] = k+1, l.B
		weight[l.A] += float64(l.Weight)
	}
	for k, l := range all {
		s.share[k] = float32(float64(l.Weight) / math.Sqrt(weight[l.A]*weight[l.B]))
	}
	return s
}

func (s *Links) rows() int { return len(s.start) - 1 }

// propagation is personalised PageRank of a network's logits (Gasteiger, Bojchevski and Günnemann, 2019): from Z₀ = Z,
// so many times Z ← (1−α)·S·Z + α·Z₀. As S is symmetric, so is the whole, which is its own derivative.
type propagation struct {
	*Links
	steps   int
	restart float32 // α
	threads int
	shares  []float32 // (1−α)·S
	// first is α·Z₀; here and next are Z. Their rows are padded to whole registers.
	first, here, next []float32
}

// apply propagates the rows of a matrix [rows, width] in place. A nil propagation leaves it as it is.
func (p *propagation) apply(z []float32, width int) {
	if p == nil {
		return
	}
	padded := (width + kernel.Lanes - 1) / kernel.Lanes * kernel.Lanes
	p.prepare(padded)
	each := func(rows func(i int)) {
		eachChunk(p.threads, p.rows(), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				rows(i)
			}
		})
	}
	each(func(i int) {
		copy(row(p.here, i, padded), row(z, i, width))
		first := row(p.first, i, padded)[:width]
		clear(first)
		kernel.AddMultiple(first, row(z, i, width), p.restart)
	})
	for range p.steps {
		each(func(i int) {
			out := row(p.next, i, padded)
			copy(out, row(p.first, i, padded))
			kernel.AddRows(out, p.here, p.to[p.start[i]:p.start[i+1]], p.shares[p.start[i]:p.start[i+1]])
		})
		p.here, p.next = p.next, p.here
	}
	each(func(i int) { copy(row(z, i, width), row(p.here, i, padded)) })
}

// prepare makes the memory for rows of a padded width.
func (p *propagation) prepare(padded int) {
	if len(p.shares) != len(p.share) {
		p.shares = make([]float32, len(p.share))
		for k, share := range p.share {
			p.shares[k] = (1 - p.restart) * share
		}
	}
	if n := p.rows() * padded; len(p.here) != n {
		p.first, p.here, p.next = make([]float32, n), make([]float32, n), make([]float32, n)
	}
}

package presolve

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// builder makes the smaller model. Its blocks are those of the original that have not changed, and else one for each
// pattern of coefficients that is left. Constants that are not a pattern's own are inputs, which are not rounded.
type builder struct {
	*Reduction
	merge    bool
	model    *mrf.Model
	x        []float64
	next     int     // number of the next potential
	constant float64 // energy of potentials that have no variable any more
	exact    bool    // so far, nothing was rounded or left out
}

// build makes the reduction; nil if it cannot be exact, or if it is time to stop.
func build(field *mrf.Field, d *decisions, merge bool) *Reduction {
	m := field.Model
	b := &builder{
		Reduction: &Reduction{original: field, decisions: d, parts: make([]part, len(m.Blocks))},
		merge:     merge, exact: true, x: slices.Clone(field.Inputs()),
		model: &mrf.Model{Variables: m.Variables, Rules: m.Rules + 1},
	}
	for k, block := range m.Blocks {
		b.add(k, block)
	}
	if !b.exact {
		return nil
	}
	theta := append(slices.Clone(field.Weights()), math.Abs(b.constant))
	b.addConstant()
	b.model.Inputs = len(b.x)
	b.Field = mrf.NewFieldOn(b.model, field.Threads)
	b.Field.SetWeights(theta)
	b.Field.SetInputs(b.x)
	b.Field.SetUnit(field.Unit(), field.Grain())
	b.count()
	return b.Reduction
}

// add adds what is left of a block.
func (b *builder) add(k int, block *mrf.Block) {
	p := &b.parts[k]
	p.first, p.same, p.size = b.first[k], b.next, block.Len
	if b.survey.touched[k] == 0 && !b.merge {
		b.model.Blocks = append(b.model.Blocks, block)
		b.next += block.Len
		return
	}
	groups := b.regroup(k, block)
	if b.exact = b.exact && !b.stop(); !b.exact {
		return
	}
	p.places = groups.places
	b.settle(groups, p.places)
	p.size = b.next - p.same
}

// addConstant adds a potential for what is constant, so that gaps stay relative to the same energy.
func (b *builder) addConstant() {
	rest := &mrf.Block{Rule: b.model.Rules - 1, Kind: mrf.Hinge, Exponent: 2, Len: 1, Constant: 1}
	if b.constant < 0 {
		rest.Kind, rest.Constant = mrf.Linear, -1
	}
	b.model.Blocks = append(b.model.Blocks, rest)
}

// regroup sorts the block's potentials by what is left of them.
func (b *builder) regroup(k int, block *mrf.Block) *groups {
	g := &groups{block: block, places: make([]int32, block.Len), of: make([]uint8, block.Len), merge: b.merge,
		plain: !block.Varies() && len(block.Inputs) == 0, exact: true}
	for _, p := range pieces(b.original.Model, func(other *mrf.Block) bool { return other == block }) {
		if p.k != k {
			continue // the same block, at another place
		}
		b.rows(p, func(j int, w float64, r *row) {
			if !b.isImplied(k, j) && !b.idle(r, block, w) {
				g.add(j, r)
				return
			}
			g.places[j] = gone
			if len(r.vars) == 0 {
				value, _ := block.Potential(r.constant)
				b.constant += w * value
			}
			b.exact = b.exact && !r.broken(block)
		})
	}
	return g
}

// settle makes blocks of the groups, and the places within groups places among all.
func (b *builder) settle(g *groups, places []int32) {
	starts := make([]int32, len(g.all))
	for k, group := range g.all {
		starts[k] = int32(b.next)
		b.next += group.out.Len
		b.model.Blocks = append(b.model.Blocks, group.finish(len(b.x)))
		b.x = append(b.x, group.constants...)
	}
	for j, at := range places {
		if at != gone {
			places[j] = starts[g.of[j]] + at
		}
	}
	b.exact = b.exact && g.exact
}

// count sets the counts.
func (b *builder) count() {
	b.Fixed = b.decided
	b.Tied = len(b.ties) + len(b.scatter)
	for i := range b.parent {
		if root := b.root(int32(i)); int(root) != i && b.fixed[root] {
			b.Fixed, b.Tied = b.Fixed+1, b.Tied-1
		}
	}
	b.Dropped = b.survey.gone
	b.Merged = b.original.Model.Potentials() - b.Dropped - b.next
}

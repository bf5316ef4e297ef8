package presolve

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// groups are the potentials of one block while they are sorted by their coefficients.
type groups struct {
	block *mrf.Block
	all   []*group
	// places and of are where each potential went: a place in a group.
	places []int32
	of     []uint8
	merge  bool
	// plain tells that the constants are few, so that they belong to the pattern.
	plain bool
	exact bool
}

// group holds the potentials of one pattern.
type group struct {
	out       *mrf.Block
	coef      []float64 // nil for the last group, whose rows are ragged
	constant  float64   // of all of them, if constants is not kept
	own       bool      // each has a constant of its own
	constants []float64
	seen      table // its potentials, if they are merged
}

// patterns bounds the number of groups; what fits in none is ragged.
const patterns = 32

// add puts potential j, which r is left of, into its group.
func (g *groups) add(j int, r *row) {
	k := g.find(r)
	g.of[j] = uint8(k)
	group := g.all[k]
	scale := float32(1)
	if g.block.Scale != nil {
		scale = g.block.Scale[j]
	}
	if g.merge {
		at, found := group.seen.find(r.hash(), int32(group.out.Len), func(at int32) bool {
			return group.equal(int(at), r) && group.heavier(int(at), scale)
		})
		if found {
			g.places[j] = at
			return
		}
	}
	g.places[j] = int32(group.out.Len)
	g.exact = group.append(r, scale) && g.exact
}

// find returns the number of the row's group.
func (g *groups) find(r *row) int {
	for k, group := range g.all {
		if group.coef == nil || slices.Equal(group.coef, r.coef) && (group.own || group.constant == r.constant) {
			return k
		}
	}
	next := &group{out: &mrf.Block{Rule: g.block.Rule, Kind: g.block.Kind, Exponent: g.block.Exponent},
		own: true}
	if len(g.all) < patterns {
		next.coef = slices.Clone(r.coef)
		next.own, next.constant = !g.plain, r.constant
	}
	next.out.Vars = make([]int32, 0, max(len(g.block.Vars), g.block.Len)/(len(g.all)+1))
	g.all = append(g.all, next)
	return len(g.all) - 1
}

// append adds a potential, and tells whether the group has room for it.
func (g *group) append(r *row, scale float32) bool {
	b := g.out
	b.Vars = append(b.Vars, r.vars...)
	if b.Scale != nil || scale != 1 {
		g.weigh()
		b.Scale = append(b.Scale, scale)
	}
	b.Len++
	if g.own {
		g.constants = append(g.constants, r.constant)
	}
	if g.coef != nil {
		return true
	}
	if b.VarStart == nil {
		b.VarStart = []int32{0}
	}
	for _, a := range r.coef {
		b.VarCoef.Append(a)
	}
	b.VarStart = append(b.VarStart, int32(len(b.Vars)))
	return len(b.Vars) <= math.MaxInt32
}

// equal tells whether the potential at a place is what r is.
func (g *group) equal(at int, r *row) bool {
	if g.own && g.constants[at] != r.constant {
		return false
	}
	if g.coef != nil {
		return slices.Equal(g.out.Vars[at*len(g.coef):(at+1)*len(g.coef)], r.vars)
	}
	var buffer mrf.RowBuffer
	vars, coef := g.out.Row(at, &buffer)
	return slices.Equal(vars, r.vars) && slices.Equal(coef, r.coef)
}

// heavier adds to the weight of the potential at a place, unless the sum would be rounded.
func (g *group) heavier(at int, scale float32) bool {
	if g.out.Kind.Hard() {
		return true
	}
	g.weigh()
	sum := float64(g.out.Scale[at]) + float64(scale)
	if float64(float32(sum)) != sum {
		return false
	}
	g.out.Scale[at] = float32(sum)
	return true
}

// weigh writes down the scales, which are 1 so far.
func (g *group) weigh() {
	for len(g.out.Scale) < g.out.Len {
		g.out.Scale = append(g.out.Scale, 1)
	}
}

// finish returns the block, whose constants are the inputs from the given number on.
func (g *group) finish(firstInput int) *mrf.Block {
	b := g.out
	b.Coef = g.coef
	b.Compact()
	if !g.own {
		b.Constant = g.constant
		return b
	}
	b.Inputs = make([]int32, b.Len)
	for j := range b.Inputs {
		b.Inputs[j] = int32(firstInput + j)
	}
	if g.coef != nil {
		b.InputCoef = []float64{1}
		return b
	}
	b.InputStart = make([]int32, b.Len+1)
	for j := range b.Inputs {
		b.InputValue.Append(1)
		b.InputStart[j+1] = int32(j + 1)
	}
	return b
}

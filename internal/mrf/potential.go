package mrf

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Potential is a ground rule by itself, in numbers: Block has them side by side.
type Potential struct {
	Rule            int
	Kind            Kind
	Exponent        int
	Vars, Inputs    []int32
	Coef, InputCoef []float64
	Constant, Scale float64
}

// At returns potential j of the block by itself: it shares no memory with the block.
func (b *Block) At(j int) Potential {
	vars, coef := b.Row(j, new(RowBuffer))
	p := Potential{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Vars: slices.Clone(vars), Coef: slices.Clone(coef),
		Inputs: slices.Clone(b.InputRow(j)), Constant: b.Constant + b.Own(j), Scale: b.Factor(j)}
	for k := range p.Inputs {
		p.InputCoef = append(p.InputCoef, b.InputCoefficient(j, k))
	}
	return p
}

// Compare orders potentials; 0 means that they are the same to the last bit.
func (p *Potential) Compare(q *Potential) int {
	return cmp.Or(p.CompareShape(q), slices.Compare(p.Vars, q.Vars), slices.Compare(p.Inputs, q.Inputs),
		slices.Compare(p.Coef, q.Coef), slices.Compare(p.InputCoef, q.InputCoef), cmp.Compare(p.Constant, q.Constant),
		cmp.Compare(p.Scale, q.Scale))
}

// CompareShape orders potentials by what those of one block of AppendPotential share.
func (p *Potential) CompareShape(q *Potential) int {
	return cmp.Or(cmp.Compare(p.Rule, q.Rule), cmp.Compare(p.Kind, q.Kind), cmp.Compare(p.Exponent, q.Exponent),
		cmp.Compare(p.scaled(), q.scaled()))
}

// scaled is 1 where the weight has a factor of its own.
func (p *Potential) scaled() int {
	if p.Scale != 1 {
		return 1
	}
	return 0
}

// AppendPotential adds a potential to the last block, if that was made by AppendPotential too and has its rule and
// kind, or to a new one.
func (m *Model) AppendPotential(p *Potential) {
	var b *Block
	if n := len(m.Blocks); n > 0 && m.Blocks[n-1].takes(p) {
		b = m.Blocks[n-1]
	} else {
		b = &Block{Rule: p.Rule, Kind: p.Kind, Exponent: p.Exponent, VarStart: []int32{0}, InputStart: []int32{0},
			Bias64: []float64{}}
		m.Blocks = append(m.Blocks, b)
	}
	b.Len++
	b.Vars, b.Inputs = append(b.Vars, p.Vars...), append(b.Inputs, p.Inputs...)
	for _, a := range p.Coef {
		b.VarCoef.Append(a)
	}
	for _, a := range p.InputCoef {
		b.InputValue.Append(a)
	}
	b.endRow()
	b.Bias64 = append(b.Bias64, p.Constant)
	if p.Scale != 1 {
		b.Scale = append(b.Scale, float32(p.Scale))
	}
}

// takes tells whether AppendPotential may put a potential into the block.
func (b *Block) takes(p *Potential) bool {
	return b.VarStart != nil && b.Bias64 != nil && b.Constant == 0 && b.Rule == p.Rule && b.Kind == p.Kind &&
		b.Exponent == p.Exponent && (b.Scale != nil) == (p.Scale != 1)
}

// Renumbered returns the block with other numbers for its variables and inputs, by their old ones; nil leaves the
// inputs as they are.
func (b *Block) Renumbered(variables, inputs []int32, threads int) *Block {
	out, from := *b, b.Numbers()
	out.Vars = make([]int32, len(from))
	parallel.Range(threads, len(from), func(lo, hi int) {
		for k, i := range from[lo:hi] {
			out.Vars[lo+k] = variables[i]
		}
	})
	if inputs != nil {
		out.Inputs = slices.Clone(b.Inputs)
		for k, i := range b.Inputs {
			out.Inputs[k] = inputs[i]
		}
	}
	out.Compact()
	return &out
}

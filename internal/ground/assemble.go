package ground

import (
	"math"
	"slices"
	"unsafe"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/program"
)

// assemble joins the pieces' batches, in the order of the pieces, into blocks of exact size.
func assemble(r *routine, parts [][]*batch, threads int) (blocks []*mrf.Block) {
	for _, shape := range shapes(parts) {
		for _, group := range groups(parts, shape) {
			a := assembly{routine: r, parts: group, block: r.block()}
			a.join(threads)
			blocks = append(blocks, a.block)
		}
	}
	return blocks
}

// shapes returns one batch of each shape, in order.
func shapes(parts [][]*batch) (all []*batch) {
	for _, part := range parts {
		for _, b := range part {
			at, found := slices.BinarySearchFunc(all, b, compareShapes)
			if !found {
				all = slices.Insert(all, at, b)
			}
		}
	}
	return all
}

// groups lists the batches of one shape, divided so that the offsets of a ragged block fit 32 bits.
func groups(parts [][]*batch, shape *batch) (all [][]*batch) {
	total := int64(math.MaxInt64)
	for _, part := range parts {
		for _, b := range part {
			if compareShapes(b, shape) != 0 {
				continue
			}
			size := int64(max(len(b.vars), len(b.inputs), b.len))
			if total += size; total > math.MaxInt32 || total < 0 {
				all, total = append(all, nil), size
			}
			all[len(all)-1] = append(all[len(all)-1], b)
		}
	}
	return all
}

// block returns an empty block for the routine's rule.
func (r *routine) block() *mrf.Block {
	b := &mrf.Block{Rule: r.rule.Index, Exponent: r.rule.Exponent, Constant: r.constant}
	switch {
	case r.rule.Weight.Hard && r.rule.Comparator == program.Equal:
		b.Kind = mrf.Equal
	case r.rule.Weight.Hard:
		b.Kind = mrf.LessEqual
	default:
		b.Kind = [...]mrf.Kind{
			program.Hinge: mrf.Hinge, program.Absolute: mrf.Absolute, program.Linear: mrf.Linear,
		}[r.rule.Form]
	}
	return b
}

// assembly is one block in the making.
type assembly struct {
	*routine
	parts []*batch
	block *mrf.Block
	// Where each part begins: in potentials, variables and inputs.
	at []offset
}

// offset is a place in the arrays of a block.
type offset struct{ potentials, vars, inputs int }

// join copies all parts into the block.
func (a *assembly) join(threads int) {
	var end offset
	for _, p := range a.parts {
		a.at = append(a.at, end)
		end.potentials += p.len
		end.vars += len(p.vars)
		end.inputs += len(p.inputs)
	}
	a.allocate(end)
	parallel.For(threads, len(a.parts), a.copyPart)
	if a.parts[0].ragged {
		a.block.VarStart[end.potentials], a.block.InputStart[end.potentials] = int32(end.vars), int32(end.inputs)
		a.regularise()
	}
	a.block.Compact()
}

// allocate makes the block's arrays. A bias that is the same for all goes into the constant, and costs nothing.
func (a *assembly) allocate(end offset) {
	b, shape := a.block, a.parts[0]
	b.Len = end.potentials
	b.Coef, b.InputCoef = shape.coef, shape.inputCoef
	b.Vars, b.Inputs = make([]int32, end.vars), make([]int32, end.inputs)
	if shape.ragged {
		b.VarStart, b.InputStart = make([]int32, end.potentials+1), make([]int32, end.potentials+1)
		double := func(side func(*batch) *mrf.Reals) bool {
			return slices.ContainsFunc(a.parts, func(p *batch) bool { return side(p).Double != nil })
		}
		b.VarCoef = mrf.NewReals(end.vars, double(func(p *batch) *mrf.Reals { return &p.varCoef }))
		b.InputValue = mrf.NewReals(end.inputs, double(func(p *batch) *mrf.Reals { return &p.inputValue }))
	}
	switch {
	case a.sameBias():
		b.Constant += shape.firstBias
	case slices.ContainsFunc(a.parts, (*batch).precise):
		b.Bias64 = make([]float64, end.potentials)
	default:
		b.Bias = make([]float32, end.potentials)
	}
	if shape.weighted {
		b.Scale = make([]float32, end.potentials)
	}
}

// sameBias tells whether the observed atoms add the same to every potential.
func (a *assembly) sameBias() bool {
	differs := func(p *batch) bool { return !p.sameBias || p.firstBias != a.parts[0].firstBias }
	return !slices.ContainsFunc(a.parts, differs)
}

// copyPart copies part k to its places, and lets go of it.
func (a *assembly) copyPart(k int) {
	b, p, at := a.block, a.parts[k], a.at[k]
	copy(b.Vars[at.vars:], p.vars)
	copy(b.Inputs[at.inputs:], p.inputs)
	p.copyBias(b, at.potentials)
	if b.Scale != nil {
		copy(b.Scale[at.potentials:], p.scale)
	}
	if p.ragged {
		b.VarCoef.Copy(at.vars, &p.varCoef)
		b.InputValue.Copy(at.inputs, &p.inputValue)
		starts(b.VarStart[at.potentials:], p.varEnd, at.vars)
		starts(b.InputStart[at.potentials:], p.inputEnd, at.inputs)
	}
	p.release()
}

// copyBias copies the biases to a place of a block, if that has any.
func (p *batch) copyBias(b *mrf.Block, at int) {
	switch {
	case b.Bias != nil && p.sameBias:
		fill(b.Bias[at:at+p.len], float32(p.firstBias))
	case b.Bias != nil:
		copy(b.Bias[at:], p.bias)
	case b.Bias64 != nil && p.sameBias:
		fill(b.Bias64[at:at+p.len], p.firstBias)
	case b.Bias64 != nil:
		copy(b.Bias64[at:], p.bias64)
		for j, v := range p.bias { // of a part that is not fine
			b.Bias64[at+j] = float64(v)
		}
	}
}

// starts turns the ends within a part into the starts within the block.
func starts(out, ends []int32, base int) {
	start := int32(base)
	for j, end := range ends {
		out[j] = start
		start = int32(base) + end
	}
}

// regularise makes a ragged block uniform if all its potentials have one coefficient pattern, as the classes' sums to 1
// have: half the memory, and simpler loops in the solvers.
func (a *assembly) regularise() {
	b, first := a.block, a.parts[0]
	for _, p := range a.parts {
		if !p.regular || !slices.Equal(p.pattern, first.pattern) || !slices.Equal(p.inputPattern, first.inputPattern) {
			return
		}
	}
	b.Coef, b.InputCoef = first.pattern, first.inputPattern
	b.VarStart, b.VarCoef, b.InputStart, b.InputValue = nil, mrf.Reals{}, nil, mrf.Reals{}
}

// size returns the bytes of an array's elements.
func size[T any](values []T) int64 {
	var zero T
	return int64(len(values)) * int64(unsafe.Sizeof(zero))
}

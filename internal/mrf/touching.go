package mrf

import "slices"

// Touching returns the model of those potentials that have at least one of the given variables, with the numbers of
// variables, inputs and rules unchanged. What depends on a difference of two points that agree in all other variables,
// such as the paper's convex difference, is the same in both models.
func (m *Model) Touching(variables []int32) *Model {
	chosen := make([]bool, m.Variables)
	for _, i := range variables {
		chosen[i] = true
	}
	part := &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules}
	for _, b := range m.Blocks {
		if kept := b.touching(chosen); len(kept) > 0 {
			part.Blocks = append(part.Blocks, b.pick(runs(kept)))
		}
	}
	return part
}

// Only returns the model of the potentials at these places among all, which ascend, with the numbers of variables,
// inputs and rules unchanged.
func (m *Model) Only(places []int) *Model {
	part := &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules}
	first := 0
	for _, b := range m.Blocks {
		var kept []int32
		for len(places) > 0 && places[0] < first+b.Len {
			kept, places = append(kept, int32(places[0]-first)), places[1:]
		}
		if len(kept) > 0 {
			part.Blocks = append(part.Blocks, b.pick(runs(kept)))
		}
		first += b.Len
	}
	return part
}

// touching lists the block's potentials that have a chosen variable.
func (b *Block) touching(chosen []bool) []int32 {
	var kept []int32
	vars := b.variableRows()
	for j := range b.Len {
		for _, i := range vars.row(j) {
			if chosen[i] {
				kept = append(kept, int32(j))
				break
			}
		}
	}
	return kept
}

// runs are the places that are listed, in ascending order, those together that follow one another.
func runs(places []int32) (all []extent) {
	for len(places) > 0 {
		n := 1
		for n < len(places) && places[n] == places[0]+int32(n) {
			n++
		}
		all = append(all, extent{int(places[0]), int(places[0]) + n})
		places = places[n:]
	}
	return all
}

// pick returns a block of some of the potentials, which ascend.
func (b *Block) pick(kept []extent) *Block {
	part := &Block{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Coef: b.Coef, InputCoef: b.InputCoef,
		Constant: b.Constant}
	for _, at := range kept {
		part.Len += at.hi - at.lo
	}
	if b.VarStart != nil {
		part.VarStart, part.InputStart = append(make([]int32, 0, part.Len+1), 0), append(make([]int32, 0, part.Len+1), 0)
	} else {
		part.Vars = slices.Grow(part.Vars, part.Len*len(b.Coef))
	}
	for _, at := range kept {
		part.appendRows(b, int32(at.lo), int32(at.hi))
	}
	return part
}

// appendRows appends the potentials from lo to hi of a block of the same kind, but for their number.
func (b *Block) appendRows(from *Block, lo, hi int32) {
	switch {
	case from.VarStart != nil:
		b.appendStarts(from, lo, hi)
		b.VarCoef.AppendRange(&from.VarCoef, from.VarStart[lo], from.VarStart[hi])
		b.Vars = append(b.Vars, from.Vars[from.VarStart[lo]:from.VarStart[hi]]...)
		b.InputValue.AppendRange(&from.InputValue, from.InputStart[lo], from.InputStart[hi])
		b.Inputs = append(b.Inputs, from.Inputs[from.InputStart[lo]:from.InputStart[hi]]...)
	case from.Vars == nil: // a run
		for j := lo; j < hi; j++ {
			b.Vars = append(b.Vars, from.Variables(int(j))...)
		}
	default:
		b.Vars = append(b.Vars, from.Vars[int(lo)*len(from.Coef):int(hi)*len(from.Coef)]...)
	}
	if n := len(from.InputCoef); from.VarStart == nil {
		b.Inputs = append(b.Inputs, from.Inputs[int(lo)*n:int(hi)*n]...)
	}
	if from.Bias != nil {
		b.Bias = append(b.Bias, from.Bias[lo:hi]...)
	}
	if from.Bias64 != nil {
		b.Bias64 = append(b.Bias64, from.Bias64[lo:hi]...)
	}
	if from.Scale != nil {
		b.Scale = append(b.Scale, from.Scale[lo:hi]...)
	}
}

// appendStarts ends rows where those of another block end.
func (b *Block) appendStarts(from *Block, lo, hi int32) {
	vars, inputs := b.VarStart[len(b.VarStart)-1], b.InputStart[len(b.InputStart)-1]
	for j := lo + 1; j <= hi; j++ {
		b.VarStart = append(b.VarStart, vars+from.VarStart[j]-from.VarStart[lo])
		b.InputStart = append(b.InputStart, inputs+from.InputStart[j]-from.InputStart[lo])
	}
}

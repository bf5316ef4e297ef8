package mrf

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
			part.Blocks = append(part.Blocks, b.pick(kept))
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
			part.Blocks = append(part.Blocks, b.pick(kept))
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

// pick returns a block of some of the potentials.
func (b *Block) pick(kept []int32) *Block {
	part := &Block{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Len: len(kept), Coef: b.Coef, InputCoef: b.InputCoef,
		Constant: b.Constant}
	ragged := b.VarStart != nil
	if ragged {
		part.VarStart, part.InputStart = []int32{0}, []int32{0}
	}
	for _, j := range kept {
		if ragged {
			part.VarCoef.AppendRange(&b.VarCoef, b.VarStart[j], b.VarStart[j+1])
			part.Vars = append(part.Vars, b.Vars[b.VarStart[j]:b.VarStart[j+1]]...)
			part.InputValue.AppendRange(&b.InputValue, b.InputStart[j], b.InputStart[j+1])
			part.Inputs = append(part.Inputs, b.Inputs[b.InputStart[j]:b.InputStart[j+1]]...)
			part.endRow()
		} else {
			part.Vars = append(part.Vars, b.Variables(int(j))...)
			part.Inputs = append(part.Inputs, b.Inputs[int(j)*len(b.InputCoef):][:len(b.InputCoef)]...)
		}
		if b.Bias != nil {
			part.Bias = append(part.Bias, b.Bias[j])
		}
		if b.Bias64 != nil {
			part.Bias64 = append(part.Bias64, b.Bias64[j])
		}
		if b.Scale != nil {
			part.Scale = append(part.Scale, b.Scale[j])
		}
	}
	return part
}

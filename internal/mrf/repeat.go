package mrf

import "slices"

// Part is so many examples of one shape.
type Part struct {
	Model *Model
	Times int
	// Inputs are the numbers that the model's inputs have among those of an example; nil if they are their own.
	Inputs []int32
}

// Beside returns the model of examples side by side, each of which has so many variables and inputs, though not every
// shape need have potentials about all: variable i and input k of example e have the numbers e·variables + i and
// e·inputs + k. The rules, and so their weights, are shared. The blocks of one part
// come after those of the part before, and potential j of a part's e-th example is number e·Len + j of its block.
func Beside(variables, inputs int, parts ...Part) *Model {
	many, first := new(Model), 0
	for _, part := range parts {
		many.Rules = part.Model.Rules
		for _, b := range part.Model.Blocks {
			many.Blocks = append(many.Blocks, part.repeat(b, first, variables, inputs))
		}
		first += part.Times
	}
	many.Variables, many.Inputs = first*variables, first*inputs
	return many
}

// repeat returns a block for the examples of a part, the first of which has that number among all.
func (p *Part) repeat(b *Block, first, variables, inputs int) *Block {
	n, renamed := p.Times, b.Inputs
	if p.Inputs != nil {
		renamed = make([]int32, len(b.Inputs))
		for k, i := range b.Inputs {
			renamed[k] = p.Inputs[i]
		}
	}
	return &Block{
		Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Len: n * b.Len, Coef: b.Coef, InputCoef: b.InputCoef,
		Constant: b.Constant, Bias64: repeated(b.Bias64, n), Bias: repeated(b.Bias, n), Scale: repeated(b.Scale, n),
		VarCoef: b.VarCoef.repeat(n), InputValue: b.InputValue.repeat(n),
		Vars:     repeatNumbers(b.Numbers(), first, n, variables),
		Inputs:   repeatNumbers(renamed, first, n, inputs),
		VarStart: repeatStarts(b.VarStart, n), InputStart: repeatStarts(b.InputStart, n),
	}
}

// repeatNumbers repeats ids for n examples from the first on, each time further by stride.
func repeatNumbers(ids []int32, first, n, stride int) []int32 {
	out := make([]int32, 0, n*len(ids))
	for e := first; e < first+n; e++ {
		for _, i := range ids {
			out = append(out, i+int32(e*stride))
		}
	}
	return out
}

// repeatStarts repeats the row starts of a compressed matrix; nil stays nil.
func repeatStarts(starts []int32, n int) []int32 {
	if starts == nil {
		return nil
	}
	out := make([]int32, 1, n*(len(starts)-1)+1)
	for range n {
		last := out[len(out)-1]
		for _, s := range starts[1:] {
			out = append(out, last+s)
		}
	}
	return out
}

// Observe returns the model in which some variables are inputs, after the ones that there are: variables[k] becomes
// input Inputs + k. It is Clamp for values that change from one solution to the next, as the labels of batches do. All
// other numbers stay; a constraint all of whose variables are observed becomes 0 ≤ 0.
func (m *Model) Observe(variables []int32) *Model {
	chosen, input := make([]bool, m.Variables), make([]int32, m.Variables)
	for k, i := range variables {
		chosen[i], input[i] = true, int32(m.Inputs+k)
	}
	observed := m.changed(chosen, func(b *Block) *Block { return b.observe(chosen, input) })
	observed.Inputs += len(variables)
	return observed
}

// observe moves the chosen variables to the inputs. The result is ragged: the potentials of a pattern do not all lose
// the same variables.
func (b *Block) observe(chosen []bool, input []int32) *Block {
	part := &Block{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Len: b.Len, Scale: b.Scale, Constant: b.Constant,
		Bias: slices.Clone(b.Bias), Bias64: slices.Clone(b.Bias64), VarStart: make([]int32, 1, b.Len+1),
		InputStart: make([]int32, 1, b.Len+1)}
	vars, inputs := b.variableRows(), b.inputRows()
	for j := range b.Len {
		part.appendInputs(&inputs, j)
		for k, i := range vars.row(j) {
			if a := vars.coefficient(j, k); chosen[i] {
				part.Inputs = append(part.Inputs, input[i])
				part.InputValue.Append(a)
			} else {
				part.Vars = append(part.Vars, i)
				part.VarCoef.Append(a)
			}
		}
		if b.Kind.Hard() && len(part.Vars) == int(part.VarStart[j]) {
			part.settle(j)
		}
		part.endRow()
	}
	return part
}

// settle makes the row j, the last so far, a constraint 0 ≤ 0.
func (b *Block) settle(j int) {
	b.Inputs = b.Inputs[:b.InputStart[j]]
	b.InputValue.truncate(b.InputStart[j])
	if b.Bias64 == nil { // single precision could leave a rest
		b.Bias64 = make([]float64, b.Len)
		for k := range b.Bias64 {
			b.Bias64[k] = b.Own(k)
		}
		b.Bias = nil
	}
	b.Bias64[j] = -b.Constant
}

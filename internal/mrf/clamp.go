package mrf

import (
	"math"
	"slices"
)

// Clamp returns the model in which some variables are constants with the given values. All numbers stay: the clamped
// variables are in no potential of the result, and its potentials and constraints are those of m, in the same order, so
// multipliers and slacks of one belong to the same ground rules in the other. Blocks without a clamped variable are
// shared. A constraint all of whose variables are clamped can no longer be kept or broken; it becomes 0 ≤ 0.
func (m *Model) Clamp(variables []int32, values []float64) *Model {
	mustLen("clamped values", len(values), len(variables))
	at := make([]float64, m.Variables)
	chosen := make([]bool, m.Variables)
	for k, i := range variables {
		at[i], chosen[i] = values[k], true
	}
	return m.changed(chosen, func(b *Block) *Block { return b.clamp(chosen, at) })
}

// Joins tells whether a potential has some of the variables and others.
func (m *Model) Joins(variables []int32) bool {
	chosen := make([]bool, m.Variables)
	for _, i := range variables {
		chosen[i] = true
	}
	for _, b := range m.Blocks {
		vars := b.variableRows()
		for j := range b.Len {
			some := 0
			row := vars.row(j)
			for _, i := range row {
				if chosen[i] {
					some++
				}
			}
			if some > 0 && some < len(row) {
				return true
			}
		}
	}
	return false
}

// changed returns the model with other blocks in the place of those that have a chosen variable, and shares the rest.
func (m *Model) changed(chosen []bool, change func(*Block) *Block) *Model {
	out := &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules, Blocks: slices.Clone(m.Blocks)}
	for k, b := range m.Blocks {
		if len(b.touching(chosen)) > 0 {
			out.Blocks[k] = change(b)
		}
	}
	return out
}

// clamp moves the chosen variables' part of every slack into its bias. The result is ragged: the potentials of a
// pattern do not all lose the same variables.
func (b *Block) clamp(chosen []bool, at []float64) *Block {
	part := &Block{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Len: b.Len, Scale: b.Scale,
		Bias64: make([]float64, b.Len), VarStart: make([]int32, 1, b.Len+1), InputStart: make([]int32, 1, b.Len+1)}
	vars, inputs := b.variableRows(), b.inputRows()
	for j := range b.Len {
		slack := b.Constant + b.Own(j)
		for k, i := range vars.row(j) {
			if chosen[i] {
				slack += vars.coefficient(j, k) * at[i]
				continue
			}
			part.Vars = append(part.Vars, i)
			part.VarCoef.Append(vars.coefficient(j, k))
		}
		settled := b.Kind.Hard() && len(part.Vars) == int(part.VarStart[j])
		if settled {
			slack = 0
		} else {
			part.appendInputs(&inputs, j)
		}
		part.Bias64[j] = slack
		part.endRow()
	}
	part.narrow()
	return part
}

// endRow ends a potential of a ragged block, whose variables and inputs are all there.
func (b *Block) endRow() {
	b.VarStart = append(b.VarStart, int32(len(b.Vars)))
	b.InputStart = append(b.InputStart, int32(len(b.Inputs)))
}

// appendInputs copies row j of another block's inputs.
func (b *Block) appendInputs(inputs *rows, j int) {
	for k, i := range inputs.row(j) {
		b.Inputs = append(b.Inputs, i)
		b.InputValue.Append(inputs.coefficient(j, k))
	}
}

// Potential returns φ(d) of the block's potentials, without their weight, and its derivative; at kinks the derivative
// is that from the flat side. Constraints have 0.
func (b *Block) Potential(d float64) (value, slope float64) {
	sign := 1.0
	switch {
	case b.Kind.Hard(), b.Kind == Hinge && d <= 0:
		return 0, 0
	case b.Kind == Linear:
		return d, 1
	case b.Kind == Absolute:
		d, sign = math.Abs(d), step(d)-step(-d)
	}
	if b.Exponent == 2 {
		return d * d, 2 * d * sign
	}
	return d, sign
}

// Squared returns the model in which potentials that are not squared are, and the rules that these are of, in order.
func (m *Model) Squared() (squared *Model, rules []int) {
	squared = &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules, Blocks: slices.Clone(m.Blocks)}
	for k, b := range m.Blocks {
		if b.Kind.Hard() || b.Kind != Linear && b.Exponent == 2 || b.Len == 0 {
			continue
		}
		other := *b
		if other.Exponent = 2; other.Kind == Linear {
			other.Kind = Hinge // which it is where it never ends
		}
		squared.Blocks[k] = &other
		rules = append(rules, b.Rule)
	}
	slices.Sort(rules)
	return squared, slices.Compact(rules)
}

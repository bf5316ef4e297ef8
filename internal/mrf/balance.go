package mrf

import "math"

// ordinary is how large the largest coefficient of a hard constraint may be, and its inverse how small all of them
// together, for the constraint to be left as it is written. A mean over very many is not small, though each of its
// coefficients is.
const ordinary = 16

// Magnitude is what the violation of a hard constraint with these coefficients is measured in: 1, or, if the largest is
// not of ordinary size but more, the power of two at or below it. What a rule says does not depend on what it is
// multiplied by; a sum with coefficients of a million has no digits for a violation of a millionth.
func Magnitude(coef []float64) float64 {
	if most := largest(coef); most > ordinary {
		return powerBelow(most)
	}
	return 1
}

// measure finds the magnitudes of a hard block: one for all constraints, or one for each if they differ. Compressed
// rows beyond memory are not read for that.
func (t *term) measure() {
	t.magnitude = 1
	switch {
	case !t.Kind.Hard() || t.Len == 0 || t.VarStart != nil && t.Paged != nil:
	case t.VarStart == nil:
		t.magnitude = Magnitude(t.Coef)
	default:
		var buffer RowBuffer
		for j := range t.Len {
			_, coef := t.Row(j, &buffer)
			m := Magnitude(coef)
			if m > 1 && t.magnitudes == nil {
				t.magnitudes = make([]float64, t.Len)
				for k := range j {
					t.magnitudes[k] = 1
				}
			}
			if t.magnitudes != nil {
				t.magnitudes[j] = m
			}
		}
	}
}

// Balanced returns the model with each hard constraint whose coefficients are not of ordinary size multiplied by the
// power of two that makes the largest, or the sum of their sizes if that is small, at least 1 and less than 2, and
// those powers, of all potentials in the order of the blocks. Nothing is rounded by that. The model itself and nil say
// that there is none, or that it is beyond memory.
func (m *Model) Balanced() (balanced *Model, powers []float64) {
	if m.Paged() != nil {
		return m, nil
	}
	balanced = &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules, Blocks: append([]*Block(nil), m.Blocks...)}
	first := 0
	for k, b := range m.Blocks {
		if of := b.powers(); of != nil {
			if powers == nil {
				powers = repeated([]float64{1}, m.Potentials())
			}
			copy(powers[first:], of)
			balanced.Blocks[k] = b.times(of)
		}
		first += b.Len
	}
	if powers == nil {
		return m, nil
	}
	return balanced, powers
}

// powers returns what the block's constraints are to be multiplied by, or nil if that is 1 for all.
func (b *Block) powers() (powers []float64) {
	if !b.Kind.Hard() || b.Len == 0 {
		return nil
	}
	if b.VarStart == nil {
		if power := balancing(b.Coef); power != 1 {
			return repeated([]float64{power}, b.Len)
		}
		return nil
	}
	var buffer RowBuffer
	for j := range b.Len {
		_, coef := b.Row(j, &buffer)
		power := balancing(coef)
		if power != 1 && powers == nil {
			powers = repeated([]float64{1}, b.Len)
		}
		if powers != nil {
			powers[j] = power
		}
	}
	return powers
}

// balancing is what a constraint with these coefficients is to be multiplied by.
func balancing(coef []float64) float64 {
	if most := largest(coef); most > ordinary {
		return 1 / powerBelow(most)
	}
	if sum := norm1(coef); sum > 0 && sum < 1.0/ordinary {
		return 1 / powerBelow(sum)
	}
	return 1
}

// times returns the block with each constraint multiplied by a power of two, all by the same if the block is uniform.
func (b *Block) times(powers []float64) *Block {
	out := *b
	out.Bias, out.Bias64 = nil, nil
	if b.VarStart == nil {
		out.Coef, out.InputCoef = scaled(b.Coef, powers[0]), scaled(b.InputCoef, powers[0])
		out.Constant *= powers[0]
	} else {
		out.VarCoef = b.VarCoef.times(b.VarStart, powers)
		out.InputValue = b.InputValue.times(b.InputStart, powers)
		out.Constant = 0
	}
	if b.Varies() || b.VarStart != nil {
		out.Bias64 = make([]float64, b.Len)
		for j, power := range powers {
			out.Bias64[j] = b.Own(j) * power
			if b.VarStart != nil {
				out.Bias64[j] = (b.Constant + b.Own(j)) * power
			}
		}
		out.narrow()
	}
	return &out
}

// times returns rows of numbers, each multiplied by its power.
func (r *Reals) times(start []int32, powers []float64) (out Reals) {
	for j, power := range powers {
		for k := start[j]; k < start[j+1]; k++ {
			out.Append(power * r.At(int(k)))
		}
	}
	return out
}

func scaled(values []float64, by float64) []float64 {
	if values == nil {
		return nil
	}
	out := make([]float64, len(values))
	for k, v := range values {
		out[k] = by * v
	}
	return out
}

// largest is the largest absolute value.
func largest(values []float64) (most float64) {
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}

// powerBelow is the power of two at or below a positive number.
func powerBelow(v float64) float64 {
	_, exponent := math.Frexp(v)
	return math.Ldexp(1, exponent-1)
}

package relation

import "slices"

// Values is a column of truth values in [0, 1], in as few bytes as hold them to the last bit: none if all are 1; four
// each if they have single precision, or are decimals of up to seven digits, as most tables have; else eight. The zero
// value is an empty column.
type Values struct {
	count   int
	singles []float32
	doubles []float64
	// exact tells whether the singles are the values themselves, and decimal whether they stand for the decimals next to
	// them. Of values such as 0.5, both are true.
	exact, decimal bool
}

// decimals is how many steps of a decimal with seven digits there are from 0 to 1. Single precision has 2²⁴ or more.
const decimals = 1e7

// nearest returns the decimal with seven digits next to a value: the same number that its digits are read as.
func nearest(v float32) float64 { return float64(int64(float64(v)*decimals+0.5)) / decimals }

// Len returns the number of values.
func (v *Values) Len() int { return v.count }

// Ones tells whether all values are 1.
func (v *Values) Ones() bool { return v.singles == nil && v.doubles == nil }

// At returns a value.
func (v *Values) At(row int32) float64 {
	switch {
	case v.singles != nil:
		if v.exact {
			return float64(v.singles[row])
		}
		return nearest(v.singles[row])
	case v.doubles != nil:
		return v.doubles[row]
	}
	return 1
}

// Append adds a value at the end.
func (v *Values) Append(value float64) {
	v.count++
	switch {
	case v.doubles != nil:
		v.doubles = append(v.doubles, value)
		return
	case v.singles == nil && value == 1:
		return
	case v.singles == nil:
		v.singles = slices.Repeat([]float32{1}, v.count-1)
		v.exact, v.decimal = true, true
	}
	single := float32(value)
	exact, decimal := v.exact && float64(single) == value, v.decimal && nearest(single) == value
	if exact || decimal {
		v.exact, v.decimal, v.singles = exact, decimal, append(v.singles, single)
		return
	}
	v.doubles = make([]float64, 0, max(2*v.count, 16))
	for row := range int32(v.count - 1) {
		v.doubles = append(v.doubles, v.At(row))
	}
	v.singles, v.doubles = nil, append(v.doubles, value)
}

// Pick returns the values of these rows.
func (v *Values) Pick(rows []int32) (out Values) {
	for _, row := range rows {
		out.Append(v.At(row))
	}
	return out
}

// Slice returns the values of the rows [lo, hi).
func (v *Values) Slice(lo, hi int) (out Values) {
	for row := int32(lo); row < int32(hi); row++ {
		out.Append(v.At(row))
	}
	return out
}

// Bytes returns the size of the column.
func (v *Values) Bytes() int64 { return 4*int64(len(v.singles)) + 8*int64(len(v.doubles)) }

// ValuesOf makes a column.
func ValuesOf[T float32 | float64](values ...T) (out Values) {
	for _, value := range values {
		out.Append(float64(value))
	}
	return out
}

// JoinValues puts columns one behind the other, as if their values were appended one by one.
func JoinValues(parts ...Values) (out Values) {
	exact, decimal, double, ones := true, true, false, true
	for k := range parts {
		p := &parts[k]
		out.count += p.count
		ones = ones && p.Ones()
		double = double || p.doubles != nil
		if p.singles != nil {
			exact, decimal = exact && p.exact, decimal && p.decimal
		}
	}
	switch {
	case ones:
	case double || !exact && !decimal:
		out.doubles = make([]float64, 0, out.count)
		for k := range parts {
			for row := range int32(parts[k].count) {
				out.doubles = append(out.doubles, parts[k].At(row))
			}
		}
	default:
		out.exact, out.decimal = exact, decimal
		out.singles = make([]float32, 0, out.count)
		for k := range parts {
			if parts[k].singles != nil {
				out.singles = append(out.singles, parts[k].singles...)
			} else {
				out.singles = append(out.singles, slices.Repeat([]float32{1}, parts[k].count)...)
			}
		}
	}
	return out
}

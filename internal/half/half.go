// Package half reads numbers of 16 bits, as files have them that keep numbers in little room.
package half

import "math"

// Float32 returns the value of a number of 16 bits (IEEE 754): a sign, 5 bits of exponent and 10 of fraction.
func Float32(bits uint16) float32 {
	sign, exponent, fraction := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)/1024
	switch exponent {
	case 0:
		return float32(sign * math.Ldexp(fraction, -14))
	case 31:
		if fraction > 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(sign * math.Ldexp(1+fraction, exponent-15))
}

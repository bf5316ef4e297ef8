package mrf

import "math"

// logarithms is the sum of the binary logarithms of numbers, those of their powers of two apart: these are exact.
type logarithms struct {
	count, exponents int
	fractions        float64
}

// add adds a number's, so many times.
func (l *logarithms) add(v float64, times int) {
	fraction, exponent := math.Frexp(v)
	l.count, l.exponents = l.count+times, l.exponents+times*exponent
	l.fractions += float64(times) * math.Log2(fraction)
}

// mean is the geometric mean of the numbers, or 1 if there are none.
func (l *logarithms) mean() float64 {
	if l.count == 0 {
		return 1
	}
	whole, rest := l.exponents/l.count, l.exponents%l.count
	if rest < 0 {
		whole, rest = whole-1, rest+l.count
	}
	return math.Ldexp(math.Exp2((float64(rest)+l.fractions)/float64(l.count)), whole)
}

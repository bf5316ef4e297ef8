package twofold

import "math"

// number is a sum of two numbers, the second of which is rounding of the first: some 32 digits (Dekker 1971).
type number struct{ high, low float64 }

func of(v float64) number { return number{v, 0} }

func (a number) value() float64 { return a.high + a.low }

// normal is a number of two of which the first is the larger one.
func normal(high, low float64) number {
	sum := high + low
	return number{sum, low - (sum - high)}
}

// sum is a sum of two numbers and what its rounding has left (Knuth 1969).
func sum(a, b float64) (s, left float64) {
	s = a + b
	back := s - a
	return s, (a - (s - back)) + (b - back)
}

func (a number) plus(b number) number {
	high, left := sum(a.high, b.high)
	low, rest := sum(a.low, b.low)
	n := normal(high, left+low)
	return normal(n.high, n.low+rest)
}

func (a number) minus(b number) number { return a.plus(number{-b.high, -b.low}) }

func (a number) times(b number) number {
	high := a.high * b.high
	low := math.FMA(a.high, b.high, -high)
	low += float64(a.high*b.low) + float64(a.low*b.high)
	return normal(high, low)
}

// by is times for a number of the usual length.
func (a number) by(b float64) number {
	high := a.high * b
	low := math.FMA(a.high, b, -high)
	return normal(high, low+float64(a.low*b))
}

func (a number) over(b number) number {
	first := a.high / b.high
	rest := a.minus(b.by(first))
	second := rest.high / b.high
	rest = rest.minus(b.by(second))
	n := normal(first, second)
	return normal(n.high, n.low+rest.high/b.high)
}

func (a number) negative() number { return number{-a.high, -a.low} }

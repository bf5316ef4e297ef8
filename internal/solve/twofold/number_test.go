package twofold

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// What is computed must have about 31 digits.
func TestNumbersHaveTwiceTheDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	big := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	exactly := func(a number) *bigFloat { return big(a.high).Add(big(a.high), big(a.low)) }
	draw := func() number {
		v := math.Ldexp(2*rng.Float64()-1, rng.IntN(40)-20)
		return of(v).plus(of(v * 0x1p-55 * rng.Float64()))
	}
	for range 10000 {
		a, b, c := draw(), draw(), rng.NormFloat64()
		for k, both := range [][2]*bigFloat{
			{exactly(a.plus(b)), exactly(a).Add(exactly(a), exactly(b))},
			{exactly(a.minus(b)), exactly(a).Sub(exactly(a), exactly(b))},
			{exactly(a.times(b)), exactly(a).Mul(exactly(a), exactly(b))},
			{exactly(a.by(c)), exactly(a).Mul(exactly(a), big(c))},
			{exactly(a.over(b)), exactly(a).Quo(exactly(a), exactly(b))},
		} {
			off, _ := both[0].Sub(both[0], both[1]).Float64()
			if size, _ := both[1].Float64(); math.Abs(off) > 1e-31*math.Abs(size) {
				t.Fatalf("operation %d of %v, %v and %v: off by %g of %g", k, a, b, c, off, size)
			}
		}
	}
}

type bigFloat = big.Float

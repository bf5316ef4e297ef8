package neural

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// dropout draws the factors of values: 0 with probability rate, else 1/(1-rate), so that the mean stays. The factors
// belong to entities, so that what an entity gets does not depend on the other rows of the batch. The zero value drops
// nothing.
type dropout struct {
	masks  stream
	below  uint64 // how many of the generator's whole numbers drop a value
	factor float32
}

func newDropout(seed uint64, name string, rate float64) dropout {
	return dropout{newStream(seed, name), uint64(math.Ceil(rate * (1 << bits))), float32(1 / (1 - rate))}
}

// keep returns the i-th factor. Whole numbers are compared, and there is no branch: it would be a coin toss.
func (d dropout) keep(i uint64) float32 {
	factor := math.Float32bits(d.factor)
	if d.masks.number(i) < d.below {
		factor = 0
	}
	return math.Float32frombits(factor)
}

// apply multiplies a matrix whose lines are those of some entities by their factors, which it leaves in keep.
func (d dropout) apply(values, keep []float32, entities []int32, width, threads int) {
	parallel.Range(threads, len(entities), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			first, values, keep := uint64(entities[k])*uint64(width), row(values, k, width), row(keep, k, width)
			for j := range values {
				keep[j] = d.keep(first + uint64(j))
				values[j] *= keep[j]
			}
		}
	})
}

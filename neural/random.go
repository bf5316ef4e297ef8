package neural

import (
	"hash/fnv"
	"math"
)

// stream is a counter-based generator: its i-th number is a function of the seed, the stream's name and i alone, so
// that any thread may draw any number, and adding a network does not change the numbers of the others.
type stream uint64

func newStream(seed uint64, name string) stream {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return stream(mix(seed ^ mix(hash.Sum64())))
}

// bits is how many a float64 has of a number.
const bits = 53

// uniform returns the stream's i-th number, in [0,1).
func (s stream) uniform(i uint64) float64 { return float64(s.number(i)) / (1 << bits) }

// number returns it times 2^bits.
func (s stream) number(i uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	return mix(uint64(s)+(i+1)*golden) >> (64 - bits)
}

// mix is the output function of the SplitMix64 generator (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// An Initializer gives the bound b of the uniform distribution on [-b, b) that a tensor's initial values have, from
// the number of inputs and outputs of its layer.
type Initializer func(inputs, outputs int) float64

// Glorot suits tanh, sigmoid and softmax (Glorot and Bengio, 2010).
func Glorot(inputs, outputs int) float64 { return math.Sqrt(6 / float64(inputs+outputs)) }

// He suits relu and elu (He et al., 2015).
func He(inputs, _ int) float64 { return math.Sqrt(6 / float64(inputs)) }

// Zeros is for biases.
func Zeros(_, _ int) float64 { return 0 }

// initialize fills value, a tensor of the given shape, whose last dimension counts the layer's outputs.
func (s stream) initialize(value []float32, shape []int, bound Initializer) {
	outputs := shape[len(shape)-1]
	b := bound(max(1, len(value)/outputs), outputs)
	for i := range value {
		value[i] = float32(b * (2*s.uniform(uint64(i)) - 1))
	}
}

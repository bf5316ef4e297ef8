package mrftest

import (
	"math/rand/v2"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Citation is the shape of the paper's document classification (T2): documents of seven classes that cite each other.
type Citation struct {
	Documents, Classes, Links int
	// Exponent is that of all potentials.
	Exponent int
	// HardSum makes "the classes of a document sum to one" a constraint rather than a potential.
	HardSum bool
	Seed    uint64
}

// Cora has about the size of the experiment.
var Cora = Citation{Documents: 2708, Classes: 7, Links: 5278, Exponent: 2, Seed: 1}

// The rules of a citation model, by number.
const (
	neural     = iota // Neural(A, Y) -> Label(A, Y), and three more like it
	similar    = 4    // Cites(A, B) & Label(A, Y) & Similar(A, B) -> Label(B, Y)
	dissimilar = 5    // Cites(A, B) & Label(A, Y) & !Similar(A, B) -> !Label(B, Y)
	sum        = 6    // Label(A, +Y) = 1
	rules      = 7
)

// Model makes the model, weights θ and inputs x: inputs are class scores per document, four of them, and one similarity
// per link.
func (c Citation) Model() (m *mrf.Model, theta, x []float64) {
	rng := rand.New(rand.NewPCG(c.Seed, 0))
	n := c.Documents * c.Classes
	m = &mrf.Model{Variables: n, Inputs: 4*n + c.Links, Rules: rules}
	for r := range 4 {
		m.Blocks = append(m.Blocks, c.scores(neural+r, r*n))
	}
	m.Blocks = append(m.Blocks, c.links(rng, 4*n)...)
	m.Blocks = append(m.Blocks, c.sums())
	theta = []float64{1, 0.5, 0.5, 0.3, 1, 0.1, 20}
	return m, theta, c.inputs(rng)
}

// scores is x_k -> y_i, the hinge of x - y, for all variables.
func (c Citation) scores(rule, firstInput int) *mrf.Block {
	n := c.Documents * c.Classes
	b := &mrf.Block{
		Rule: rule, Kind: mrf.Hinge, Exponent: c.Exponent, Len: n,
		Coef: []float64{-1}, InputCoef: []float64{1},
	}
	for i := range n {
		b.Vars = append(b.Vars, int32(i))
		b.Inputs = append(b.Inputs, int32(firstInput+i))
	}
	return b
}

// links are the two rules over citations: y_A + s - 1 - y_B and y_A - s + y_B - 1. Documents nearby cite each other.
func (c Citation) links(rng *rand.Rand, firstInput int) []*mrf.Block {
	same := &mrf.Block{Rule: similar, Coef: []float64{1, -1}, InputCoef: []float64{1}}
	differ := &mrf.Block{Rule: dissimilar, Coef: []float64{1, 1}, InputCoef: []float64{-1}}
	for l := range c.Links {
		from := rng.IntN(c.Documents)
		to := (from + 1 + int(rng.ExpFloat64()*float64(c.Documents)/50)) % c.Documents
		if to == from {
			to = (from + 1) % c.Documents
		}
		for k := range c.Classes {
			for _, b := range []*mrf.Block{same, differ} {
				b.Vars = append(b.Vars, int32(from*c.Classes+k), int32(to*c.Classes+k))
				b.Inputs = append(b.Inputs, int32(firstInput+l))
			}
		}
	}
	for _, b := range []*mrf.Block{same, differ} {
		b.Kind, b.Exponent, b.Constant, b.Len = mrf.Hinge, c.Exponent, -1, c.Links*c.Classes
	}
	return []*mrf.Block{same, differ}
}

func (c Citation) sums() *mrf.Block {
	b := &mrf.Block{Rule: sum, Kind: mrf.Absolute, Exponent: c.Exponent, Constant: -1, Len: c.Documents}
	if c.HardSum {
		b.Kind = mrf.Equal
	}
	for range c.Classes {
		b.Coef = append(b.Coef, 1)
	}
	for i := range c.Documents * c.Classes {
		b.Vars = append(b.Vars, int32(i))
	}
	return b
}

// inputs are noisy scores that sum to one per document, and similarities.
func (c Citation) inputs(rng *rand.Rand) []float64 {
	var x []float64
	for range 4 {
		for range c.Documents {
			scores, total := make([]float64, c.Classes), 0.0
			for k := range scores {
				scores[k] = rng.ExpFloat64() * rng.ExpFloat64()
				total += scores[k]
			}
			for _, s := range scores {
				x = append(x, s/total)
			}
		}
	}
	return append(x, Uniform(rng, c.Links)...)
}

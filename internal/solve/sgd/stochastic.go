package sgd

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// stochastic takes a step for each potential, and for each variable's box, in a new random order in each pass.
type stochastic struct {
	*Solver
	constants []float64 // c_j
	order     []int32   // potentials, then variables for their boxes
	first     []int     // of each block's potentials
	random    *rand.Rand
	row       mrf.RowBuffer
}

func newStochastic(s *Solver) *stochastic {
	blocks, potentials := s.field.Model.Blocks, s.field.Model.Potentials()
	d := &stochastic{Solver: s, constants: make([]float64, potentials), first: make([]int, len(blocks)+1),
		order: make([]int32, potentials+len(s.y))}
	for k, b := range blocks {
		d.first[k+1] = d.first[k] + b.Len
	}
	return d
}

// begin computes the constants, which weights and inputs determine, and numbers the order anew.
func (d *stochastic) begin() float64 {
	d.field.Slacks(make([]float64, len(d.y)), d.constants)
	for k := range d.order {
		d.order[k] = int32(k)
	}
	d.random = rand.New(rand.NewPCG(d.options.Seed, 0))
	return d.loss()
}

// pass implements descent.
func (d *stochastic) pass() float64 {
	d.random.Shuffle(len(d.order), func(i, j int) { d.order[i], d.order[j] = d.order[j], d.order[i] })
	for _, id := range d.order {
		j := int(id)
		if j >= len(d.constants) {
			i := j - len(d.constants)
			d.relaxed[i] -= d.options.LearningRate * 2 * d.options.Gamma * outside(d.relaxed[i])
			continue
		}
		k := sort.SearchInts(d.first, j+1) - 1
		d.step(d.field.Model.Blocks[k], j-d.first[k], d.constants[j])
	}
	return d.loss()
}

// step moves the variables of a block's j-th potential, which has the constant c, against its gradient.
func (d *stochastic) step(b *mrf.Block, j int, c float64) {
	vars := b.Ids(j, &d.row)
	for k, i := range vars {
		c += b.Coefficient(j, k) * d.relaxed[i]
	}
	slope := d.options.LearningRate * d.slope(b, j, c)
	if slope == 0 {
		return
	}
	for k, i := range vars {
		d.relaxed[i] -= slope * b.Coefficient(j, k)
	}
}

// slope is the derivative of the potential, or of the penalty in place of a constraint, where its slack is v.
func (d *stochastic) slope(b *mrf.Block, j int, v float64) float64 {
	w := d.field.Weights()[b.Rule] * b.Factor(j)
	switch {
	case b.Kind == mrf.LessEqual:
		return 2 * d.options.HardWeight * max(0, v)
	case b.Kind == mrf.Equal:
		return 2 * d.options.HardWeight * v
	case b.Kind == mrf.Linear:
		return w
	case b.Kind == mrf.Hinge && v <= 0 || v == 0:
		return 0
	case b.Exponent == 2:
		return 2 * w * v
	}
	return math.Copysign(w, v)
}

// loss is f̃.
func (d *stochastic) loss() float64 {
	total := d.field.Sweep(d.relaxed, nil, d.differentiate)
	for _, v := range d.relaxed {
		total += d.options.Gamma * outside(v) * outside(v)
	}
	return total
}

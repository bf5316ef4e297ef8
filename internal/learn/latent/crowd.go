package latent

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// crowd is labels whose ground rules speak of more things than all choices of classes can be gone through for, such as
// whether any two of sixteen cells break a rule. What ground rules about the same things cost is a part, and parts are
// taken to be independent of each other, though they may share things. Values of the labels are as probable as
//
//	p(v) ∝ Π_a Σ_z Π x(z) · exp(−β e_a(v, z))
//
// which for a label that anything broken makes true is the noisy or of all that may be (Pearl 1988). Parts that each
// explained the labels for themselves would all have to: every two cells of a grid with a mistake.
type crowd struct {
	parts []*scope     // kept is of the true values, at the best of what is summed out
	costs [][]*Diagram // by part and by the labels' values, of which the first are the true ones: exp(−β e(v, z))
	free  []float64    // by the labels' values, −β times what ground rules cost that speak of no thing
}

// renumbered returns it with inputs numbered anew.
func (c *crowd) renumbered(number map[int32]int32) *crowd {
	anew := &crowd{costs: c.costs, free: c.free}
	for _, s := range c.parts {
		anew.parts = append(anew.parts, s.renumbered(number))
	}
	return anew
}

// loss returns −log p(t), and adds its gradient by the inputs, times a factor, if upstream is not nil.
func (c *crowd) loss(x, upstream []float64, factor float64) float64 {
	logs := slices.Clone(c.free)
	for a, s := range c.parts {
		for v, d := range c.costs[a] {
			logs[v] += math.Log(math.Max(d.expect(s.ChanceOf(x)), label.TinyFloor))
		}
	}
	all := floats.LogSumExp(logs)
	if upstream == nil {
		return all - logs[0]
	}
	for v, log := range logs {
		slope := math.Exp(log - all)
		if v == 0 {
			slope--
		}
		for a, s := range c.parts {
			d := c.costs[a][v]
			s.slopes(d, upstream, factor*slope/math.Max(d.values[0][0], label.TinyFloor))
		}
	}
	return all - logs[0]
}

// unhurt is how probable it is that the classes break nothing with the labels as they are.
func (c *crowd) unhurt(x []float64) float64 {
	chance := 1.0
	for _, s := range c.parts {
		chance *= s.kept.expect(s.ChanceOf(x))
	}
	return chance
}

package learn

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// pseudoLikelihood is Besag's (1975) replacement for the likelihood, whose normalising integral over [0,1]ⁿ is out of
// reach. With t the labels' true values, all other variables fixed (labels at t, latent ones at y_lat),
//
//	PL(w) = -1/|T| Σ_{i∈T} log p(t_i | rest),   p(v | rest) = exp(-f_i(v)) / ∫ exp(-f_i(v')) dv',
//
// where f_i(v) = Σ_{j∋i} w_j φ_j is the energy of the potentials that touch variable i. Each integral is
// one-dimensional and done by Gauss-Legendre quadrature; the derivative below is that of the quadrature formula itself,
// so it is exact:
//
//	∂PL/∂w_r = 1/|T| Σ_i [Φ_{r,i}(t_i) - E_{v~p_i} Φ_{r,i}(v)],
//
// and likewise in x. PL is convex in w if nothing is latent. It runs over the part of [0,1] that the hard constraints
// leave to the variable while the rest stays; that interval counts as constant in x. A variable that they fix, such as
// any one of a sum of one, tells nothing about the weights and is left out; a constraint that the labels break is not
// looked at. The latent variables are filled in by their most probable values (hard expectation-maximisation).
type pseudoLikelihood struct {
	labels   *Labels
	sections [][]section // by label: the potentials and constraints that touch it
	nodes    []float64   // quadrature on [0,1]
	areas    []float64
	slacks   []float64 // by potential
	pushes   []float64 // by potential: what multiplies b_j in the derivative by x
	energies []float64 // by node
}

// section is a potential as a function of one of its variables.
type section struct {
	block *mrf.Block
	// number is the potential's among all, local its place in the block.
	number, local int
	slope         float64 // a_ji
}

// quadratureNodes is enough for energies that change by some hundreds over [0,1].
const quadratureNodes = 64

// narrow is the length of an interval below which a variable counts as fixed.
const narrow = 1e-6

func newPseudoLikelihood(model *mrf.Model, labels *Labels) *pseudoLikelihood {
	p := &pseudoLikelihood{
		labels: labels, sections: make([][]section, len(labels.Variables)),
		nodes: make([]float64, quadratureNodes), areas: make([]float64, quadratureNodes),
		energies: make([]float64, quadratureNodes),
		slacks:   make([]float64, model.Potentials()), pushes: make([]float64, model.Potentials()),
	}
	quad.Legendre{}.FixedLocations(p.nodes, p.areas, 0, 1)
	place := make(map[int32]int, len(labels.Variables))
	for k, i := range labels.Variables {
		place[i] = k
	}
	first := 0
	for _, b := range model.Blocks {
		for j := range b.Len {
			for k, i := range b.Variables(j) {
				if at, ok := place[i]; ok {
					p.sections[at] = append(p.sections[at], section{b, first + j, j, b.Coefficient(j, k)})
				}
			}
		}
		first += b.Len
	}
	return p
}

// at returns PL at the field's parameters with the variables at y, and writes its derivatives.
func (p *pseudoLikelihood) at(field *mrf.Field, y, weights, inputs []float64) float64 {
	field.Slacks(y, p.slacks)
	clear(weights)
	clear(p.pushes)
	total := 0.0
	for k := range p.sections {
		total += p.variable(k, field.Weights(), weights)
	}
	count := float64(len(p.sections))
	divide(weights, count)
	field.EnvelopeInputs(p.pushes, inputs)
	divide(inputs, count)
	return total / count
}

// variable returns -log p of one label and adds its derivatives, not divided by their number.
func (p *pseudoLikelihood) variable(k int, theta, weights []float64) float64 {
	lo, hi := p.interval(k)
	if hi-lo < narrow {
		return 0
	}
	truth := p.labels.Truth[k]
	least := math.Inf(1)
	for q, node := range p.nodes {
		p.energies[q] = p.energy(k, lo+node*(hi-lo)-truth, theta)
		least = math.Min(least, p.energies[q])
	}
	mass := 0.0
	for q, area := range p.areas {
		p.energies[q] = area * math.Exp(least-p.energies[q])
		mass += p.energies[q]
	}
	p.differentiate(k, 0, 1, theta, weights)
	for q, node := range p.nodes {
		p.differentiate(k, lo+node*(hi-lo)-truth, -p.energies[q]/mass, theta, weights)
	}
	return p.energy(k, 0, theta) - least + math.Log(mass*(hi-lo))
}

// interval is what the constraints leave to label k while all else stays. Constraints that the labels break are
// ignored.
func (p *pseudoLikelihood) interval(k int) (lo, hi float64) {
	lo, hi = 0, 1
	truth := p.labels.Truth[k]
	for _, s := range p.sections[k] {
		d := p.slacks[s.number]
		if !s.block.Kind.Hard() || s.slope == 0 || d > narrow {
			continue
		}
		if s.block.Kind == mrf.Equal {
			if d >= -narrow {
				return truth, truth
			}
			continue
		}
		bound := truth - d/s.slope
		if s.slope > 0 {
			hi = math.Min(hi, math.Max(bound, truth))
		} else {
			lo = math.Max(lo, math.Min(bound, truth))
		}
	}
	return lo, hi
}

// energy is f_k with the label's variable moved from its true value.
func (p *pseudoLikelihood) energy(k int, moved float64, theta []float64) float64 {
	total := 0.0
	for _, s := range p.sections[k] {
		phi, _ := s.block.Potential(p.slacks[s.number] + s.slope*moved)
		total += theta[s.block.Rule] * s.scale() * phi
	}
	return total
}

// differentiate adds share times the derivatives of that energy, in w and by slack.
func (p *pseudoLikelihood) differentiate(k int, moved, share float64, theta, weights []float64) {
	for _, s := range p.sections[k] {
		phi, slope := s.block.Potential(p.slacks[s.number] + s.slope*moved)
		weights[s.block.Rule] += share * s.scale() * phi
		p.pushes[s.number] += share * theta[s.block.Rule] * s.scale() * slope
	}
}

// scale is s_j, the observed factor of the potential's weight.
func (s *section) scale() float64 {
	if s.block.Scale == nil {
		return 1
	}
	return float64(s.block.Scale[s.local])
}

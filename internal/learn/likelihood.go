package learn

import (
	"errors"
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
// and likewise in x. PL is convex in w if nothing is latent. Hard equalities take variables along (see line), which
// makes it a composite likelihood in the sense of Lindsay (1988), and other hard rules bound the interval of v; that
// interval counts as constant in x. A label that cannot move is left out, and a constraint that the labels break is not
// looked at. The latent variables are filled in by their most probable values (hard expectation-maximisation).
type pseudoLikelihood struct {
	lines    []*line
	nodes    []float64 // quadrature on [0,1]
	areas    []float64
	slacks   []float64 // by potential
	pushes   []float64 // by potential: what multiplies b_j in the derivative by x
	energies []float64 // by node
}

// quadratureNodes is enough for energies that change by some hundreds over [0,1].
const quadratureNodes = 64

// narrow is the length of an interval below which a label counts as fixed.
const narrow = 1e-6

func newPseudoLikelihood(model *mrf.Model, labels *Labels) *pseudoLikelihood {
	p := &pseudoLikelihood{
		lines: drawLines(model, labels),
		nodes: make([]float64, quadratureNodes), areas: make([]float64, quadratureNodes),
		energies: make([]float64, quadratureNodes),
		slacks:   make([]float64, model.Potentials()), pushes: make([]float64, model.Potentials()),
	}
	quad.Legendre{}.FixedLocations(p.nodes, p.areas, 0, 1)
	return p
}

// errFixedLabels says that no label can move, so that there is nothing to learn from.
var errFixedLabels = errors.New("the hard rules determine every label from the other atoms, " +
	"so the pseudo-likelihood has nothing to learn from; another learn.method may")

// at returns PL at the field's parameters with the variables at y, and writes its derivatives.
func (p *pseudoLikelihood) at(field *mrf.Field, y, weights, inputs []float64) (float64, error) {
	field.Slacks(y, p.slacks)
	clear(weights)
	clear(p.pushes)
	total, count := 0.0, 0.0
	for _, l := range p.lines {
		lo, hi := l.interval(p.slacks, y)
		if hi-lo < narrow {
			continue
		}
		total += p.along(l, lo, hi, field.Weights(), weights)
		count++
	}
	if count == 0 {
		return 0, errFixedLabels
	}
	divide(weights, count)
	field.EnvelopeInputs(p.pushes, inputs)
	divide(inputs, count)
	return total / count, nil
}

// along returns -log p of one label, which moves between lo and hi from its true value, and adds its derivatives.
func (p *pseudoLikelihood) along(l *line, lo, hi float64, theta, weights []float64) float64 {
	least := math.Inf(1)
	for q, node := range p.nodes {
		p.energies[q] = p.energy(l, lo+node*(hi-lo), theta)
		least = math.Min(least, p.energies[q])
	}
	mass := 0.0
	for q, area := range p.areas {
		p.energies[q] = area * math.Exp(least-p.energies[q])
		mass += p.energies[q]
	}
	p.differentiate(l, 0, 1, theta, weights)
	for q, node := range p.nodes {
		p.differentiate(l, lo+node*(hi-lo), -p.energies[q]/mass, theta, weights)
	}
	return p.energy(l, 0, theta) - least + math.Log(mass*(hi-lo))
}

// energy is that of the line's potentials with the label moved from its true value.
func (p *pseudoLikelihood) energy(l *line, moved float64, theta []float64) float64 {
	total := 0.0
	for _, s := range l.sections {
		phi, _ := s.block.Potential(p.slacks[s.number] + s.slope*moved)
		total += theta[s.block.Rule] * s.scale * phi
	}
	return total
}

// differentiate adds share times the derivatives of that energy, in w and by slack.
func (p *pseudoLikelihood) differentiate(l *line, moved, share float64, theta, weights []float64) {
	for _, s := range l.sections {
		phi, slope := s.block.Potential(p.slacks[s.number] + s.slope*moved)
		weights[s.block.Rule] += share * s.scale * phi
		p.pushes[s.number] += share * theta[s.block.Rule] * s.scale * slope
	}
}

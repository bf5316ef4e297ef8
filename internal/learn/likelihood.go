package learn

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
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
// and likewise in x. Where all labels are 0 or 1, they are taken as classes, which nothing is between: the integral
// is the sum over both ends. PL is convex in w if nothing is latent. Hard equalities take variables along (see Line),
// which makes it a composite likelihood in the sense of Lindsay (1988), and other hard rules bound the interval of v;
// that interval counts as constant in x. A label that cannot move is left out, and a constraint that the labels break
// is not looked at. The latent variables are filled in by their most probable values (hard expectation-maximisation),
// at each step anew: with many of them PL need not fall at every step.
type pseudoLikelihood struct {
	profiles []*profile
	nodes    []float64 // quadrature on [0,1], or both ends of it
	areas    []float64
	// discrete says that all labels are 0 or 1.
	discrete bool
	slacks   []float64 // by potential
	pushes   []float64 // by potential: what multiplies b_j in the derivative by x
}

// quadratureNodes is enough for energies that change by some hundreds over [0,1].
const quadratureNodes = 64

// narrow is the length of an interval below which a label counts as fixed.
const narrow = 1e-6

func newPseudoLikelihood(model *mrf.Model, labels *label.Labels) *pseudoLikelihood {
	p := &pseudoLikelihood{
		profiles: profiles(model, labels), nodes: []float64{0, 1}, areas: []float64{1, 1},
		slacks: make([]float64, model.Potentials()), pushes: make([]float64, model.Potentials()),
	}
	if p.discrete = labels.Discrete(); !p.discrete {
		p.nodes, p.areas = make([]float64, quadratureNodes), make([]float64, quadratureNodes)
		quad.Legendre{}.FixedLocations(p.nodes, p.areas, 0, 1)
	}
	return p
}

// errFixedLabels says that no label can move, so that there is nothing to learn from.
var errFixedLabels = errors.New("the hard rules determine every label from the other atoms, " +
	"so the pseudo-likelihood has nothing to learn from; another learn.method may")

// at returns PL at the field's parameters with the variables at y, and writes its derivatives.
func (p *pseudoLikelihood) at(field *mrf.Field, y, weights, inputs []float64) (float64, error) {
	field.Slacks(y, p.slacks)
	parallel.For(field.Threads, len(p.profiles), func(k int) { p.integrate(p.profiles[k], field.Weights(), y) })
	clear(weights)
	clear(p.pushes)
	total, count := 0.0, 0.0
	for _, l := range p.profiles {
		if !l.moves {
			continue
		}
		count++
		total += l.surprise
		for _, s := range l.sections {
			weights[s.block.Rule] += s.excess
			p.pushes[s.number] += s.push
		}
	}
	if count == 0 {
		return 0, errFixedLabels
	}
	divide(weights, count)
	field.EnvelopeInputs(p.pushes, inputs)
	divide(inputs, count)
	return total / count, nil
}

// integrate computes a profile's part of PL and what each of its sections adds to the derivatives.
func (p *pseudoLikelihood) integrate(l *profile, theta, y []float64) {
	lo, hi := l.interval(p.slacks, y)
	if l.moves = hi-lo >= narrow; !l.moves {
		return
	}
	var movedAt, energiesAt [quadratureNodes]float64
	moved, energies := movedAt[:len(p.nodes)], energiesAt[:len(p.nodes)]
	for q, node := range p.nodes {
		moved[q] = lo + node*(hi-lo)
	}
	truth := 0.0
	for _, s := range l.sections {
		w, d := theta[s.block.Rule]*s.scale, p.slacks[s.number]
		phi, _ := s.block.Potential(d)
		truth += w * phi
		for q, m := range moved {
			phi, _ := s.block.Potential(d + s.slope*m)
			energies[q] += w * phi
		}
	}
	least := slices.Min(energies)
	mass := 0.0
	for q, area := range p.areas {
		energies[q] = area * math.Exp(least-energies[q])
		mass += energies[q]
	}
	for q := range energies {
		energies[q] /= mass
	}
	if l.surprise = truth - least + math.Log(mass); !p.discrete {
		l.surprise += math.Log(hi - lo)
	}
	for k := range l.sections {
		l.sections[k].compare(p.slacks, theta, moved, energies)
	}
}

// compare sets what the section adds to the derivatives: its value at the label less its expectation, for the
// distances moved with the given probabilities.
func (s *section) compare(slacks, theta, moved, probabilities []float64) {
	d := slacks[s.number]
	value, slope := s.block.Potential(d)
	for q, share := range probabilities {
		phi, phi1 := s.block.Potential(d + s.slope*moved[q])
		value -= share * phi
		slope -= share * phi1
	}
	s.excess = s.scale * value
	s.push = theta[s.block.Rule] * s.scale * slope
}

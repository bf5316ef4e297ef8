package learn

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

const (
	// finishing is the largest number of steps towards a maximum, and finishingWork that of the ground rules of all of
	// them together, which bounds their time.
	finishing     = 300
	finishingWork = 100_000_000
	// vainly is in how many steps in a row labels that are held out may be told no better.
	vainly = 20
	// beyond bounds the logarithm of a weight that is tried.
	beyond = 30
)

// Finish finds the maximum of the pseudo-likelihood from the weights written, as far as labels that are held out say
// that coming nearer is better: steps that shrink, with one length for all rules, end far from it where rules are many.
// It takes those of L-BFGS (Liu and Nocedal 1989), in the logarithms of the weights, on
//
//	PL(w) + prior/|T| · Σ_r log²(w_r/w_r as written),
//
// which holds weights back as a Weigher does: first of the rest of the labels, to see how many steps are best for those
// held out, and then as many of all. What is latent stays as it is.
func (t *Trainer) Finish(ctx context.Context, written []float64, rest, held *label.Labels) error {
	v := t.energies()
	if v == nil || v.pseudo == nil || t.Perception != nil || t.Validate != nil || t.RuleRate == 0 {
		return nil
	}
	var rules []int
	for r, learned := range t.Learned {
		if learned && written[r] > 0 {
			rules = append(rules, r)
		}
	}
	if len(rules) == 0 {
		return nil
	}
	of := func(pseudo *pseudoLikelihood, labels *label.Labels) *maximum {
		return &maximum{ctx: ctx, energies: v, of: pseudo, rules: rules, written: written, theta: slices.Clone(written),
			gradient: make([]float64, len(written)), prior: WeightPrior / float64(len(labels.Variables))}
	}
	most := min(finishing, finishingWork/max(1, t.Field.Model.Potentials()))
	part := of(newPseudoLikelihood(t.Field.Model, rest), rest)
	judge := &judging{maximum: of(newPseudoLikelihood(t.Field.Model, held), held)}
	judge.prior = 0
	judge.least = judge.value(judge.start())
	if part.minimise(most, judge); errors.Join(part.err, judge.err) != nil {
		return errors.Join(part.err, judge.err)
	}
	whole := of(v.pseudo, t.Labels)
	logs := whole.minimise(judge.best, nil)
	if whole.at(logs); whole.err != nil {
		return whole.err
	}
	copy(t.Theta, whole.theta)
	for r, w := range t.Theta {
		t.rules.Value[r] = float32(w)
	}
	if last := len(t.history) - 1; last >= 0 {
		t.history[last].Loss, t.history[last].Theta = whole.loss, slices.Clone(t.Theta)
	}
	return nil
}

// maximum is a pseudo-likelihood as a function of the logarithms of some weights.
type maximum struct {
	ctx context.Context
	*energies
	of              *pseudoLikelihood
	rules           []int // whose weights they are
	written         []float64
	prior           float64
	logs            []float64 // where theta, the loss and its gradient by weights are known
	theta, gradient []float64
	loss, total     float64 // without and with the prior
	err             error
}

// minimise takes so many steps from the weights written, and returns where it comes to.
func (m *maximum) minimise(steps int, recorder optimize.Recorder) []float64 {
	if steps == 0 {
		return m.start()
	}
	result, _ := optimize.Minimize(optimize.Problem{Func: m.value, Grad: m.slope}, m.start(), &optimize.Settings{
		MajorIterations: steps, Recorder: recorder, Converger: optimize.NeverTerminate{},
	}, &optimize.LBFGS{}) // what it has found counts, also where no longer step is found that gains anything
	if result == nil {
		return m.start()
	}
	return result.X
}

// start is the weights written.
func (m *maximum) start() []float64 {
	logs := make([]float64, len(m.rules))
	for k, r := range m.rules {
		logs[k] = math.Log(m.written[r])
	}
	return logs
}

// value returns the function, beyond all bounds once something has gone wrong.
func (m *maximum) value(logs []float64) float64 {
	if m.at(logs); m.err != nil {
		return math.Inf(1)
	}
	return m.total
}

// slope writes the gradient by the logarithms.
func (m *maximum) slope(gradient, logs []float64) {
	m.at(logs)
	for k, r := range m.rules {
		gradient[k] = m.gradient[r]*m.theta[r] + 2*m.prior*(logs[k]-math.Log(m.written[r]))
	}
}

// at finds what is asked for, unless it is known.
func (m *maximum) at(logs []float64) {
	if m.err = errors.Join(m.err, m.ctx.Err()); m.err != nil || slices.Equal(logs, m.logs) {
		return
	}
	m.logs = append(m.logs[:0], logs...)
	for k, r := range m.rules {
		m.theta[r] = math.Exp(min(max(logs[k], -beyond), beyond))
	}
	m.whole.SetWeights(m.theta)
	m.loss, m.err = m.of.at(m.whole, m.y, m.gradient, m.inputs[:m.whole.Model.Inputs])
	m.total = m.loss
	for k, r := range m.rules {
		log := logs[k] - math.Log(m.written[r])
		m.total += m.prior * log * log
	}
}

// judging looks at what labels that are held out say of each step.
type judging struct {
	*maximum
	steps, best int
	least       float64
}

// errVain ends steps that are no better for what is held out.
var errVain = errors.New("nothing is gained any more")

// Init implements optimize.Recorder.
func (j *judging) Init() error { return nil }

// Record implements optimize.Recorder.
func (j *judging) Record(at *optimize.Location, operation optimize.Operation, _ *optimize.Stats) error {
	if operation != optimize.MajorIteration {
		return nil
	}
	j.steps++
	if value := j.value(at.X); value < j.least {
		j.least, j.best = value, j.steps
	}
	if j.err != nil || j.steps-j.best > vainly {
		return errVain
	}
	return nil
}

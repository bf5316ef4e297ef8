package training

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// GradientOptions say how CheckGradients samples.
type GradientOptions struct {
	// Samples bounds the rule weights, and the parameters of each network, that are moved. Default 24.
	Samples int
	// Step is how far each is moved, relative to itself or to the usual one beside it. Default 0.003.
	Step float64
	// Epochs are learned before.
	Epochs int
	// Progress, if set, is called after every parameter.
	Progress func(done, total int)
}

// Agreement says how much a gradient is like central differences.
type Agreement struct {
	// Cosine is that of the angle between them; NaN if either is 0.
	Cosine float64 `json:"cosine"`
	// RelativeError is the length of what they differ by, relative to that of the differences.
	RelativeError float64 `json:"relative_error"`
	// Samples counts the parameters that were compared, Kinks those that could not be, as the loss has no derivative
	// there.
	Samples int `json:"samples"`
	Kinks   int `json:"kinks"`
}

// RuleGradient is an Agreement of one rule's weight, with the numbers themselves.
type RuleGradient struct {
	Rule string `json:"rule"`
	Agreement
	Gradient   float64 `json:"gradient"`
	Difference float64 `json:"difference"`
}

// NetworkGradient is an Agreement of a network's parameters.
type NetworkGradient struct {
	Network string `json:"network"`
	Agreement
}

// GradientReport is what CheckGradients found, in the form that `deeppsl gradcheck --json` prints.
type GradientReport struct {
	// Gradient is the method of learning whose gradient it is.
	Gradient string `json:"gradient"`
	Agreement
	// WorstCosine is the least of the rule weights together and of each network.
	WorstCosine float64 `json:"worst_cosine"`
	// UsedCosine is that of what learning takes in place of the exact derivative: with the implicit method, labels at a
	// bound yield. It is Cosine of all other methods.
	UsedCosine float64 `json:"used_cosine"`
	// BoundedLabels counts those.
	BoundedLabels int `json:"bounded_labels"`
	// Loose says that the MAP state is not unique, or all but not.
	Loose     bool              `json:"loose"`
	ByRule    []RuleGradient    `json:"by_rule"`
	ByNetwork []NetworkGradient `json:"by_network"`
	Loss      float64           `json:"loss"`
	// Noise is how well the loss is known.
	Noise   float64 `json:"noise"`
	Step    float64 `json:"step"`
	Seed    uint64  `json:"seed"`
	Verdict string  `json:"verdict"`
	// Wrong tells that a gradient which should be the derivative is not.
	Wrong bool `json:"wrong"`
}

// Compare compares the gradient that learning would use on a grounding of the learning phase with central differences
// of the whole chain, from a parameter of a network or a rule through the MAP state to the loss. The project should be
// precise.
func Compare(ctx context.Context, grounding *session.Grounding, o GradientOptions) (*GradientReport, error) {
	g := newLearner(grounding)
	p := g.Project
	if o.Samples == 0 {
		o.Samples = 24
	}
	if o.Step == 0 {
		o.Step = 3e-3
	}
	l := lesson{fitEpochs: p.Learning.Network.Epochs, epochs: o.Epochs}
	if _, err := g.fitNetworks(ctx, l); err != nil {
		return nil, err
	}
	trainer, err := g.trainer(ctx, l)
	if err != nil {
		return nil, err
	}
	if o.Epochs > 0 {
		if _, err := trainer.Run(ctx); err != nil {
			return nil, g.explainInfeasible(ctx, err)
		}
	}
	found, err := trainer.CheckGradients(ctx, learn.CheckSettings{Samples: o.Samples, Step: o.Step, Seed: p.Seed,
		Progress: o.Progress})
	if err != nil {
		return nil, g.explainInfeasible(ctx, err)
	}
	r := &GradientReport{Gradient: trainer.Method.String(), Loss: found.Loss, Noise: found.Noise,
		BoundedLabels: found.Bounded, Loose: found.Loose, Step: o.Step, Seed: p.Seed}
	r.sum(found.Slopes, func(rule int) string { return g.Program.Rules[rule].Text })
	r.judge(trainer.Method)
	return r, nil
}

// sum computes the agreements of all slopes.
func (r *GradientReport) sum(slopes []learn.Slope, rule func(int) string) {
	r.ByRule, r.ByNetwork = []RuleGradient{}, []NetworkGradient{} // JSON has lists in any case
	used := make([]learn.Slope, len(slopes))
	byNetwork := map[string][]learn.Slope{}
	var rules []learn.Slope
	for k, s := range slopes {
		used[k] = s
		used[k].Gradient = s.Used
		if s.Rule < 0 {
			if byNetwork[s.Network] == nil {
				r.ByNetwork = append(r.ByNetwork, NetworkGradient{Network: s.Network})
			}
			byNetwork[s.Network] = append(byNetwork[s.Network], s)
			continue
		}
		rules = append(rules, s)
	}
	r.Agreement, r.UsedCosine = agreement(slopes), agreement(used).Cosine
	r.WorstCosine = agreement(rules).Cosine
	for k := range r.ByNetwork {
		n := &r.ByNetwork[k]
		n.Agreement = agreement(byNetwork[n.Network])
		if !(r.WorstCosine <= n.Cosine) && !math.IsNaN(n.Cosine) {
			r.WorstCosine = n.Cosine
		}
	}
	for _, s := range rules {
		one := RuleGradient{Rule: rule(s.Rule), Gradient: s.Gradient, Difference: s.Difference,
			Agreement: agreement([]learn.Slope{s})}
		r.ByRule = append(r.ByRule, one)
	}
}

// agreement compares the gradients of some slopes with their differences.
func agreement(slopes []learn.Slope) (a Agreement) {
	var product, gradients, differences, errors float64
	for _, s := range slopes {
		if s.Kink {
			a.Kinks++
			continue
		}
		a.Samples++
		product += s.Gradient * s.Difference
		gradients += s.Gradient * s.Gradient
		differences += s.Difference * s.Difference
		errors += (s.Gradient - s.Difference) * (s.Gradient - s.Difference)
	}
	a.Cosine = product / math.Sqrt(gradients) / math.Sqrt(differences)
	a.RelativeError = math.Sqrt(errors / differences)
	if differences == 0 && errors == 0 {
		a.RelativeError = 0
	}
	if math.IsInf(a.RelativeError, 0) {
		a.RelativeError = math.NaN()
	}
	return a
}

// From these cosines on a gradient that should be the derivative is one, or is one but for rounding; and a surrogate
// shows the way.
const (
	sameCosine, nearCosine, helpfulCosine = 0.999, 0.99, 0.3
)

// judge says in words what the numbers mean.
func (r *GradientReport) judge(method learn.Method) {
	var says []string
	switch {
	case r.Samples == 0:
		says = append(says, "Nothing could be compared: at every sampled parameter the loss has a kink.")
	case math.IsNaN(r.Cosine):
		says = append(says, r.flat())
	case r.Cosine >= sameCosine:
		says = append(says, "The gradient is the derivative.")
	case r.Cosine >= nearCosine:
		says = append(says, "The gradient is the derivative but for rounding, and for kinks nearby.")
	case method.Info().Inexact != "":
		says = append(says, method.Info().Inexact, r.downhill())
	case r.Loose:
		says = append(says, "The MAP state is not unique here, or all but not, so that there is no derivative to rely on: "+
			"a weak rule about each target, such as 0.1: !Target(X) ^2, makes it unique.")
	default:
		r.Wrong = true
		says = append(says, "The gradient is not the derivative, and should be: a smaller --step may show that the loss "+
			"bends within it; otherwise this is a mistake of the program.")
	}
	if r.Kinks > 0 {
		says = append(says, fmt.Sprintf("Left out: %s, as the loss has a kink within the step.",
			source.Count(r.Kinks, "parameter")))
	}
	if r.BoundedLabels > 0 {
		says = append(says, fmt.Sprintf("%d labels are at 0 or 1, where nothing moves them; learning lets them yield, "+
			"and the cosine of what it takes is %.4f.", r.BoundedLabels, r.UsedCosine))
	}
	r.Verdict = strings.Join(says, " ")
}

// downhill says what the cosine means for a gradient that need not be the derivative.
func (r *GradientReport) downhill() string {
	switch {
	case r.Cosine >= helpfulCosine:
		return "This one leads downhill."
	case r.Cosine > 0:
		return "This one hardly leads downhill: try learn.method=implicit, or fit the networks first."
	}
	return "This one leads uphill here: try learn.method=implicit, or fit the networks first."
}

// flat says what it means that there is no slope.
func (r *GradientReport) flat() string {
	for _, a := range r.ByRule {
		if a.Difference != 0 {
			return "The method has no gradient where the loss has a slope: it cannot learn from here."
		}
	}
	return "Nothing that was moved changes the loss, or the gradient is 0: labels that nothing depends on, values at 0 " +
		"or 1, rules that are not active, or a network that is saturated."
}

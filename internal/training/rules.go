package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// learned tells which rules have a weight to learn.
func (g *learner) learned() []bool {
	learned := make([]bool, len(g.Program.Rules))
	for r, rule := range g.Program.Rules {
		learned[r] = !rule.Weight.Hard && !rule.Weight.Fixed
	}
	return learned
}

// written returns the rules' weights as written.
func (g *learner) written() []float64 {
	theta := make([]float64, len(g.Program.Rules))
	for r, rule := range g.Program.Rules {
		theta[r] = rule.Weight.Value
	}
	return theta
}

// presumes returns the weights that learning begins with: those written, but for rules that are doubted.
func (g *learner) presumes() []float64 {
	if g.presumed != nil {
		return slices.Clone(g.presumed)
	}
	return g.written()
}

// relative tells whether the MAP state depends on the ratios of the learned weights alone.
func (g *learner) relative() bool {
	for _, rule := range g.Program.Rules {
		if rule.Weight.Fixed && !rule.Weight.Hard {
			return false
		}
	}
	return true
}

// relates tells whether any rule may say of one thing what follows from others.
func (g *learner) relates() bool { return slices.ContainsFunc(g.Program.Rules, g.ties.Relates) }

// relatesBy tells the same of weights, by which rules that are doubted relate nothing if they are as presumed.
func (g *learner) relatesBy(theta []float64) bool {
	return slices.ContainsFunc(g.Program.Rules, func(rule *program.Rule) bool {
		r := rule.Index
		doubted := g.presumed != nil && theta[r] == g.presumed[r] && theta[r] != rule.Weight.Value
		return !doubted && g.ties.Relates(rule)
	})
}

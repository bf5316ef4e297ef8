// Package preflight looks at a program and its data before anything is ground. It finds what is probably not meant: its
// lints are warnings with a place and a stable id, each explained with an example in docs/lints.md. And it tells from
// estimates whether the ground model would fit in memory.
package preflight

import (
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Model is what is looked at: one phase of a configuration.
type Model struct {
	Config *load.Config
	// Program holds the phase's rules, Derivations those that make atoms.
	Program     *program.Program
	Derivations []*program.Rule
	// Tables holds the phase's atoms, derived and perceived ones included.
	Tables *load.Tables
	// Estimates are the program's, rule by rule.
	Estimates []ground.Estimate
	// Learns says that weights are learned, so that their values are only beginnings.
	Learns bool
	// Links are the predicates that networks propagate logits along.
	Links []string
	// Grounding says which ground rules are dropped.
	Grounding ground.Options
}

// Lint adds what is suspicious, and what grounding is sure to refuse. The diagnostics that are there already, of
// reading and of compiling, are not repeated in other words.
func (m *Model) Lint(out *source.Diagnostics) {
	for k, rule := range m.Program.Rules {
		e := &m.Estimates[k]
		e.Diagnose(m.Grounding, out)
		m.lintWeight(rule, out)
		m.lintJoin(rule, e, out)
		lintSlow(rule, e, out)
	}
	m.LintProgram(out)
	m.LintFiring(out)
	m.lintTwins(out)
	m.lintTouched(out)
	m.lintNames(out)
	for k, p := range m.Config.Predicates {
		m.lintTruth(k, p, out)
	}
}

// lintWeight reports a weight of 0 that stays so.
func (m *Model) lintWeight(rule *program.Rule, out *source.Diagnostics) {
	if w := rule.Weight; !w.Hard && w.Value == 0 && (w.Fixed || !m.Learns) {
		out.Warnf("zero-weight", rule.Span, "give it a weight above 0, or remove it", "a rule of weight 0 has no effect")
	}
}

// LintProgram is the part of Lint that needs no estimates and no time, so that every run does it before it grounds.
func (m *Model) LintProgram(out *source.Diagnostics) {
	for _, rule := range m.Program.Rules {
		lintVariables(rule, out)
		lintBlank(rule, out)
	}
	for _, rule := range m.Derivations {
		lintBlank(rule, out)
	}
	if m.Config.HasExamples() {
		return // whose atoms are none of the tables
	}
	m.lintTargets(out)
	m.lintUse(out)
	m.lintUnseen(out)
	for k, p := range m.Config.Predicates {
		m.lintOneSided(k, p, out)
	}
}

package session

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Preflight is what the lints look at, with what rules are expected to make, or have made.
func (g *Grounding) Preflight(estimates []ground.Estimate) *preflight.Model {
	config := g.Project.Config
	return &preflight.Model{
		Config: config, Program: g.Program, Derivations: g.Derivations.Rules(), Tables: g.Tables, Estimates: estimates,
		Learns: config.Runs(load.Learn), Grounding: g.Project.Phases[load.Infer].Model.Options(),
		Links: g.links(),
	}
}

// links are the predicates that networks propagate along, or may once learning has compared that.
func (g *Grounding) links() []string {
	names, s := g.Networks.Links(), &g.Project.Learning
	if g.Networks == nil || !g.Project.Config.Runs(load.Learn) || !s.Auto || !s.Propagate || s.Freeze {
		return names
	}
	for _, spec := range g.Networks.Specs {
		names = append(names, g.Networks.Ways(g.Project.Config, spec.Name, g.Tables.Store)...)
	}
	return names
}

// lintProgram adds what is suspicious about a phase before it is ground. What validation has is also learning's, or is
// only scored.
func (g *Grounding) lintProgram(warnings *source.Diagnostics) {
	if g.Phase != load.Validation {
		g.Preflight(nil).LintProgram(warnings)
		warnings.Sort()
	}
}

// lintFiring warns of rules that a ground model has nothing of, unless that has been told in other words. The first of
// many examples does not say it of all.
func (g *Grounding) lintFiring(told source.Diagnostics) {
	if g.Phase == load.Validation || g.Project.Config.HasExamples() {
		return
	}
	all := slices.Clone(told)
	g.Preflight(preflight.Counted(g.Report)).LintFiring(&all)
	g.Project.Warn(all[len(told):])
}

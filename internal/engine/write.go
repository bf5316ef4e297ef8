package engine

import (
	"fmt"
	"io"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// WriteModel writes the rules with their current weights, one per line, as a rule file that can be read again.
func (g *Grounding) WriteModel(w io.Writer) error {
	for k, rule := range g.program.Rules {
		learned := *rule.Written
		if !rule.Weight.Hard {
			learned.Weight.Number.Value = g.theta[k]
			learned.Weight.Number.Text = strconv.FormatFloat(g.theta[k], 'f', -1, 64)
		}
		if _, err := fmt.Fprintln(w, syntax.Print(&learned)); err != nil {
			return err
		}
	}
	return nil
}

// Networks tells whether the project has neural predicates.
func (p *Project) Networks() bool { return len(p.config.Networks) > 0 }

// Examples tells whether the project is about examples.
func (p *Project) Examples() bool { return p.config.HasExamples() }

// SaveNetworks writes the networks' parameters to a file, which LoadNetworks reads.
func (g *Grounding) SaveNetworks(path string) error {
	if g.networks == nil {
		return fmt.Errorf("%s has no network to save", g.project.config.Name)
	}
	return g.networks.system.SaveFile(path)
}

// LoadNetworks gives the networks the parameters that SaveNetworks wrote.
func (g *Grounding) LoadNetworks(path string) error {
	if g.networks == nil {
		return fmt.Errorf("%s has no network to load", g.project.config.Name)
	}
	return g.networks.system.LoadFile(path)
}

// WriteNetworks writes the networks' parameters, and ReadNetworks gives them those that it wrote.
func (g *Grounding) WriteNetworks(w io.Writer) error {
	if g.networks == nil {
		return fmt.Errorf("%s has no network to save", g.project.config.Name)
	}
	return g.networks.system.Save(w)
}

// ReadNetworks gives the networks the parameters that WriteNetworks wrote. On an error no parameter changes.
func (g *Grounding) ReadNetworks(r io.Reader) error {
	if g.networks == nil {
		return fmt.Errorf("%s has no network to load", g.project.config.Name)
	}
	g.loaded = true
	return g.networks.system.Load(r)
}

// ParsePhase returns the phase with the given name: learn, validation or infer.
func ParsePhase(name string) (Phase, error) {
	for phase := range load.Phase(3) {
		if phase.String() == name {
			return phase, nil
		}
	}
	return 0, fmt.Errorf("no phase %q: want learn, validation or infer", name)
}

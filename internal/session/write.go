package session

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// WriteModel writes the rules with their current weights, one per line, as a rule file that can be read again.
func (g *Grounding) WriteModel(w io.Writer) error {
	for k, rule := range g.Program.Rules {
		learned := *rule.Written
		if !rule.Weight.Hard {
			learned.Weight.Number.Value = g.Theta[k]
			learned.Weight.Number.Text = strconv.FormatFloat(g.Theta[k], 'f', -1, 64)
		}
		if _, err := fmt.Fprintln(w, syntax.Print(&learned)); err != nil {
			return err
		}
	}
	return nil
}

// SaveNetworks writes the networks' parameters to a file, which LoadNetworks reads.
func (g *Grounding) SaveNetworks(path string) error {
	if g.Networks == nil {
		return fmt.Errorf("%s has no network to save", g.Project.Config.Name)
	}
	return g.Networks.System.SaveFile(path)
}

// LoadNetworks gives the networks the parameters that SaveNetworks wrote.
func (g *Grounding) LoadNetworks(path string) error {
	if g.Networks == nil {
		return fmt.Errorf("%s has no network to load", g.Project.Config.Name)
	}
	if err := g.Networks.System.LoadFile(path); err != nil {
		return err
	}
	return g.Rebind() // they may propagate
}

// WriteNetworks writes the networks' parameters, and ReadNetworks gives them those that it wrote.
func (g *Grounding) WriteNetworks(w io.Writer) error {
	if g.Networks == nil {
		return fmt.Errorf("%s has no network to save", g.Project.Config.Name)
	}
	return g.Networks.System.Save(w)
}

// ReadNetworks gives the networks the parameters that WriteNetworks wrote. On an error no parameter changes.
func (g *Grounding) ReadNetworks(r io.Reader) error {
	if g.Networks == nil {
		return fmt.Errorf("%s has no network to load", g.Project.Config.Name)
	}
	g.Loaded = true
	if err := g.Networks.System.Load(r); err != nil {
		return err
	}
	return g.Rebind()
}

// Classify returns the outputs of a classifier for rows of its features, a matrix [len(rows), classes].
func (g *Grounding) Classify(network string, rows []int32) ([]float32, error) {
	if g.Networks == nil {
		return nil, errors.New("the project has no networks")
	}
	return g.Networks.System.Predict(network, rows)
}

// Export perceives with the current networks and writes the problem that Infer solves. The variables of the quadratic
// program are the target atoms in their order, its optimum is Infer's objective. No names of atoms are written; the
// rules' texts are, in dumps.
func (g *Grounding) Export(w io.Writer, format export.Format) error {
	if err := g.Perceive(); err != nil {
		return err
	}
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(g.Inputs)
	rules := make([]string, len(g.Program.Rules))
	for k, rule := range g.Program.Rules {
		rules[k] = rule.Text
	}
	return g.Guard(func() error { return export.Write(w, format, g.Field, rules) })
}

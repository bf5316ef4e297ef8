package engine

import (
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// lookAhead finds what is wrong with the rules and the tables of inference and validation before learning takes its
// time, and then tells it together with what is wrong with those of learning.
func lookAhead(p *project.Project) error {
	var diags source.Diagnostics
	p.CompileAll(&diags)
	for _, phase := range []load.Phase{load.Validation, load.Infer} {
		if err := diagnosed(readAhead(p, phase), &diags); err != nil {
			return err
		}
	}
	if !diags.HasErrors() {
		return nil
	}
	_, err := p.Config.Tables(load.Learn)
	return collect(err, &diags)
}

// readAhead reads the tables of a phase, of which those that learning has too are left to it.
func readAhead(p *project.Project, phase load.Phase) error {
	if !p.SharesAtoms(load.Learn, phase) {
		tables, err := p.Config.Tables(phase)
		if err == nil && phase == load.Infer {
			err = checkAtoms(p, tables.Store)
		}
		return err
	}
	symbols := symbol.NewTable()
	var diags source.Diagnostics
	for k := range p.Config.Predicates {
		_, err := p.Config.TruthOf(phase, k, symbols)
		if err := diagnosed(err, &diags); err != nil {
			return err
		}
	}
	return diags.Err()
}

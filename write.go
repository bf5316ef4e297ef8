package deeppsl

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
)

// WriteAtoms writes an answer as Java PSL does: one file NAME.txt per open or neural predicate, with a tab-separated row
// of arguments and value per atom. Each file is written beside and renamed. It returns the files' paths.
func (g *Grounding) WriteAtoms(dir string, answer *Answer) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	var paths []string
	for k, atoms := range g.tables.Store.Relations {
		if atoms.FreeLen() == 0 {
			continue
		}
		path := filepath.Join(dir, strings.ToUpper(g.project.config.Predicates[k].Name)+".txt")
		err := report.WriteFileFunc(path, func(w io.Writer) error { return g.writeAtoms(w, answer, atoms) })
		if err != nil {
			return paths, fmt.Errorf("writing results: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (g *Grounding) writeAtoms(w io.Writer, answer *Answer, atoms *relation.Relation) error {
	buffered := bufio.NewWriter(w)
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		for _, column := range atoms.Columns {
			buffered.WriteString(g.tables.Store.Symbols.Name(column[row]))
			buffered.WriteByte('\t')
		}
		fmt.Fprintf(buffered, "%.7g\n", value(answer, atoms, row))
	}
	return buffered.Flush()
}

// Networks tells whether the project has neural predicates.
func (p *Project) Networks() bool { return len(p.config.Networks) > 0 }

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

// ParsePhase returns the phase with the given name: learn, validation or infer.
func ParsePhase(name string) (Phase, error) {
	for phase := range load.Phase(3) {
		if phase.String() == name {
			return phase, nil
		}
	}
	return 0, fmt.Errorf("no phase %q: want learn, validation or infer", name)
}

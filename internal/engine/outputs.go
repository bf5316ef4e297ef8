package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
)

// AtomFiles lists the files of a folder that answers may be written to.
func AtomFiles(p *project.Project, dir string) (paths []string) {
	for _, predicate := range p.Config.Predicates {
		name := strings.ToUpper(predicate.Name) + session.Extensions[p.Phases[load.Infer].Outputs.Format]
		paths = append(paths, filepath.Join(dir, name))
	}
	return append(paths, filepath.Join(dir, examplesFile))
}

// examplesFile is the name of the file of predictions.
const examplesFile = "examples.csv"

// checkAtoms tells before an answer is sought that its atoms could not be written where the options want them.
func checkAtoms(p *project.Project, store *relation.Store) error {
	outputs := p.Outputs()
	if outputs.Atoms == "" || outputs.Hidden || p.Config.HasExamples() {
		return nil
	}
	return session.CheckAtoms(store, &p.Phases[load.Infer])
}

// WriteAnswer writes the answer into a folder: the predictions of examples as examples.csv, or else the atoms as
// Grounding.WriteAtoms does. It returns the files' paths.
func (r *Report) WriteAnswer(dir string) ([]string, error) {
	if r.Predictions == nil {
		return r.Grounding.WriteAtoms(dir, r.Answer)
	}
	path := filepath.Join(dir, examplesFile)
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = report.WriteFileFunc(path, r.Predictions.Write)
	}
	if err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	return []string{path}, nil
}

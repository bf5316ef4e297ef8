package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
)

// writeProject writes a project's files, by name, and returns the path of model.json.
func writeProject(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.json")
}

// load loads a project.
func load(t testing.TB, path string, options engine.Options) *engine.Project {
	t.Helper()
	project, err := engine.Load(path, options)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// run loads a project and runs stages of it.
func run(t testing.TB, path string, options engine.Options, stages engine.Stages) *engine.Report {
	t.Helper()
	project := load(t, path, options)
	report, err := project.Run(context.Background(), stages)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// ground loads a project and grounds the rules of a phase.
func ground(t testing.TB, path string, options engine.Options, phase engine.Phase) (*engine.Project,
	*engine.Grounding) {
	t.Helper()
	project := load(t, path, options)
	grounding, err := project.Ground(context.Background(), phase)
	if err != nil {
		t.Fatal(err)
	}
	return project, grounding
}

// atoms returns the inferred values by atom.
func atoms(report *engine.Report) map[string]float64 {
	values := make(map[string]float64)
	report.Grounding.Each(report.Answer, true, func(a engine.Atom) {
		values[fmt.Sprintf("%s(%s)", a.Predicate, strings.Join(a.Arguments, ", "))] = a.Value
	})
	return values
}

// Load knows what is wrong with rules, though nothing else is wrong; and what a file's absence is.
func TestLoadFindsWhatIsWrong(t *testing.T) {
	dir := filepath.Dir(writeProject(t, map[string]string{
		"rules.json": `{"predicates": {"A/1": {"targets": [["a"]]}}, "rules": ["1: A(X) -> B(X)"]}`,
		"table.json": `{"predicates": {"A/1": {"targets": ["none.tsv"]}}, "rules": ["1: A(X)"]}`,
		"file.json":  `{"predicates": {"A/1": {"targets": [["a"]]}}, "rules": "none.psl"}`,
	}))
	if _, err := engine.Load(filepath.Join(dir, "rules.json"), engine.Options{}); err == nil ||
		!strings.Contains(err.Error(), "[unknown-predicate]") {
		t.Errorf("rules about an unknown predicate are loaded: %v", err)
	}
	for _, name := range []string{"file.json", "gone.json"} {
		if _, err := engine.Load(filepath.Join(dir, name), engine.Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v is no os.ErrNotExist", name, err)
		}
	}
	p, err := engine.Load(filepath.Join(dir, "table.json"), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Ground(t.Context(), engine.Infer); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing table: %v is no os.ErrNotExist", err)
	}
}

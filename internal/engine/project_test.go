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
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// ground loads a project and grounds the rules of a phase.
func ground(t testing.TB, path string, options project.Options, phase load.Phase) (*project.Project,
	*session.Grounding) {
	t.Helper()
	project := loaded(t, path, options)
	grounding, err := engine.Ground(context.Background(), project, phase)
	if err != nil {
		t.Fatal(err)
	}
	return project, grounding
}

// atoms returns the inferred values by atom.
func atoms(report *engine.Report) map[string]float64 {
	values := make(map[string]float64)
	report.Grounding.Each(report.Answer, true, func(a session.Atom) {
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
	if _, err := project.Load(filepath.Join(dir, "rules.json"), project.Options{}); err == nil ||
		!strings.Contains(err.Error(), "[unknown-predicate]") {
		t.Errorf("rules about an unknown predicate are loaded: %v", err)
	}
	for _, name := range []string{"file.json", "gone.json"} {
		if _, err := project.Load(filepath.Join(dir, name), project.Options{}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v is no os.ErrNotExist", name, err)
		}
	}
	p, err := project.Load(filepath.Join(dir, "table.json"), project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Ground(t.Context(), p, load.Infer); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing table: %v is no os.ErrNotExist", err)
	}
}

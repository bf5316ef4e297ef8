package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	_ "github.com/deeppsl/deeppsl/parquet"
)

// Constants that a format cannot hold are an error, in the formats that cannot, and written as they are in others.
func TestAtomsOfStrangeNames(t *testing.T) {
	for _, test := range []struct{ name, format, want string }{
		{"tab\\tbed", "txt", `cannot hold the tab or line break in "tab\tbed"`},
		{"two\\nlines", "txt", "cannot hold the tab or line break"},
		{"two\\nlines", "json", ""},
		{"caf\xe9", "json", `cannot hold "caf\xe9", which is not UTF-8`},
		{"caf\xe9", "txt", ""},
		{"it's", "txt", ""},
		{"tab\\tbed", "parquet", ""},
	} {
		path := writeProject(t, map[string]string{"model.json": `{"rules": ["1: T(X)"],
			"predicates": {"T/1": {"targets": [["` + test.name + `"]]}}}`})
		report := run(t, path, project.Options{Set: []string{"output.format=" + test.format}}, engine.Stages{})
		_, err := report.Grounding.WriteAtoms(filepath.Join(t.TempDir(), "atoms"), report.Answer)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q as %s: %v", test.name, test.format, err)
		}
	}
}

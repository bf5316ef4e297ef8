package program

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

func languagePage(t *testing.T) string {
	page, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestLanguageExamples reads every example of the language's page and finds it in canonical form.
func TestLanguageExamples(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```(psl|psl-definition)\n(.*?)```").FindAllStringSubmatch(languagePage(t), -1)
	if len(blocks) < 10 {
		t.Fatalf("found only %d examples", len(blocks))
	}
	for _, block := range blocks {
		kind, example := block[1], block[2]
		var diags source.Diagnostics
		if kind == "psl-definition" {
			for line := range strings.Lines(example) {
				if rule := syntax.ParseDerivation(text(line), &diags); rule != nil && syntax.Print(rule)+"\n" != line {
					t.Errorf("%q is not in canonical form", line)
				}
			}
		} else {
			var formatted string
			formatted, diags = syntax.Format(text(example))
			if diff := cmp.Diff(example, formatted); diff != "" && len(diags) == 0 {
				t.Errorf("(-example +canonical form):\n%s", diff)
			}
		}
		if err := diags.Err(); err != nil {
			t.Error(err)
		}
	}
}

// TestDiagnosticExamples finds in each example of the page's table the diagnostic that it is an example of.
func TestDiagnosticExamples(t *testing.T) {
	alike := closed("Alike", String, String)
	alike.Functional = true
	predicates := []*Predicate{closed("Person", String), closed("Lived", String, String), closed("Age", Int), alike,
		closed("Near", String, String), open("Happy", String), open("Rich", String), open("Knows", String, String)}
	row := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| `(.*)` \\|$")
	rows := row.FindAllStringSubmatch(languagePage(t), -1)
	if len(rows) < 30 {
		t.Fatalf("found only %d examples", len(rows))
	}
	for _, row := range rows {
		id, example := row[1], strings.ReplaceAll(row[2], `\|`, "|")
		_, diags := compileFile(predicates, text(example))
		if strings.HasSuffix(id, "-derivation") {
			_, diags = compileDefinition(predicates, example)
		}
		if !slices.ContainsFunc(diags, func(d source.Diagnostic) bool { return d.ID == id }) {
			t.Errorf("%s does not lead to %s, but to %v", example, id, diags)
		}
	}
}

// TestDiagnosticsAreListed compares the names of diagnostics in the code with those in the language's page.
func TestDiagnosticsAreListed(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|")
	_, table, _ := strings.Cut(languagePage(t), "## Diagnostics")
	var listed []string
	for _, match := range row.FindAllStringSubmatch(table, -1) {
		listed = append(listed, match[1])
	}
	reported := regexp.MustCompile(`(?:\.fail|\.errorf|\.Errorf|\.Warnf)\("([a-z-]+)"`)
	var used []string
	for _, pattern := range []string{"../syntax/*.go", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			code, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range reported.FindAllStringSubmatch(string(code), -1) {
				used = append(used, match[1])
			}
		}
	}
	slices.Sort(used)
	if diff := cmp.Diff(slices.Compact(used), listed); diff != "" {
		t.Errorf("(-used +listed):\n%s", diff)
	}
}

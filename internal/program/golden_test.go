package program

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// TestFigures compiles the rules in the paper's figures and compares with what they mean.
func TestFigures(t *testing.T) {
	for _, name := range []string{"digits", "citation", "entity"} {
		t.Run(name, func(t *testing.T) {
			rules, err := os.ReadFile("testdata/" + name + ".psl")
			if err != nil {
				t.Fatal(err)
			}
			got := compiled(figurePredicates(), &source.File{Name: name + ".psl", Text: string(rules)})
			goldentest.File(t, "testdata/"+name+".out", []byte(got))
		})
	}
}

// TestGolden compiles every input x.psl of the archives in testdata and compares with the output x.out after it.
func TestGolden(t *testing.T) {
	for _, name := range []string{"rules", "errors"} {
		t.Run(name, func(t *testing.T) {
			goldentest.Archive(t, "testdata/"+name+".txt", func(name, text string) string {
				return compiled(testPredicates(), &source.File{Name: name, Text: text})
			})
		})
	}
}

// compiled prints the program that a file compiles to, then its diagnostics.
func compiled(predicates []*Predicate, file *source.File) string {
	var b strings.Builder
	program, diags := compileFile(predicates, file)
	if err := program.Print(&b); err != nil {
		panic("a strings.Builder failed: " + err.Error())
	}
	diags.Sort()
	diags.Render(&b, false, 0)
	return b.String()
}

// FuzzCompile checks that nothing that parses makes the compiler or the printer fail, and that what has errors is left
// out.
func FuzzCompile(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txt")
	f.Fuzz(func(t *testing.T, rules string) {
		var diags source.Diagnostics
		parsed := syntax.Parse(text(rules), &diags)
		program := Compile(testPredicates(), parsed, &diags)
		repeated := func(d source.Diagnostic) bool { return d.ID == "duplicate-rule" }
		if len(program.Rules) < len(parsed) && !diags.HasErrors() && !slices.ContainsFunc(diags, repeated) {
			t.Errorf("%d rules of %d, and nothing is said", len(program.Rules), len(parsed))
		}
		if err := program.Print(new(strings.Builder)); err != nil {
			t.Error(err)
		}
	})
}

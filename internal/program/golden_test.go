package program

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// TestFigures compiles the rules in the paper's figures and compares with what they mean.
func TestFigures(t *testing.T) {
	for _, name := range []string{"digits", "citation", "entity"} {
		t.Run(name, func(t *testing.T) {
			rules, err := os.ReadFile("testdata/" + name + ".psl")
			if err != nil {
				t.Fatal(err)
			}
			got := compiled(figurePredicates(), &source.File{Name: name + ".psl", Text: string(rules)})
			path := "testdata/" + name + ".out"
			if *update {
				write(t, path, []byte(got))
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestGolden compiles every input x.psl of the archives in testdata and compares with the output x.out after it.
func TestGolden(t *testing.T) {
	for _, name := range []string{"rules", "errors"} {
		t.Run(name, func(t *testing.T) { golden(t, "testdata/"+name+".txt") })
	}
}

func golden(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	var files []txtar.File
	for _, f := range archive.Files {
		base, isInput := strings.CutSuffix(f.Name, ".psl")
		if !isInput {
			want[f.Name] = string(f.Data)
			continue
		}
		got := compiled(testPredicates(), &source.File{Name: f.Name, Text: string(f.Data)})
		files = append(files, f, txtar.File{Name: base + ".out", Data: []byte(got)})
	}
	if *update {
		archive.Files = files
		write(t, path, txtar.Format(archive))
		return
	}
	for _, f := range files {
		if diff := cmp.Diff(want[f.Name], string(f.Data)); diff != "" && strings.HasSuffix(f.Name, ".out") {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
}

// compiled prints the program that a file compiles to, then its diagnostics.
func compiled(predicates []*Predicate, file *source.File) string {
	var diags source.Diagnostics
	var b strings.Builder
	program := Compile(predicates, syntax.Parse(file, &diags), &diags)
	if err := program.Print(&b); err != nil {
		panic("a strings.Builder failed: " + err.Error())
	}
	diags.Sort()
	diags.Render(&b, false, 0)
	return b.String()
}

func write(t *testing.T, path string, data []byte) {
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// FuzzCompile checks that nothing that parses makes the compiler or the printer fail, and that what has errors is left
// out.
func FuzzCompile(f *testing.F) {
	for _, name := range []string{"rules", "errors"} {
		archive, err := txtar.ParseFile("testdata/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, rules string) {
		var diags source.Diagnostics
		parsed := syntax.Parse(text(rules), &diags)
		program := Compile(testPredicates(), parsed, &diags)
		if len(program.Rules) < len(parsed) && !diags.HasErrors() {
			t.Errorf("%d rules of %d without an error", len(program.Rules), len(parsed))
		}
		if err := program.Print(new(strings.Builder)); err != nil {
			t.Error(err)
		}
	})
}

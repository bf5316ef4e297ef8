package syntax

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deeppsl/deeppsl/internal/source"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// TestGolden runs every input x.psl of the archives in testdata and compares with the output x.out that follows it.
func TestGolden(t *testing.T) {
	for name, run := range map[string]func(*source.File) string{
		"rules":       parseAll,
		"errors":      parseAll,
		"format":      formatAll,
		"derivations": derive,
	} {
		t.Run(name, func(t *testing.T) { golden(t, "testdata/"+name+".txt", run) })
	}
}

func golden(t *testing.T, path string, run func(*source.File) string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	var got []txtar.File
	for _, f := range archive.Files {
		base, isInput := strings.CutSuffix(f.Name, ".psl")
		if !isInput {
			want[f.Name] = string(f.Data)
			continue
		}
		out := run(&source.File{Name: f.Name, Text: string(f.Data)})
		got = append(got, f, txtar.File{Name: base + ".out", Data: []byte(out)})
	}
	if *update {
		archive.Files = got
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range got {
		if strings.HasSuffix(f.Name, ".out") {
			if diff := cmp.Diff(want[f.Name], string(f.Data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", f.Name, diff)
			}
		}
	}
}

// parseAll prints the rules of a file, then its diagnostics.
func parseAll(file *source.File) string {
	var diags source.Diagnostics
	var b strings.Builder
	for _, rule := range Parse(file, &diags) {
		b.WriteString(Print(rule) + "\n")
	}
	return b.String() + rendered(diags)
}

func formatAll(file *source.File) string {
	text, diags := Format(file)
	return text + rendered(diags)
}

func derive(file *source.File) string {
	var diags source.Diagnostics
	if rule := ParseDerivation(file, &diags); rule != nil {
		return Print(rule) + "\n" + rendered(diags)
	}
	return rendered(diags)
}

func rendered(diags source.Diagnostics) string {
	var b strings.Builder
	diags.Sort()
	diags.Render(&b, false, 0)
	return b.String()
}

// addExamples seeds a fuzz target with the inputs in testdata.
func addExamples(f *testing.F) {
	for _, name := range []string{"rules", "errors", "format", "derivations"} {
		archive, err := txtar.ParseFile("testdata/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
}

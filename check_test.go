package deeppsl

import (
	"context"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deeppsl/deeppsl/internal/source"
)

var update = flag.Bool("update", false, "rewrite the outputs in docs")

// lintsPage is where each lint has a section with an example and its output.
const lintsPage = "docs/lints.md"

// TestLints checks every example of the lints' page: what is printed for it, and that it is about the section's lint.
func TestLints(t *testing.T) {
	page, err := os.ReadFile(lintsPage)
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)## ([a-z-]+)\n[^#]*?```json\n(.*?)```\n\n```text\n(.*?)```\n")
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	checked := 0
	updated := example.ReplaceAllStringFunc(string(page), func(section string) string {
		parts := example.FindStringSubmatch(section)
		id, config, want := parts[1], parts[2], parts[3]
		got := lintsOf(t, config)
		checked++
		if !strings.Contains(got, " ["+id+"]\n") {
			t.Errorf("the example of %s is about something else:\n%s", id, got)
		}
		if diff := cmp.Diff(want, got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		return strings.Replace(section, "```text\n"+want, "```text\n"+got, 1)
	})
	if sections := strings.Count(string(page), "\n```json\n"); checked != sections || checked < 10 {
		t.Errorf("%d examples of %d were checked", checked, sections)
	}
	if *update {
		if err := os.WriteFile(filepath.Join(folder, lintsPage), []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// lintsOf renders what a check of a configuration finds.
func lintsOf(t *testing.T, config string) string {
	t.Helper()
	if err := os.WriteFile("model.json", []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	return found(t, "model.json", nil)
}

// found renders what a check of a file finds, with options set by the caller.
func found(t *testing.T, path string, set []string) string {
	t.Helper()
	var diags Warnings
	project, err := Load(path, Options{Set: set})
	if err == nil {
		var summary *Summary
		if summary, err = project.Check(context.Background()); summary != nil {
			diags = summary.Diagnostics
		}
	}
	if failure := (*source.Failure)(nil); errors.As(err, &failure) {
		diags = failure.Diagnostics
	} else if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	diags.Render(&b, false, 0)
	return b.String()
}

// TestMessages checks the configurations in an archive, and compares what is printed with the archive's outputs.
func TestMessages(t *testing.T) {
	golden, err := filepath.Abs("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	text, inputs := make(map[string]string), archive.Files[:0:0]
	for _, file := range archive.Files {
		text[file.Name] = string(file.Data)
		if filepath.Ext(file.Name) == ".out" {
			continue
		}
		inputs = append(inputs, file)
		if err := os.WriteFile(file.Name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	archive.Files = nil
	for _, file := range inputs {
		archive.Files = append(archive.Files, file)
		name, isConfig := strings.CutSuffix(file.Name, ".json")
		if !isConfig {
			continue
		}
		got := found(t, file.Name, strings.Fields(text[name+".set"]))
		if diff := cmp.Diff(text[name+".out"], got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name + ".out", Data: []byte(got)})
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func init() {
	RegisterFunction("Senseless", 1, func(...string) float64 { return math.NaN() })
}

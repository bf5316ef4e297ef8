package engine

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lintsPage is where each lint has a section with an example and its output.
const lintsPage = "docs/lints.md"

// TestLints checks every example of the lints' page: what is printed for it, and that it is about the section's lint.
func TestLints(t *testing.T) {
	example := regexp.MustCompile("(?s)## ([a-z-]+)\n[^#]*?```json\n(.*?)```\n\n```text\n(.*?)```\n")
	checkPage(t, lintsPage, example, func(groups []string) string {
		id, config := groups[1], groups[2]
		got := lintsOf(t, config)
		if !strings.Contains(got, " ["+id+"]\n") {
			t.Errorf("the example of %s is about something else:\n%s", id, got)
		}
		return got
	})
}

// checkPage runs the examples of a page, and compares with the outputs that it shows. Each is a configuration, and its
// output is the last group of what the expression finds.
func checkPage(t *testing.T, path string, example *regexp.Regexp, run func(groups []string) string) {
	t.Helper()
	page := readText(t, path)
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	matches := example.FindAllStringSubmatchIndex(page, -1)
	if blocks := strings.Count(page, "\n```json\n"); len(matches) != blocks || blocks < 10 {
		t.Errorf("%d examples of %d are checked", len(matches), blocks)
	}
	var updated strings.Builder
	shown := 0
	for _, match := range matches {
		output := match[len(match)-2:]
		updated.WriteString(page[shown:output[0]])
		updated.WriteString(run(example.FindStringSubmatch(page[match[0]:match[1]])))
		shown = output[1]
	}
	goldentest.File(t, path, []byte(updated.String()+page[shown:]))
}

// lintsOf renders what a check of a configuration finds.
func lintsOf(t *testing.T, config string) string {
	t.Helper()
	writeText(t, "model.json", config)
	return found(t, "model.json", nil)
}

// senseless loads a project, whose function Senseless, if it has one, returns no number.
func senseless(path string, options project.Options) (*project.Project, error) {
	config, err := load.Read(path)
	if err != nil {
		return project.Load(path, options) // which says more
	}
	for _, declared := range config.Predicates {
		if declared.Name == "Senseless" {
			declared.Call = func(...string) float64 { return math.NaN() }
		}
	}
	return project.New(config, options)
}

// found renders what a check of a file finds, with options set by the caller.
func found(t *testing.T, path string, set []string) string {
	t.Helper()
	var diags source.Diagnostics
	project, err := senseless(path, project.Options{Set: set})
	if err == nil {
		var summary *Summary
		if summary, err = Check(context.Background(), project); summary != nil {
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
	golden, err := filepath.Abs("internal/engine/testdata/messages.txt")
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
		writeText(t, file.Name, text[file.Name])
	}
	archive.Files = nil
	for _, file := range inputs {
		archive.Files = append(archive.Files, file)
		name, isConfig := strings.CutSuffix(file.Name, ".json")
		if !isConfig {
			continue
		}
		got := found(t, file.Name, strings.Fields(text[name+".set"]))
		archive.Files = append(archive.Files, txtar.File{Name: name + ".out", Data: []byte(got)})
	}
	goldentest.File(t, golden, txtar.Format(archive))
}

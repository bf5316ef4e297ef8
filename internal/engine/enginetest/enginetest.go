// Package enginetest writes projects for tests, runs them and reads what came of it. Its own tests are of what learning
// does by default that takes long: a test program of their own, beside the engine's.
package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// LearnAndInfer are the stages of most tests.
var LearnAndInfer = engine.Stages{Learn: true, Infer: true}

// Write writes a project's files, by name, and returns the path of model.json.
func Write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.json")
}

// Load loads a project.
func Load(t testing.TB, path string, options project.Options) *project.Project {
	t.Helper()
	project, err := project.Load(path, options)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// Run loads a project and runs stages of it.
func Run(t testing.TB, path string, options project.Options, stages engine.Stages) *engine.Report {
	t.Helper()
	report, err := engine.Run(context.Background(), Load(t, path, options), stages)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Accuracy is that of the first predicate that is scored.
func Accuracy(r *engine.Report) float64 { return r.Evaluations[0].Values["Accuracy"] }

// LastAccuracy is that of the last one.
func LastAccuracy(r *engine.Report) float64 {
	return r.Evaluations[len(r.Evaluations)-1].Values["Accuracy"]
}

// Classify adds a thing to tables: all classes as its targets, and its own to what is learned from or tested by.
func Classify(files map[string]string, thing string, classes []string, own string, known bool) {
	for _, class := range classes {
		files["targets.tsv"] += thing + "\t" + class + "\n"
	}
	table := "test.tsv"
	if known {
		table = "train.tsv"
	}
	files[table] += thing + "\t" + own + "\n"
}

// Unique returns lines without those that have come before.
func Unique(lines string) (out string) {
	seen := make(map[string]bool)
	for line := range strings.SplitAfterSeq(lines, "\n") {
		if !seen[line] {
			seen[line] = true
			out += line
		}
	}
	return out
}

// Rows are tables by file.
type Rows map[string]*strings.Builder

// Write adds to a table.
func (r Rows) Write(file, format string, values ...any) {
	if r[file] == nil {
		r[file] = new(strings.Builder)
	}
	fmt.Fprintf(r[file], format, values...)
}

// Label writes which of so many classes a thing is of, to learn from or to infer, and all that it is asked for.
func (r Rows) Label(thing, class, classes int, known bool) {
	for k := range classes {
		r.Write("classes.tsv", "x%d\tk%d\n", thing, k)
	}
	file := "test.tsv"
	if known {
		file = "train.tsv"
	}
	r.Write(file, "x%d\tk%d\n", thing, class)
}

// Project writes a project of these tables.
func (r Rows) Project(t testing.TB, model string) string {
	files := map[string]string{"model.json": model}
	for file, table := range r {
		files[file] = table.String()
	}
	return Write(t, files)
}

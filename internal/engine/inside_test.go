package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// TestMain lets tests name files of the module, such as those of examples, by their paths from its root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// readText reads a file.
func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeText writes a file.
func writeText(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeFiles writes a project's files, by name, and returns the path of model.json.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		writeText(t, filepath.Join(folder, name), text)
	}
	return filepath.Join(folder, "model.json")
}

// loaded loads a project.
func loaded(t testing.TB, path string, options project.Options) *project.Project {
	t.Helper()
	project, err := project.Load(path, options)
	if err != nil {
		t.Fatal(err)
	}
	return project
}

// run runs stages of a project.
func run(t testing.TB, project *project.Project, stages Stages) *Report {
	t.Helper()
	report, err := Run(context.Background(), project, stages)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// grounded loads a project and grounds the rules of a phase.
func grounded(t testing.TB, path string, options project.Options, phase load.Phase) *session.Grounding {
	t.Helper()
	grounding, err := Ground(context.Background(), loaded(t, path, options), phase)
	if err != nil {
		t.Fatal(err)
	}
	return grounding
}

// infer finds the MAP state.
func infer(t testing.TB, grounding *session.Grounding) *session.Answer {
	t.Helper()
	answer, err := grounding.Infer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// trained learns the parameters.
func trained(t testing.TB, grounding *session.Grounding) *training.Training {
	t.Helper()
	training, err := training.Train(context.Background(), grounding)
	if err != nil {
		t.Fatal(err)
	}
	return training
}

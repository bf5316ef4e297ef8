// Package batchtest grounds what tests write down.
package batchtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Ground grounds a project of these files, whose configuration is model.json, for learning.
func Ground(t *testing.T, files map[string]string) *session.Grounding {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := project.Load(filepath.Join(folder, "model.json"), project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	networks, err := perceive.Load(loaded)
	if err != nil {
		t.Fatal(err)
	}
	grounding, err := batch.Ground(t.Context(), loaded, load.Learn, networks)
	if err != nil {
		t.Fatal(err)
	}
	return grounding
}

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/scratch"
	"github.com/deeppsl/deeppsl/internal/source"
)

// A model that was expected to fit in the memory given, and does not, must be ground into a file after all, and be the
// same; what may not go there must be refused.
func TestOutgrown(t *testing.T) {
	if !scratch.Supported {
		t.Skip("not on this system")
	}
	var friends strings.Builder
	for k := range 40 * 40 {
		fmt.Fprintf(&friends, "p%d\tp%d\n", k/40, k%40)
	}
	folder, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(folder, "model.json")
	for name, text := range map[string]string{"friends.txt": friends.String(), "model.json": `{
		"rules": ["1: Friends(A, B) & Friends(B, C) -> Friends(A, C) ^2", "1: !Friends(A, B) ^2"],
		"predicates": {"Friends/2": {"targets": ["friends.txt"]}}}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prepared := func(phase load.Phase) *Grounding {
		project, err := project.Load(path, project.Options{Set: []string{"ground.memory=2MB", "ground.scratch=" + dir}})
		if err != nil {
			t.Fatal(err)
		}
		var warnings source.Diagnostics
		g, err := Prepare(t.Context(), project, phase, &perceive.Networks{}, &warnings)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	foreseen := prepared(load.Infer)
	if err := foreseen.fit(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer foreseen.Close()
	outgrown := prepared(load.Infer) // as if its estimate had said that it fits
	defer outgrown.Close()
	for _, g := range []*Grounding{foreseen, outgrown} {
		if err := g.ground(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if outgrown.ScratchBytes() != foreseen.ScratchBytes() || outgrown.ScratchBytes() == 0 ||
		outgrown.Potentials() != foreseen.Potentials() {
		t.Errorf("%d ground rules in %d bytes, want %d in %d", outgrown.Potentials(), outgrown.ScratchBytes(),
			foreseen.Potentials(), foreseen.ScratchBytes())
	}
	err := prepared(load.Learn).ground(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the ground rules would take more than the") ||
		!strings.Contains(err.Error(), "[too-large]") {
		t.Errorf("learning beyond memory: %v", err)
	}
}

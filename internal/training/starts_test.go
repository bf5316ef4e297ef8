package training

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// The start that is kept must have its own weights, and not those that a later one has learned.
func TestAStartKeepsItsWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	const config = `{"rules": ["2: !P(X) ^2", "3: P(X) ^2"], "predicates": {"P/1": {"targets": [["a"]]}}}`
	if err := os.WriteFile(path, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	loaded, err := project.Load(path, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	grounding, err := session.Ground(t.Context(), loaded, load.Learn, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &learner{Grounding: grounding}
	g.Theta[0], g.Theta[1] = 5, 6 // as learned
	best := g.parameters()
	if err := g.Reset(2); err != nil {
		t.Fatal(err)
	}
	g.Theta[0] = 9 // by another start
	g.takeBack(best)
	if g.Theta[0] != 5 || g.Theta[1] != 6 {
		t.Errorf("the weights are %v, want those of the start, 5 and 6", g.Theta)
	}
}

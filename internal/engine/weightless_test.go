package engine_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Rules of weight 0 fit no network, but end to end their weights are learned, too, and networks with them: it was said
// that no gradient reaches these.
func TestRulesWithoutWeightsLearn(t *testing.T) {
	path := league(t, 1, 2)
	model, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.ReplaceAll(string(model), "1: Plays", "0: Plays")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, path, project.Options{}, learnAndInfer)
	if accuracy := lastAccuracy(r); accuracy < 0.75 {
		t.Errorf("%.3f are right", accuracy)
	}
	if slices.ContainsFunc(r.Warnings, func(w source.Plain) bool { return w.ID == "learn-vanishing" }) {
		t.Errorf("warnings are %v", r.Warnings)
	}
}

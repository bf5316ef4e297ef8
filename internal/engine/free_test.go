package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// games are won by the stronger one, most often: two rules say when to expect that, or one what to expect.
func games(rules string) map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	files := map[string]string{"model.json": fmt.Sprintf(`{
		"rules": [%s],
		"predicates": {
			"Game/2": {"observations": ["games.tsv"]},
			"Strong/1": {"observations": ["strong.tsv"]},
			"Wins/2": {"targets": ["games.tsv"], "truth": {"learn": ["truth.tsv"]}, "evaluations": ["discrete"]}
		}
	}`, rules)}
	strength := make([]float64, 300)
	for k := range strength {
		strength[k] = random.Float64()
		files["strong.tsv"] += fmt.Sprintf("p%d\t%g\n", k, strength[k])
	}
	for k := 0; k < len(strength); k += 2 {
		won := 0
		if strength[k]+0.2*random.NormFloat64() > strength[k+1] {
			won = 1
		}
		files["games.tsv"] += fmt.Sprintf("p%d\tp%d\n", k, k+1)
		files["truth.tsv"] += fmt.Sprintf("p%d\tp%d\t%d\n", k, k+1, won)
	}
	return files
}

// Where rules leave values free, and labels are told better by the middle of these, inference takes it; with another
// method, that is told.
func TestMiddleOfFreeValues(t *testing.T) {
	free := `"1: Game(A, B) & Strong(A) & !Strong(B) -> Wins(A, B) ^2",
			"1: Game(A, B) & !Strong(A) & Strong(B) -> !Wins(A, B) ^2"`
	for _, test := range []struct {
		rules, method string
		taken, told   bool
	}{
		{rules: free, method: "auto", taken: true},
		{rules: free, method: "newton", told: true},
		{rules: `"1: Wins(A, B) = 0.5 + 0.5 * Strong(A) - 0.5 * Strong(B) ^2"`, method: "auto"},
	} {
		report := run(t, writeProject(t, games(test.rules)), project.Options{Seed: 1,
			Set: []string{"inference.method=" + test.method}}, engine.Stages{Learn: true, Infer: true})
		if taken := report.Method == "interior"; taken != test.taken {
			t.Errorf("%s, %s: by %s, %s", test.rules, test.method, report.Method, report.Reason)
		}
		if told := slices.ContainsFunc(report.Warnings, isFree); told != test.told {
			t.Errorf("%s, %s: told %t", test.rules, test.method, told)
		}
	}
}

func isFree(lint source.Plain) bool { return lint.ID == "learn-free" }

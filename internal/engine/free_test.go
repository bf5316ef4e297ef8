package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
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

// Where rules leave values free, and the middle of these would tell the labels better, that is told.
func TestFreeValuesAreNoticed(t *testing.T) {
	for _, test := range []struct {
		rules string
		line  string
	}{
		{`"1: Game(A, B) & Strong(A) & !Strong(B) -> Wins(A, B) ^2",
			"1: Game(A, B) & !Strong(A) & Strong(B) -> !Wins(A, B) ^2"`, "of 150 values with labels free between two ends"},
		{`"1: Wins(A, B) = 0.5 + 0.5 * Strong(A) - 0.5 * Strong(B) ^2"`, ""},
	} {
		printed := notices(t, writeProject(t, games(test.rules)))
		if !strings.Contains(printed, test.line) || strings.Contains(printed, "[learn-free]") != (test.line != "") {
			t.Errorf("%s: %s", test.rules, printed)
		}
	}
}

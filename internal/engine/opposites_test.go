package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A sign may tell of several things that are true by themselves, and of one of them the opposite of what a rule says: a
// rule about another of them is no rival, and is compared with labels of its own, of which more are false.
func TestOppositeOfOneOfSeveralIsNoticed(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sign(A, 's') -> Has(A, 'often') ^2", "1: Sign(A, 's') -> Has(A, 'seldom') ^2",
			"1: Sign(A, 't') -> Has(A, 'often') ^2", "1: Sign(A, 't') -> Has(A, 'seldom') ^2", "0.5: !Has(A, B) ^2"],
		"predicates": {"Sign/2": {"observations": ["signs.tsv"]},
			"Has/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}}}}`}
	for k := range 200 {
		signs := [2]bool{random.IntN(2) == 0, random.IntN(2) == 0}
		for s, there := range signs {
			if there {
				files["signs.tsv"] += fmt.Sprintf("%d\t%c\n", k, "st"[s])
			}
		}
		for b, name := range []string{"often", "seldom"} {
			share := []float64{0.5, 0.1}[b]
			for s, there := range signs {
				if shift := [2][2]float64{{-0.4, 0.15}, {0.4, 0.15}}[s][b]; there {
					share += shift
				}
			}
			has := 0
			if random.Float64() < share {
				has = 1
			}
			files["targets.tsv"] += fmt.Sprintf("%d\t%s\n", k, name)
			if k < 150 {
				files["train.tsv"] += fmt.Sprintf("%d\t%s\t%d\n", k, name, has)
			}
		}
	}
	printed := notices(t, writeProject(t, files))
	if strings.Count(printed, "learn-opposite") != 1 ||
		!strings.Contains(printed, "1: Sign(A, 's') -> !Has(A, 'often') ^2") {
		t.Error(printed)
	}
}

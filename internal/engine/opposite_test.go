package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A rule that labels contradict is noticed, with its opposite: no weight below 0 can say so. One that holds is not, nor
// one that means nothing, nor one whose opposite is there, or that speaks of one class of several.
func TestOppositeIsNoticed(t *testing.T) {
	for _, test := range []struct{ rules, told string }{
		{`"1: Liar(A) -> Good(A) ^2"`, "1: Liar(A) -> !Good(A) ^2"},
		{`"1: !Liar(A) -> !Good(A) ^2"`, "1: !Liar(A) -> Good(A) ^2"},
		{`"1: Knows(A, B) & Good(A) -> Good(B) ^2", "1: Knows(B, A) & Good(A) -> Good(B) ^2"`,
			"1: Knows(A, B) & Good(A) -> !Good(B) ^2"},
		{`"1: Knows(A, B) & Good(A) -> !Good(B) ^2"`, ""},
		{`"1: Liar(A) -> Good(A) ^2", "1: Liar(A) -> !Good(A) ^2"`, ""},
		{`"fixed 1: Liar(A) -> Good(A) ^2"`, ""},
		{`"1: Liar(A) -> !Good(A) ^2"`, ""},
		{`"1: Fool(A) -> Good(A) ^2"`, ""},
	} {
		random := rand.New(rand.NewPCG(3, 5))
		files := map[string]string{"model.json": `{
			"rules": ["1: Witness(A) -> Good(A) ^2", "1: !Witness(A) -> !Good(A) ^2", ` + test.rules + `],
			"predicates": {"Witness/1": {"observations": ["witness.tsv"]}, "Liar/1": {"observations": ["liar.tsv"]},
				"Fool/1": {"observations": ["fool.tsv"]}, "Knows/2": {"observations": ["knows.tsv"]},
				"Good/1": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}}}}`}
		for k := range 120 {
			good := k % 2
			says := func(right float64) int {
				if random.Float64() < right {
					return good
				}
				return 1 - good
			}
			files["witness.tsv"] += fmt.Sprintf("%d\t%d\n", k, says(0.8))
			files["liar.tsv"] += fmt.Sprintf("%d\t%d\n", k, says(0.2))
			files["fool.tsv"] += fmt.Sprintf("%d\t%d\n", k, random.IntN(2))
			files["knows.tsv"] += fmt.Sprintf("%d\t%d\n", k, (k+1+2*random.IntN(5))%60) // mostly of the other kind
			files["targets.tsv"] += fmt.Sprintf("%d\n", k)
			if k < 60 {
				files["train.tsv"] += fmt.Sprintf("%d\t%d\n", k, good)
			}
		}
		printed := notices(t, writeProject(t, files))
		if told := strings.Contains(printed, "learn-opposite"); told != (test.told != "") ||
			!strings.Contains(printed, test.told) {
			t.Errorf("%s: %q, want %q", test.rules, printed, test.told)
		}
	}
}

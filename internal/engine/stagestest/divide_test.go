package stagestest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Who lives together votes alike, by a hard rule, and of a household all votes are known or none. To hold one out and
// learn from the others tells what was held out: by networks that learned noise by heart, votes seemed to be told
// better and better, down to a loss of 0.53.
func TestHouseholdsAreHeldOutTogether(t *testing.T) {
	r := run(t, writeProject(t, households()), project.Options{}, learnAndInfer)
	if least := slices.Min(r.CrossFit.Curve); least < 0.75 {
		t.Errorf("by noise, votes that are held out are told with a loss of %.3f, want at least 0.75", least)
	}
}

// households are two to four people each, of three parties, which their features say nothing of; a
// fifth of the households have told.
func households() map[string]string {
	const houses, told, parties, columns = 120, 25, 3, 8
	files := map[string]string{"model.json": `{
		"rules": ["1: Looks(A, C) -> Votes(A, C) ^2", "House(A, H) & House(B, H) & Votes(A, C) -> Votes(B, C) .",
			"Votes(A, +C) = 1 ."],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {"Looks/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1", "c2"]}},
			"House/2": {"observations": ["houses.tsv"]},
			"Votes/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	random := rand.New(rand.NewPCG(0, 42))
	for house := range houses {
		party, table := random.IntN(parties), "test.tsv"
		if house < told {
			table = "train.tsv"
		}
		for member := range 2 + random.IntN(3) {
			name := fmt.Sprintf("h%dp%d", house, member)
			files["features.tsv"] += name
			for range columns {
				files["features.tsv"] += fmt.Sprintf("\t%.3f", random.NormFloat64())
			}
			files["features.tsv"] += "\n"
			files["houses.tsv"] += fmt.Sprintf("%s\th%d\n", name, house)
			files[table] += fmt.Sprintf("%s\tc%d\n", name, party)
			for c := range parties {
				files["targets.tsv"] += fmt.Sprintf("%s\tc%d\n", name, c)
			}
		}
	}
	return files
}

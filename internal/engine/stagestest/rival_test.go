package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Friends vote alike, by linear rules as in PSL's examples, and something is observed of each. Weights learned while
// nothing was known hold friends back, as more of them takes all to one side, and from those written no derivative
// leads away: those that are found once labels are known begin at either.
func TestWeightsOfFriendsOnceLabelsAreKnown(t *testing.T) {
	t.Parallel()
	random, things, known := rand.New(rand.NewPCG(6, 7)), 200, 40
	files := map[string]string{"model.json": `{
		"rules": ["1: Leans(X) -> Votes(X)", "1: !Leans(X) -> !Votes(X)", "1: Knows(X, Y) & Votes(X) -> Votes(Y)",
			"1: Knows(X, Y) & !Votes(X) -> !Votes(Y)"],
		"predicates": {"Leans/1": {"observations": ["leans.tsv"]}, "Knows/2": {"observations": ["knows.tsv"]},
			"Votes/1": {"targets": ["all.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]}}}}`}
	for k := range things {
		vote := k % 2
		lean := 0.25 + 0.5*float64(vote) + 0.35*random.NormFloat64()
		files["leans.tsv"] += fmt.Sprintf("%d\t%.3f\n", k, min(max(lean, 0), 1))
		files["all.tsv"] += fmt.Sprintf("%d\n", k)
		name := "others.tsv"
		if k < known {
			name = "known.tsv"
		}
		files[name] += fmt.Sprintf("%d\t%d\n", k, vote)
		for range 3 {
			friend := random.IntN(things)
			if random.Float64() < 0.7 {
				friend = friend/2*2 + vote
			}
			if friend != k {
				files["knows.tsv"] += fmt.Sprintf("%d\t%d\n%[2]d\t%[1]d\n", k, friend)
			}
		}
	}
	if right := lastAccuracy(run(t, writeProject(t, files), project.Options{Seed: 1}, learnAndInfer)); right < 0.95 {
		t.Errorf("%.3f of the others are right", right)
	}
}

package stagestest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// queue writes things of seven kinds, in an order in which neighbours are mostly alike, with 21 labels and a prior that
// linear rules give way to.
func queue(t *testing.T, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 23))
	kinds := strings.Split("abcdefg", "")
	files := make(map[string]string)
	kind := 0
	for k := range 180 {
		if random.Float64() < 0.15 {
			kind = random.IntN(len(kinds))
		}
		files["looks.tsv"] += fmt.Sprintf("d%d", k)
		for j := range 14 {
			x := random.NormFloat64()
			if j == kind {
				x += 1.5
			}
			files["looks.tsv"] += fmt.Sprintf("\t%.3f", x)
		}
		files["looks.tsv"] += "\n"
		if k > 0 {
			files["next.tsv"] += fmt.Sprintf("d%d\td%d\n", k-1, k)
		}
		classify(files, fmt.Sprint("d", k), kinds, kinds[kind], k%9 == 0)
	}
	files["model.json"] = `{
		"rules": ["2: Looks(D, K) -> Is(D, K)", "2: !Looks(D, K) -> !Is(D, K)", "0.5: !Is(D, K)", "Is(D, +K) = 1 .",
			"0.1: Next(A, B) & Is(A, K) -> Is(B, K)", "0.1: Next(A, B) & !Is(A, K) -> !Is(B, K)"],
		"networks": {"looks": {"features": "looks.tsv"}},
		"predicates": {"Next/2": {"observations": ["next.tsv"]},
			"Looks/2": {"neural": {"network": "looks", "class": 1, "classes": ["a", "b", "c", "d", "e", "f", "g"]}},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`
	return writeProject(t, files)
}

// What was learned from the beginning end to end has no weights of its own yet where networks that propagate compete
// with it once labels are known; this run ended in a panic.
func TestPropagatesAgainstWhatWasLearnedAfresh(t *testing.T) {
	t.Parallel()
	r := run(t, queue(t, 18), project.Options{Seed: 18}, learnAndInfer)
	if len(r.CrossFit.Propagated) == 0 && !r.CrossFit.Afresh {
		t.Errorf("neither: %+v", r.CrossFit)
	}
	if right := accuracy(r); right < 0.7 {
		t.Errorf("%v of it right", right)
	}
}

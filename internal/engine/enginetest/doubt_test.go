package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// parishioners are what things have: so many ties each, so many labels in all, and looks of kinds so far apart.
type parishioners struct {
	ties, labels int
	apart        float64
	rules        string
}

// parish writes 150 things of three kinds, of which some have a label, and looks that tell the kinds by how far apart
// they are. Things that are tied are mostly alike, or ties mean nothing; rules about them are believed as they are
// written until something speaks against them.
func parish(t *testing.T, seed uint64, alike bool, p parishioners) string {
	random := rand.New(rand.NewPCG(seed, 29))
	kinds := []string{"a", "b", "c"}
	files := make(map[string]string)
	kind := make([]int, 150)
	for k := range kind {
		kind[k] = random.IntN(3)
	}
	groups := make([]int, 30)
	for g := range groups {
		groups[g] = random.IntN(3)
	}
	for k := range kind {
		files["looks.tsv"] += fmt.Sprintf("x%d", k)
		for j := range 8 {
			x := random.NormFloat64()
			if j == kind[k] {
				x += p.apart
			}
			files["looks.tsv"] += fmt.Sprintf("\t%.3f", x)
		}
		files["looks.tsv"] += "\n"
		for range p.ties {
			other, group := random.IntN(len(kind)), random.IntN(len(groups))
			for alike && (kind[other] != kind[k] || groups[group] != kind[k]) && random.Float64() < 0.9 {
				other, group = random.IntN(len(kind)), random.IntN(len(groups))
			}
			if other != k {
				files["ties.tsv"] += fmt.Sprintf("x%d\tx%d\n", k, other)
			}
			files["groups.tsv"] += fmt.Sprintf("x%d\tg%d\n", k, group)
		}
		Classify(files, fmt.Sprint("x", k), kinds, kinds[kind[k]], k < p.labels)
	}
	files["ties.tsv"], files["groups.tsv"] = Unique(files["ties.tsv"]), Unique(files["groups.tsv"])
	files["model.json"] = `{
		"rules": ["0.5: Looks(A, K) = Is(A, K) ^2", ` + p.rules + `],
		"networks": {"looks": {"features": "looks.tsv"}},
		"predicates": {"Tie/2": {"observations": ["ties.tsv"]}, "In/2": {"observations": ["groups.tsv"]},
			"Looks/2": {"neural": {"network": "looks", "class": 1, "classes": ["a", "b", "c"]}},
			"Of/2": {"targets": "Of(G, K) <- In(_, G) & Kind(K)"}, "Kind/1": {"observations": [["a"], ["b"], ["c"]]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`
	return Write(t, files)
}

// Rules about ties that mean nothing are doubted by what the network sees, as 18 labels say nothing of them, or by 60
// labels where it sees next to nothing; where what is tied is alike, they are not.
func TestDoubtsTiesThatMeanNothing(t *testing.T) {
	const seeds = 4
	both := `"1: Tie(A, B) & Is(A, K) -> Is(B, K)", "1: Tie(A, B) & Is(B, K) -> Is(A, K)", "Is(A, +K) = 1 ."`
	for _, form := range []struct {
		parishioners
		doubted, told float64 // rules, in the mean, and what has to be told right
	}{
		{parishioners{10, 18, 2.2, both}, 2, 0.7},
		{parishioners{2, 18, 2.2, `"5: Is(+B, K) / @Max[|B|, 1] <= Is(A, K) ^2 {B: Tie(A, B)}"`}, 1, 0.68},
		{parishioners{2, 18, 2.2, `"5: In(A, G) & Is(A, K) -> Of(G, K) ^2", "5: In(A, G) & Of(G, K) -> Is(A, K) ^2",
			"Is(A, +K) = 1 ."`}, 2, 0.685},
		{parishioners{5, 60, 0.4, both}, 2, 0},
	} {
		t.Run(form.rules, func(t *testing.T) {
			t.Parallel()
			doubted, right, kept := 0.0, 0.0, 0
			for seed := range uint64(seeds) {
				r := Run(t, parish(t, seed, false, form.parishioners), project.Options{Seed: seed}, LearnAndInfer)
				doubted += float64(len(r.CrossFit.Doubted)) / seeds
				right += Accuracy(r) / seeds
				r = Run(t, parish(t, seed, true, form.parishioners), project.Options{Seed: seed}, LearnAndInfer)
				kept += len(r.CrossFit.Doubted)
			}
			if doubted < 0.75*form.doubted || right <= form.told || kept > 0 {
				t.Errorf("%v doubted, %.3f right; %d doubted that hold", doubted, right, kept)
			}
		})
	}
}

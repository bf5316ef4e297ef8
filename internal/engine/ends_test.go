package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// doors is a project with households of which exactly one person opens the door: the truth of most is below a half.
func doors(t *testing.T, seed uint64) string {
	const houses, learned = 80, 30
	random := rand.New(rand.NewPCG(seed, 5))
	files := map[string]string{"model.json": `{
		"rules": ["1: Looks(P) = Opens(P) ^2", "Opens(+P) = House(H) . {P: Lives(P, H)}"],
		"networks": {"eye": {"features": "features.tsv", "hidden": [8]}},
		"predicates": {"Lives/2": {"observations": ["lives.tsv"]}, "House/1": {"observations": ["houses.tsv"]},
			"Looks/1": {"neural": {"network": "eye", "atoms": "Looks(P) <- Lives(P, H)"}},
			"Opens/1": {"targets": "Opens(P) <- Lives(P, H)", "evaluations": ["Discrete"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	for h := range houses {
		files["houses.tsv"] += fmt.Sprintf("h%d\n", h)
		table, best, opens := "test.tsv", math.Inf(-1), 0
		if h < learned {
			table = "train.tsv"
		}
		people := 3 + random.IntN(3)
		for p := range people {
			a, b := random.NormFloat64(), random.NormFloat64()
			files["lives.tsv"] += fmt.Sprintf("p%d-%d\th%d\n", h, p, h)
			files["features.tsv"] += fmt.Sprintf("p%d-%d\t%.3f\t%.3f\t%.3f\n", h, p, a, b, random.NormFloat64())
			if score := 1.2*a - 0.8*b + 0.6*random.NormFloat64(); score > best {
				best, opens = score, p
			}
		}
		for p := range people {
			truth := 0
			if p == opens {
				truth = 1
			}
			files[table] += fmt.Sprintf("p%d-%d\t%d\n", h, p, truth)
		}
	}
	return writeProject(t, files)
}

// ratings is a project with stars of people for films, of which a network sees something.
func ratings(t *testing.T, seed uint64) string {
	const people, films, learned = 30, 40, 100
	random := rand.New(rand.NewPCG(seed, 3))
	files := map[string]string{"model.json": `{
		"rules": ["1: Asked(U, F) & Good(F) -> Stars(U, F) ^2", "1: Asked(U, F) & !Good(F) -> !Stars(U, F) ^2",
			"1: Stars(U, F) = Kind(U) ^2"],
		"networks": {"critic": {"features": "films.tsv", "hidden": [8]}},
		"predicates": {"Asked/2": {"observations": ["asked.tsv"]},
			"Good/1": {"neural": {"network": "critic", "atoms": "Good(F) <- Asked(U, F)"}},
			"Kind/1": {"targets": "Kind(U) <- Asked(U, F)"},
			"Stars/2": {"targets": "Stars(U, F) <- Asked(U, F)", "evaluations": ["Continuous"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	kind, good := make([]float64, people), make([]float64, films)
	for u := range kind {
		kind[u] = 0.5 * random.NormFloat64()
	}
	for f := range good {
		a, b := random.NormFloat64(), random.NormFloat64()
		good[f] = 0.5*a - 0.4*b
		files["films.tsv"] += fmt.Sprintf("f%d\t%.3f\t%.3f\t%.3f\n", f, a, b, random.NormFloat64())
	}
	asked := 0
	for _, k := range random.Perm(people * films)[:300] {
		u, f := k%people, k/people
		table := "test.tsv"
		if asked++; asked <= learned {
			table = "train.tsv"
		}
		stars := math.Round(min(max(3+1.3*(kind[u]+good[f]+0.4*random.NormFloat64()), 1), 5))
		files["asked.tsv"] += fmt.Sprintf("u%d\tf%d\n", u, f)
		files[table] += fmt.Sprintf("u%d\tf%d\t%.1f\n", u, f, stars/5)
	}
	return writeProject(t, files)
}

// Values are sharper after epochs end to end than those of networks fitted alone, and so is what tells true from false:
// that is learned from the folds as they were after as many epochs. Where a half was kept, F1 was 0.586 in the mean.
func TestThresholdsEndToEnd(t *testing.T) {
	f1 := 0.0
	for seed := uint64(4); seed < 6; seed++ {
		r := run(t, doors(t, seed), project.Options{Seed: seed}, learnAndInfer)
		if f1 += r.Evaluations[0].Values["F1"] / 2; r.CrossFit.Epochs == 0 {
			t.Errorf("seed %d: no epochs end to end", seed)
		}
	}
	if f1 < 0.65 {
		t.Errorf("a mean F1 of %.3f", f1)
	}
}

// Whether inference had best know the labels learned from is found out also where all was learned from the beginning.
// Where that was not, the mean error was 0.144.
func TestKnownAfterLearningAfresh(t *testing.T) {
	t.Parallel()
	sum := 0.0
	for _, seed := range []uint64{1, 5} {
		r := run(t, ratings(t, seed), project.Options{Seed: seed}, learnAndInfer)
		if sum += r.Evaluations[0].Values["MAE"] / 2; !r.CrossFit.Afresh || r.Rehearsed == nil || r.Known == 0 {
			t.Errorf("seed %d: afresh %v, %d known", seed, r.CrossFit.Afresh, r.Known)
		}
	}
	if sum > 0.138 {
		t.Errorf("a mean error of %.3f", sum)
	}
}

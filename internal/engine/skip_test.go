package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
)

// Few labels of pairs are enough where near is alike: the network compares features before it has learned any layer.
func TestFewPairsAreEnough(t *testing.T) {
	aurocs := make(map[bool]float64)
	for _, skip := range []bool{true, false} {
		const seeds = 3
		for seed := range uint64(seeds) {
			r := run(t, writeProject(t, copies(seed, skip)), project.Options{Seed: seed}, learnAndInfer)
			aurocs[skip] += r.Evaluations[0].Values["AUROC"] / seeds
		}
	}
	t.Logf("AUROC %.3f with a skip, %.3f without", aurocs[true], aurocs[false])
	if !(aurocs[true] > 0.95 && aurocs[true] > aurocs[false]+0.02) {
		t.Errorf("AUROC %.3f with a skip, and %.3f without", aurocs[true], aurocs[false])
	}
}

// Which words two titles share says little by itself, and how many do nearly all: weights of single words, and twins
// that could learn each title by heart, do not drown that. With as much decay as others, the mean was 0.67.
func TestFewPairsOfTitles(t *testing.T) {
	t.Parallel()
	const seeds = 4
	auroc := 0.0
	for seed := range uint64(seeds) {
		r := run(t, writeProject(t, titles(seed)), project.Options{Seed: seed}, learnAndInfer)
		auroc += r.Evaluations[0].Values["AUROC"] / seeds
	}
	if auroc < 0.75 {
		t.Errorf("AUROC %.3f", auroc)
	}
}

// titles are two each of the same paper, with some words of their own; of 35 papers, pairs are known.
func titles(seed uint64) map[string]string {
	random := rand.New(rand.NewPCG(seed, 8))
	const papers, words, length, known = 120, 300, 8, 35
	files := map[string]string{"model.json": `{
		"rules": ["1: Alike(A, B) -> Same(A, B) ^2", "1: !Alike(A, B) -> !Same(A, B) ^2"],
		"networks": {"twins": {"kind": "siamese", "features": "titles.tsv", "format": "sparse", "width": 300}},
		"predicates": {
			"Pair/2": {"observations": ["pairs.tsv"]},
			"Alike/2": {"neural": {"network": "twins", "atoms": "Alike(A, B) <- Pair(A, B)"}},
			"Same/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["AUCEvaluator"]}
		}}`}
	paper := make([]int, length)
	for k := range 2 * papers {
		has := make([]bool, words)
		for i := range paper {
			if k%2 == 0 {
				paper[i] = random.IntN(random.IntN(words) + 1) // some words are frequent
			}
			if has[paper[i]] = true; random.Float64() < 0.4 {
				has[paper[i]], has[random.IntN(random.IntN(words)+1)] = false, true
			}
		}
		files["titles.tsv"] += fmt.Sprintf("t%d\t", k)
		for word, is := range has {
			if is {
				files["titles.tsv"] += fmt.Sprintf("%d:1 ", word)
			}
		}
		files["titles.tsv"] += "\n"
	}
	for k := range papers {
		table := map[bool]string{true: "train.tsv", false: "test.tsv"}[k < known]
		for off := range 3 {
			other := k + off
			if (other < known) != (k < known) || other >= papers {
				continue
			}
			files["pairs.tsv"] += fmt.Sprintf("t%d\tt%d\n", 2*k, 2*other+1)
			files[table] += fmt.Sprintf("t%d\tt%d\t%d\n", 2*k, 2*other+1, map[bool]int{true: 1}[off == 0])
		}
	}
	return files
}

// A classifier's skip is for labels of what it sees: where examples are learned from, there is none by default.
func TestSkipNotByExamples(t *testing.T) {
	for examples, want := range map[string]bool{
		`"examples": {"learn": "examples.csv"},`: false, "": true,
	} {
		slots := map[bool]string{true: "", false: `, "slots": ["a", "b"]`}[want]
		networks, err := perceive.Load(loaded(t, writeProject(t, map[string]string{
			"model.json": fmt.Sprintf(`{
				"rules": ["1: Sees(A, 'yes') -> Is('x') ^2"], %s
				"networks": {"eye": {"features": "features.tsv", "hidden": [4]}},
				"predicates": {
					"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["yes", "no"]%s}},
					"Is/1": {"targets": [["x"]]}
				}}`, examples, slots),
			"features.tsv": "p\t1\t2\nq\t0\t1\n", "examples.csv": "a,b,Is\np,q,x\n",
		}), project.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(networks.System.Parameters(), func(p *perception.Parameter) bool {
			return p.Name == "eye.skip.weights"
		})
		if has != want {
			t.Errorf("with %q: a skip %v, want %v", examples, has, want)
		}
	}
}

// copies are records of which four each are of one thing, seen through columns of other scales; 60 pairs are known.
func copies(seed uint64, skip bool) map[string]string {
	random := rand.New(rand.NewPCG(seed, 7))
	const records, columns, known, asked = 120, 10, 60, 300
	files := map[string]string{"model.json": fmt.Sprintf(`{
		"rules": ["1: Alike(A, B) -> Same(A, B) ^2", "1: !Alike(A, B) -> !Same(A, B) ^2"],
		"networks": {"twins": {"kind": "siamese", "features": "features.tsv", "hidden": [16], "skip": %v}},
		"predicates": {
			"Pair/2": {"observations": ["pairs.tsv"]},
			"Alike/2": {"neural": {"network": "twins", "atoms": "Alike(A, B) <- Pair(A, B)"}},
			"Same/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["AUCEvaluator"]}
		}}`, skip)}
	var thing [columns]float64
	for k := range records {
		files["features.tsv"] += fmt.Sprintf("r%d", k)
		for c := range thing {
			if k%4 == 0 {
				thing[c] = random.NormFloat64()
			}
			files["features.tsv"] += fmt.Sprintf("\t%g", (thing[c]+0.5*random.NormFloat64())*float64(1+100*c))
		}
		files["features.tsv"] += "\n"
	}
	seen := make(map[[2]int]bool)
	for len(seen) < known+asked {
		a, same, table := random.IntN(records/2), len(seen)%3 == 0, "train.tsv"
		b := a/4*4 + random.IntN(4)
		if !same {
			b = random.IntN(records / 2)
		}
		if len(seen) >= known {
			a, b, table = a+records/2, b+records/2, "test.tsv"
		}
		if a == b || a/4 == b/4 != same || seen[[2]int{a, b}] {
			continue
		}
		seen[[2]int{a, b}] = true
		files["pairs.tsv"] += fmt.Sprintf("r%d\tr%d\n", a, b)
		files[table] += fmt.Sprintf("r%d\tr%d\t%d\n", a, b, map[bool]int{true: 1}[same])
	}
	return files
}

package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Whom of twelve to believe shows only by answers that are known. While none is, any weights are as good as others, and
// here those that were learned win over those written by chance.
func TestWrittenWeightsOnceLabelsAreKnown(t *testing.T) {
	r := run(t, writeProject(t, witnesses(11)), project.Options{}, learnAndInfer)
	accuracy := r.Evaluations[0].Values["Accuracy"]
	if c := r.Compared; accuracy < 0.8 || c == nil || c.Learned || c.WrittenLoss >= c.LearnedLoss {
		t.Errorf("%.3f are right, want at least 0.8: %+v", accuracy, c)
	}
}

// witnesses answer some of 150 questions each; four in ten of them are mostly right, and the others guess.
func witnesses(seed uint64) map[string]string {
	random := rand.New(rand.NewPCG(seed, 31))
	files := map[string]string{"model.json": `{
		"rules": ["1: Yes(W, Q) & Reliable(W) -> True(Q) ^2", "1: No(W, Q) & Reliable(W) -> !True(Q) ^2",
			"1: Yes(W, Q) & True(Q) -> Reliable(W) ^2", "1: No(W, Q) & !True(Q) -> Reliable(W) ^2", "0.1: True(Q) = 0.5 ^2"],
		"predicates": {"Yes/2": {"observations": ["yes.tsv"]}, "No/2": {"observations": ["no.tsv"]},
			"Reliable/1": {"targets": ["Reliable(W) <- Yes(W, Q)"]},
			"True/1": {"targets": ["True(Q) <- Yes(W, Q)", "True(Q) <- No(W, Q)"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	said := []string{"no.tsv", "yes.tsv"}
	truth := make([]int, 150)
	for q := range truth {
		truth[q] = random.IntN(2)
		table := "test.tsv"
		if q < 40 {
			table = "train.tsv"
		}
		files[table] += fmt.Sprintf("q%d\t%d\n", q, truth[q])
	}
	for w := range 12 {
		right := 0.52
		if random.Float64() < 0.4 {
			right = 0.9
		}
		for q, is := range truth {
			if random.Float64() > 0.4 {
				continue
			}
			if random.Float64() > right {
				is = 1 - is
			}
			files[said[is]] += fmt.Sprintf("w%d\tq%d\n", w, q)
		}
	}
	return files
}

// Which of four relations tells the class shows only by things whose class is known.
func TestWeightsFoundOnceLabelsAreKnown(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 37))
	files := map[string]string{"model.json": `{
		"rules": ["1: R0(A, B) & Is(B, C) -> Is(A, C) ^2", "1: R1(A, B) & Is(B, C) -> Is(A, C) ^2",
			"1: R2(A, B) & Is(B, C) -> Is(A, C) ^2", "1: R3(A, B) & Is(B, C) -> Is(A, C) ^2", "Is(A, +C) = 1 ."],
		"predicates": {"R0/2": {"observations": ["r0.tsv"]}, "R1/2": {"observations": ["r1.tsv"]},
			"R2/2": {"observations": ["r2.tsv"]}, "R3/2": {"observations": ["r3.tsv"]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	const things, classes = 120, 3
	for a := range things {
		table := "test.tsv"
		if a < things/2 {
			table = "train.tsv"
		}
		files[table] += fmt.Sprintf("t%d\tc%d\n", a, a%classes)
		for c := range classes {
			files["targets.tsv"] += fmt.Sprintf("t%d\tc%d\n", a, c)
		}
		for r := range 4 {
			for k := range 3 {
				b := (a + 1 + k*things/3 + random.IntN(things/3-1)) % things
				if r == 0 && random.Float64() < 0.9 {
					b += (a%classes - b%classes + classes) % classes
				}
				if b %= things; b != a {
					files[fmt.Sprintf("r%d.tsv", r)] += fmt.Sprintf("t%d\tt%d\n", a, b)
				}
			}
		}
	}
	r := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
	accuracy := r.Evaluations[0].Values["Accuracy"]
	if c := r.Compared; accuracy < 0.85 || c == nil || !c.Learned || c.LearnedLoss >= c.WrittenLoss {
		t.Errorf("%.3f are right, want at least 0.85: %+v", accuracy, c)
	}
}

// Rules by which nothing is inferred until labels are known are not said to be dying, as they are known in the end.
func TestNothingIsDyingOnceLabelsAreKnown(t *testing.T) {
	const people, goods, relations = 40, 20, 6
	random := rand.New(rand.NewPCG(3, 41))
	files, rules, predicates := map[string]string{}, "", ""
	for r := range relations {
		rules += fmt.Sprintf(`"1: R%d(A, B) & Buys(A, X) -> Buys(B, X) ^2", `, r)
		predicates += fmt.Sprintf(`"R%d/2": {"observations": ["r%[1]d.tsv"]}, `, r)
		for a := range people {
			for k := range 3 {
				b := (a + 2 + 2*k) % people // of those that buy the same
				if r > 1 {
					b = (a + 1 + 13*k + random.IntN(13)) % people
				}
				files[fmt.Sprintf("r%d.tsv", r)] += fmt.Sprintf("p%d\tp%d\t%.2f\n", a, b, 0.5+0.4*random.Float64())
			}
		}
	}
	files["model.json"] = `{"rules": [` + rules + `"1: !Buys(A, X) ^2"], "predicates": {` + predicates + `
		"Buys/2": {"targets": ["targets.tsv"], "evaluations": ["auc"],
			"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`
	for a := range people {
		for x := range goods {
			buys, table := 0, "test.tsv"
			if (a+x)%2 == 0 && random.Float64() < 0.4 || random.Float64() < 0.05 {
				buys = 1
			}
			if random.IntN(2) == 0 {
				table = "train.tsv"
			}
			files["targets.tsv"] += fmt.Sprintf("p%d\tx%d\n", a, x)
			files[table] += fmt.Sprintf("p%d\tx%d\t%d\n", a, x, buys)
		}
	}
	r := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
	if r.Known == 0 || len(r.Warnings) > 0 {
		t.Errorf("%d labels are known, and yet: %+v", r.Known, r.Warnings)
	}
}

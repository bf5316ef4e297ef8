package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// doubtful is a classification in two by features of which two tell the classes apart. Of the labels, every wrong-th is
// not true, none if wrong is 0. With validation, the truth of as many other things is known.
func doubtful(t *testing.T, seed uint64, features, labelled, wrong int, validation bool) string {
	t.Helper()
	things := 8*labelled + 16
	random := rand.New(rand.NewPCG(seed, 2))
	var rows, targets strings.Builder
	tables := map[string]*strings.Builder{"train": {}, "validation": {}, "test": {}}
	for k := range things {
		class := k % 2
		fmt.Fprintf(&rows, "t%d", k)
		for f := range features {
			shift := 0.
			if f < 2 {
				shift = 1.6 * (float64(class) - 0.5)
			}
			fmt.Fprintf(&rows, "\t%g", shift+random.NormFloat64())
		}
		rows.WriteString("\n")
		fmt.Fprintf(&targets, "t%d\tc0\nt%d\tc1\n", k, k)
		table, said := "test", class
		switch {
		case k < labelled:
			if table = "train"; wrong > 0 && k/2%wrong == 0 {
				said = 1 - class
			}
		case k < 2*labelled && validation:
			table = "validation"
		}
		fmt.Fprintf(tables[table], "t%d\tc%d\n", k, said)
	}
	phases := `"learn": ["train.tsv"], "infer": ["test.tsv"]`
	if validation {
		phases += `, "validation": ["validation.tsv"]`
	}
	return writeProject(t, map[string]string{
		"features.tsv": rows.String(), "targets.tsv": targets.String(), "train.tsv": tables["train"].String(),
		"validation.tsv": tables["validation"].String(), "test.tsv": tables["test"].String(),
		"model.json": `{"rules": ["1: Seen(A, C) -> Is(A, C) ^2", "20: Is(A, +C) = 1 ^2"],
			"networks": {"eye": {"features": "features.tsv", "hidden": [16]}},
			"predicates": {
				"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1"]}},
				"Is/2": {"targets": ["targets.tsv"], "truth": {` + phases + `}, "evaluations": ["CategoricalEvaluator"]}
			}}`,
	})
}

// Where labels are often wrong, networks hold back more, since labels that are held out are told better so; and where
// somebody has set the decay, it stays as it is.
func TestDecayIsChosenByWhatIsHeldOut(t *testing.T) {
	for _, test := range []struct {
		name               string
		features, labelled int
		wrong              int
		validation         bool
		least              float64 // mean accuracy less that with the decay that suits the number of labels
	}{
		{"a third is wrong", 10, 48, 3, false, 0.02},
		{"a third is wrong, with validation", 10, 48, 3, true, 0},
		{"all are right", 10, 48, 0, false, -0.005},
		{"a quarter of many is wrong", 10, 144, 4, false, 0.05},
	} {
		t.Run(test.name, func(t *testing.T) {
			gain, more := 0.0, 0
			const seeds = 3
			for seed := range uint64(seeds) {
				path := doubtful(t, seed, test.features, test.labelled, test.wrong, test.validation)
				chosen := run(t, path, project.Options{Seed: seed}, learnAndInfer)
				decay := fmt.Sprint("network.decay=", 0.5/float64(test.labelled))
				set := run(t, path, project.Options{Seed: seed, Set: []string{decay}}, learnAndInfer)
				if decay := set.Training.CrossFit.DecayFactor; decay != 1 {
					t.Errorf("a decay that is set is multiplied by %v", decay)
				}
				if chosen.Training.CrossFit.DecayFactor > 1 {
					more++
				}
				gain += (lastAccuracy(chosen) - lastAccuracy(set)) / seeds
			}
			t.Logf("%+.3f against the decay that suits the number of labels, more of it %d times", gain, more)
			if gain < test.least {
				t.Errorf("%+.3f, want at least %+.3f", gain, test.least)
			}
		})
	}
}

package stagestest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
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
	t.Parallel()
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

// Degrees of truth that features tell nearly all of want less decay than suits so many labels that are true or false;
// where features say little, hardly anything is lost.
func TestDegreesMayDecayLess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		noise float64
		most  float64 // of the error by the decay that suits the number of labels
	}{{0.01, 0.8}, {0.3, 1.05}} {
		chosen, set, less := 0.0, 0.0, 0
		const labelled, seeds = 60, 3
		for seed := range uint64(seeds) {
			path := levels(t, seed, labelled, test.noise)
			report := run(t, path, project.Options{Seed: seed}, learnAndInfer)
			if report.Training.CrossFit.DecayFactor < 1 {
				less++
			}
			chosen += lastError(report) / seeds
			decay := fmt.Sprint("network.decay=", 0.5/float64(labelled))
			set += lastError(run(t, path, project.Options{Seed: seed, Set: []string{decay}}, learnAndInfer)) / seeds
		}
		t.Logf("noise %v: error %.4f, %.4f by the decay that suits the number of labels, less of it %d times", test.noise,
			chosen, set, less)
		if chosen > test.most*set {
			t.Errorf("noise %v: error %.4f, want at most %v of %.4f", test.noise, chosen, test.most, set)
		}
	}
}

// lastError is the root mean squared error of what was inferred last.
func lastError(r *engine.Report) float64 {
	return r.Evaluations[len(r.Evaluations)-1].Values["RMSE"]
}

// levels is a project of degrees that two of three features tell, but for noise.
func levels(t *testing.T, seed uint64, labelled int, noise float64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 9))
	var rows, targets, train, test strings.Builder
	for k := range 5 * labelled {
		x := [3]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		level := 0.5 + 0.3*math.Sin(2*x[0]) - 0.1*x[1] + noise*random.NormFloat64()
		fmt.Fprintf(&rows, "t%d\t%g\t%g\t%g\n", k, x[0], x[1], x[2])
		fmt.Fprintf(&targets, "t%d\n", k)
		table := &test
		if k < labelled {
			table = &train
		}
		fmt.Fprintf(table, "t%d\t%.4f\n", k, min(max(level, 0), 1))
	}
	return writeProject(t, map[string]string{
		"features.tsv": rows.String(), "targets.tsv": targets.String(),
		"train.tsv": train.String(), "test.tsv": test.String(),
		"model.json": `{"rules": ["1: Seen(A) = Level(A) ^2"],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Seen/1": {"neural": {"network": "eye"}},
				"Level/1": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
					"evaluations": ["ContinuousEvaluator"]}
			}}`,
	})
}

package stagestest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// flowers is a classification as a stranger brings it: features of scales that differ by a factor of a million, few
// labels, a relation among the nearest, or one that means nothing, and no option.
func flowers(t *testing.T, seed uint64, meaningless, own bool) string {
	t.Helper()
	const things, classes, labelled = 150, 3, 18
	random := rand.New(rand.NewPCG(seed, 1))
	var features, near, targets, train, test strings.Builder
	for k := range things {
		class := float64(k % classes)
		fmt.Fprintf(&features, "t%d\t%g\t%g\t7\n", k, 1e4*(class+0.45*random.NormFloat64())+5e4,
			1e-2*(class*class+0.8*random.NormFloat64()))
		out := &test
		if k < labelled {
			out = &train
		}
		for c := range classes {
			fmt.Fprintf(&targets, "t%d\tc%d\n", k, c)
			truth := 0
			if k%classes == c {
				truth = 1
			}
			fmt.Fprintf(out, "t%d\tc%d\t%d\n", k, c, truth)
		}
	}
	for a := range things {
		for _, b := range random.Perm(things)[:5] {
			if a != b && (meaningless || a%classes == b%classes || random.IntN(6) == 0) {
				fmt.Fprintf(&near, "t%d\tt%d\n", a, b)
			}
		}
	}
	truth := `"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}, "evaluations": ["CategoricalEvaluator"]`
	seen := ""
	if own {
		seen = ", " + truth
	}
	return writeProject(t, map[string]string{
		"features.tsv": features.String(), "near.tsv": near.String(), "targets.tsv": targets.String(),
		"train.tsv": train.String(), "test.tsv": test.String(),
		"model.json": `{"rules": ["1: Seen(A, C) -> Is(A, C) ^2", "1: Near(A, B) & Is(A, C) -> Is(B, C) ^2",
			"20: Is(A, +C) = 1 ^2"],
			"networks": {"eye": {"features": "features.tsv", "hidden": [16]}},
			"predicates": {
				"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1", "c2"]}` + seen + `},
				"Near/2": {"observations": ["near.tsv"]},
				"Is/2": {"targets": ["targets.tsv"], ` + truth + `}
			}}`,
	})
}

// Learning with every default is about as good as the network alone where the relation means nothing, better where it
// means something, and does not need truth about what the network sees.
func TestCrossFitting(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		meaningless, own bool
		least            float64 // mean accuracy less that of the network alone
	}{
		{"relation", false, true, 0.005},
		{"relation, without truth about what is seen", false, false, 0.005},
		{"noise", true, true, -0.01},
	} {
		t.Run(test.name, func(t *testing.T) {
			gain := 0.0
			const seeds = 4
			for seed := range uint64(seeds) {
				path := flowers(t, seed, test.meaningless, test.own)
				got := run(t, path, project.Options{Seed: seed}, learnAndInfer)
				if c := got.Training.CrossFit; c == nil || c.Folds != 3 || len(c.Curve) < 41 || c.Weighed > c.Fitted {
					t.Errorf("cross-fitting says %+v", c)
				}
				alone := run(t, flowers(t, seed, true, true), project.Options{Seed: seed,
					Set: []string{"learn.method=deeppsl", "learn.freeze=true", "learn.rate.rules=0", "learn.epochs=0"}},
					learnAndInfer)
				gain += (lastAccuracy(got) - alone.Evaluations[0].Values["Accuracy"]) / seeds
			}
			t.Logf("%+.3f against the network alone", gain)
			if gain < test.least {
				t.Errorf("%+.3f against the network alone, want at least %+.3f", gain, test.least)
			}
		})
	}
}

// With labels too few to hold any out, networks are fitted alone and weights stay as written.
func TestTooFewToDivide(t *testing.T) {
	path := flowers(t, 1, false, true)
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	few := strings.ReplaceAll(string(config), `["train.tsv"]`, `[["t0", "c0"], ["t1", "c1"], ["t2", "c2"]]`)
	if err := os.WriteFile(path, []byte(few), 0o666); err != nil {
		t.Fatal(err)
	}
	r := run(t, path, project.Options{Seed: 5}, learnAndInfer)
	fitted := r.Training.FitEpochs > 0 && r.Epochs == 0
	if asWritten := []float64{1, 1, 20}; r.Training.CrossFit != nil || !fitted || !slices.Equal(r.RuleWeights, asWritten) {
		t.Errorf("weights %v, %d epochs, %+v", r.RuleWeights, r.Epochs, r.Training.CrossFit)
	}
}

// A table of truth may name the true classes alone: by default, that is the same as calling the others false.
func TestTrueClassesAlone(t *testing.T) {
	t.Parallel()
	path := flowers(t, 2, false, false)
	want := run(t, path, project.Options{Seed: 5}, learnAndInfer)
	table := filepath.Join(filepath.Dir(path), "train.tsv")
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	var positive strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, "\t1\n") {
			positive.WriteString(line)
		}
	}
	if err := os.WriteFile(table, []byte(positive.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	got := run(t, path, project.Options{Seed: 5}, learnAndInfer)
	if a, b := lastAccuracy(got), lastAccuracy(want); a < b-0.03 || got.CrossFit.Folds != 3 {
		t.Errorf("accuracy %.3f, with the false classes written %.3f; %+v", a, b, got.CrossFit)
	}
}

// Degrees of truth, and truth about pairs, are learned from with every default: labels are held out though they name no
// class, networks of one output listen to labels of 0, and what relates two things is not held out beside its converse.
func TestCrossFittingWithoutClasses(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	files := map[string]string{}
	var at [60][2]float64
	row := func(name, format string, cells ...any) { files[name] += fmt.Sprintf(format+"\n", cells...) }
	for k := range at {
		at[k] = [2]float64{random.NormFloat64(), random.NormFloat64()}
		row("features.tsv", "t%d\t%g %g", k, 5000+300*at[k][0], at[k][1])
		row("things.tsv", "t%d", k)
		part := "train.tsv"
		if k%2 == 1 {
			part = "test.tsv"
		}
		row(part, "t%d\t%.3f", k, 1/(1+math.Exp(-2*at[k][0]-at[k][1])))
		for other := range k {
			if (k+other)%3 == 0 {
				near := 0
				if math.Hypot(at[k][0]-at[other][0], at[k][1]-at[other][1]) < 0.8 {
					near = 1
				}
				row("pairs-"+part, "t%d\tt%d\t%d", k, other, near)
				row("pairs-"+part, "t%[2]d\tt%[1]d\t%[3]d", k, other, near)
				row("pairs.tsv", "t%d\tt%d\nt%[2]d\tt%[1]d", k, other)
			}
		}
	}
	files["model.json"] = `{
		"rules": ["1: Seems(A) -> Good(A) ^2", "1: !Seems(A) -> !Good(A) ^2",
			"1: Alike(A, B) -> Near(A, B) ^2", "1: !Alike(A, B) -> !Near(A, B) ^2"],
		"networks": {"judge": {"features": "features.tsv"}, "twins": {"kind": "siamese", "features": "features.tsv",
			"hidden": [8]}},
		"predicates": {
			"Thing/1": {"observations": ["things.tsv"]}, "Pair/2": {"observations": ["pairs.tsv"]},
			"Seems/1": {"neural": {"network": "judge", "atoms": "Seems(A) <- Thing(A)"}},
			"Alike/2": {"neural": {"network": "twins", "atoms": "Alike(A, B) <- Pair(A, B)"}},
			"Good/1": {"targets": ["things.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["ContinuousEvaluator"]},
			"Near/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["pairs-train.tsv"], "infer": ["pairs-test.tsv"]},
				"evaluations": ["AUCEvaluator"]}
		}}`
	r := run(t, writeProject(t, files), project.Options{Seed: 1}, learnAndInfer)
	if r.CrossFit == nil || r.CrossFit.Folds == 0 {
		t.Errorf("nothing was held out: %+v", r.CrossFit)
	}
	if e := r.Evaluations[0]; !(e.Values["MAE"] < 0.1) {
		t.Errorf("degrees: %v, want a mean error below 0.1", e.Values)
	}
	if e := r.Evaluations[1]; !(e.Values["AUROC"] > 0.9) {
		t.Errorf("pairs: %v, want an AUROC above 0.9", e.Values)
	}
}

// Where labels are too few to hold any out, and rules make things alike, networks see classes as often in the mean as
// they are likely to be common: four labels of five do not make nine things of ten be of a class.
func TestSharesOfFewLabels(t *testing.T) {
	for _, relates := range []bool{true, false} {
		path := flowers(t, 1, false, true)
		config, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		few := strings.ReplaceAll(string(config), `["train.tsv"]`,
			`[["t0", "c0"], ["t3", "c0"], ["t6", "c0"], ["t1", "c1"], ["t2", "c2"]]`)
		if !relates {
			few = strings.Replace(few, `"1: Near(A, B) & Is(A, C) -> Is(B, C) ^2",`, "", 1)
		}
		if err := os.WriteFile(path, []byte(few), 0o666); err != nil {
			t.Fatal(err)
		}
		r := run(t, path, project.Options{Seed: 5}, learnAndInfer)
		sums, things := make(map[string]float64), 0.0
		r.Grounding.Each(r.Answer, true, func(a session.Atom) {
			if a.Predicate == "Seen" {
				sums[a.Arguments[1]] += a.Value
				things += a.Value
			}
		})
		shared := true
		for class, want := range map[string]float64{"c0": 8. / 20, "c1": 6. / 20, "c2": 6. / 20} {
			shared = shared && math.Abs(sums[class]/things-want) < 1e-3
		}
		if shared != relates {
			t.Errorf("with a rule that relates things: %v; sums over %v things: %v", relates, things, sums)
		}
	}
}

// A rule that equates one of a network's two classes with what is inferred lets the network be fitted alone, on truth
// of any degree.
func TestNetworksAreFittedToDegrees(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	files := map[string]string{"model.json": `{
		"rules": ["1: Level(P) = Seen(P, 'high') ^2", "1: Near(P, Q) & Level(Q) -> Level(P) ^2"],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["low", "high"]}},
			"Near/2": {"observations": ["near.tsv"]}, "Level/1": {"targets": ["targets.tsv"],
			"evaluations": ["Continuous"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	for k := range 90 {
		a, b := random.NormFloat64(), random.NormFloat64()
		files["features.tsv"] += fmt.Sprintf("t%d\t%.4f\t%.4f\n", k, a, b)
		files["near.tsv"] += fmt.Sprintf("t%d\tt%d\n", k, random.IntN(90))
		files["targets.tsv"] += fmt.Sprintf("t%d\n", k)
		files[[2]string{"train.tsv", "test.tsv"}[k%2]] += fmt.Sprintf("t%d\t%.4f\n", k, 1/(1+math.Exp(-a-b/2)))
	}
	r := run(t, writeProject(t, files), project.Options{Seed: 2}, learnAndInfer)
	if mae := r.Evaluations[0].Values["MAE"]; r.Training.FitEpochs == 0 || !(mae < 0.06) {
		t.Errorf("mean error %.4f after %d epochs of fitting; %v", mae, r.Training.FitEpochs, r.Evaluations[0].Values)
	}
}

// Comparisons of things teach a network to rank these: 200 of them are enough to tell 94 in 100 others.
func TestNetworksLearnToRank(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 1))
	files := map[string]string{"model.json": `{
		"rules": ["1: 2 * Better(A, B) = 1 + Good(A, 'yes') - Good(B, 'yes') ^2"],
		"networks": {"eye": {"features": "features.tsv", "hidden": [16]}},
		"predicates": {"Good/2": {"neural": {"network": "eye", "class": 1, "classes": ["yes", "no"]}},
			"Better/2": {"targets": ["pairs.tsv"], "evaluations": ["Discrete"],
			"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	var good [100]float64
	for k := range good {
		files["features.tsv"] += fmt.Sprintf("t%d", k)
		for _, weight := range []float64{1, -0.7, 0.5, 0.3, -0.2} {
			x := random.NormFloat64()
			good[k] += weight * x
			files["features.tsv"] += fmt.Sprintf("\t%.4f", x)
		}
		files["features.tsv"] += "\n"
	}
	for k := range 500 {
		a, b := k%100, (k%100+1+k/100*17)%100
		truth := 0
		if good[a] > good[b] {
			truth = 1
		}
		files["pairs.tsv"] += fmt.Sprintf("t%d\tt%d\n", a, b)
		files[[2]string{"train.tsv", "test.tsv"}[min(k/200, 1)]] += fmt.Sprintf("t%d\tt%d\t%d\n", a, b, truth)
	}
	path, mean := writeProject(t, files), 0.0
	for seed := range uint64(3) {
		mean += run(t, path, project.Options{Seed: seed}, learnAndInfer).Evaluations[0].Values["Accuracy"] / 3
	}
	t.Logf("%.3f of comparisons are right", mean)
	if mean < 0.935 {
		t.Errorf("%.3f of comparisons are right", mean)
	}
}

// voters say what things are, in three classes: the one that is mostly right is written a hundredth as large as one by
// lot, and another one by lot a hundred times.
func voters(t *testing.T, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 11))
	files := map[string]string{"model.json": `{
		"rules": ["0.01: Sees(A, Y) -> Is(A, Y) ^2", "0.01: First(A, Y) -> Is(A, Y) ^2", "1: Second(A, Y) -> Is(A, Y) ^2",
			"100: Third(A, Y) -> Is(A, Y) ^2", "Is(A, +Y) = 1 ."],
		"networks": {"eye": {"features": "features.tsv", "hidden": []}},
		"predicates": {
			"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["0", "1", "2"]}},
			"First/2": {"observations": ["0.tsv"]},
			"Second/2": {"observations": ["1.tsv"]},
			"Third/2": {"observations": ["2.tsv"]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["CategoricalEvaluator"]}
		}
	}`}
	for k := range 224 {
		class, part := random.IntN(3), "test.tsv"
		if k < 24 {
			part = "train.tsv"
		}
		files[part] += fmt.Sprintf("%d\t%d\n", k, class)
		files["features.tsv"] += fmt.Sprintf("%d\t%.3f\t%.3f\n", k, random.NormFloat64()+float64(class), random.NormFloat64())
		for voter, right := range []float64{0.85, 0.34, 0.34} {
			says := class
			if random.Float64() > right {
				says = (class + 1 + random.IntN(2)) % 3
			}
			files[fmt.Sprintf("%d.tsv", voter)] += fmt.Sprintf("%d\t%d\n", k, says)
		}
		for other := range 3 {
			files["targets.tsv"] += fmt.Sprintf("%d\t%d\n", k, other)
		}
	}
	return writeProject(t, files)
}

// Weights that are written out of proportion, as where orders of magnitude are mistaken, do not keep learning from
// those that labels bear out.
func TestWeightsOutOfProportion(t *testing.T) {
	t.Parallel()
	const seeds = 3
	mean := 0.0
	for seed := range uint64(seeds) {
		mean += lastAccuracy(run(t, voters(t, seed), project.Options{Seed: seed}, learnAndInfer)) / seeds
	}
	if t.Logf("%.3f are right", mean); mean < 0.8 {
		t.Errorf("%.3f are right", mean)
	}
}

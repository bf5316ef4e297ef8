package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// sides writes things of which a network sees six numbers, and which are good or not, by the first number or by lot.
func sides(byLot bool) map[string]string {
	random := rand.New(rand.NewPCG(3, 4))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A) -> Good(A) ^2", "1: !Sees(A) -> !Good(A) ^2"],
		"networks": {"net": {"features": "features.tsv"}},
		"predicates": {"Sees/1": {"neural": {"network": "net"}},
			"Good/1": {"targets": ["things.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["DiscreteEvaluator"]}}}`}
	for i := range 260 {
		first, good := random.NormFloat64(), random.IntN(2)
		if !byLot {
			good = 0
			if first > 0 {
				good = 1
			}
		}
		files["features.tsv"] += fmt.Sprintf("t%d\t%.3f", i, first)
		for range 5 {
			files["features.tsv"] += fmt.Sprintf("\t%.3f", random.NormFloat64())
		}
		files["features.tsv"] += "\n"
		files["things.tsv"] += fmt.Sprintf("t%d\n", i)
		name := "test.tsv"
		if i < 60 {
			name = "train.tsv"
		}
		files[name] += fmt.Sprintf("t%d\t%d\n", i, good)
	}
	return files
}

// What methods that hold nothing out make of labels is told by those that answers are scored by, if nothing else tells.
// What can be learned is by each of them, unless by a loss of true labels alone.
func TestAnswersThatSeeNothing(t *testing.T) {
	for _, test := range []struct {
		method string
		byLot  bool
		told   string
	}{
		{"implicit", false, ""}, {"deeppsl", false, ""}, {"auto", false, ""},
		{"implicit learn.loss=cross-entropy", false, "learn-blind"},
		{"deeppsl learn.loss=cross-entropy", false, "learn-blind"},
		{"implicit", true, "learn-"}, {"auto", true, "learn-"},
	} {
		options := project.Options{Set: strings.Fields("learn.method=" + test.method)}
		r := run(t, writeProject(t, sides(test.byLot)), options, learnAndInfer)
		if told := fmt.Sprint(r.Warnings); !strings.Contains(told, test.told) || test.told == "" && told != "[]" {
			t.Errorf("%s, by lot %t: %v, %v", test.method, test.byLot, told, r.Evaluations[0].Values)
		}
	}
}

// Where weights of rules alone are learned by default, no method was chosen that could be left out.
func TestAnswersThatSeeNothingByDefault(t *testing.T) {
	files := sides(true)
	files["model.json"] = `{
		"rules": ["1: Tall(A) -> Good(A) ^2", "1: Thing(A) & !Tall(A) -> !Good(A) ^2"],
		"predicates": {"Tall/1": {"observations": ["tall.tsv"]}, "Thing/1": {"observations": ["things.tsv"]},
			"Good/1": {"targets": ["things.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["DiscreteEvaluator"]}}}`
	for i := range 20 {
		files["tall.tsv"] += fmt.Sprintf("t%d\n", 13*i)
	}
	r := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
	blind := slices.IndexFunc(r.Warnings, func(w source.Plain) bool { return w.ID == "learn-blind" })
	if blind < 0 || strings.Contains(r.Warnings[blind].Hint, "learn.method") {
		t.Errorf("%+v, %v", r.Warnings, r.Evaluations[0].Values)
	}
}

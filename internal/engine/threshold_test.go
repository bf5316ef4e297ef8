package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// columns are columns of two tables that belong together if they are alike, one to one.
func columns(power, options string) map[string]string { return columnsDrawn(7, power, options) }

func columnsDrawn(seed uint64, power, options string) map[string]string {
	random := rand.New(rand.NewPCG(seed, 9))
	files := map[string]string{"model.json": `{
		"rules": ["fixed 1: Alike(A, B) -> Match(A, B)` + power + `", "fixed 1: !Match(A, B)` + power + `",
			"0.1: Rare(A, B) -> Match(A, B)", "Match(A, +B) <= 1 .", "Match(+A, B) <= 1 ."],
		"predicates": {"Alike/2": {"observations": ["alike.tsv"]}, "Rare/2": {"observations": [["l0", "r1"]]},
			"Match/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["Discrete", "AUC"]}},
		"options": {` + options + `}}`}
	for a := range 120 {
		for b := range 6 {
			name := fmt.Sprintf("l%d\tr%d", a, a/6*6+b)
			same, table := 0, "train.tsv"
			alike := 0.3 + 0.1*random.Float64()
			if a%6 == b {
				same, alike = 1, 0.6+0.2*random.Float64()
			}
			if a >= 60 {
				table = "test.tsv"
			}
			files["pairs.tsv"] += name + "\n"
			files["alike.tsv"] += fmt.Sprintf("%s\t%.3f\n", name, alike)
			files[table] += fmt.Sprintf("%s\t%d\n", name, same)
		}
	}
	return files
}

// What is true may be told apart well and lie below a half: learning finds from where on it had best count as true.
func TestThresholdIsLearned(t *testing.T) {
	r := run(t, writeProject(t, columns(" ^2", "")), project.Options{}, learnAndInfer)
	e := r.Evaluations[0]
	if e.Learned == nil || e.Values["F1"] < 0.95 || e.Learned.Value > 0.5 || e.Learned.Default != 0.5 {
		t.Errorf("F1 %v by %+v", e.Values["F1"], e.Learned)
	}
	for _, options := range []string{`"discreteevaluator.threshold": 0.5`, ""} {
		stages := learnAndInfer
		if options == "" {
			stages = engine.Stages{Infer: true} // without learning there is none
		}
		e := run(t, writeProject(t, columns(" ^2", options)), project.Options{}, stages).Evaluations[0]
		if e.Learned != nil || e.Values["F1"] > 0.5 {
			t.Errorf("%q: F1 %v by %+v", options, e.Values["F1"], e.Learned)
		}
	}
}

// What inference knows moves values, and so the threshold is learned with other labels known.
func TestThresholdOfWhatIsKnown(t *testing.T) {
	const clubs, members = 40, 5
	files := map[string]string{"model.json": `{
		"rules": ["fixed 1: Near(A, B) & Odd(A) -> Odd(B) ^2", "fixed 9: !Odd(A) ^2", "0.1: Rare(A) -> Odd(A) ^2"],
		"predicates": {"Near/2": {"observations": ["near.tsv"]}, "Rare/1": {"observations": [["p0"]]},
			"Odd/1": {"targets": ["people.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["Discrete"]}},
		"options": {"inference.known": true}}`}
	for a := range clubs * members {
		for b := a / members * members; b < (a/members+1)*members; b++ {
			if a != b {
				files["near.tsv"] += fmt.Sprintf("p%d\tp%d\n", a, b)
			}
		}
		table := []string{"train.tsv", "test.tsv"}[a%members%2]
		files["people.tsv"] += fmt.Sprintf("p%d\n", a)
		files[table] += fmt.Sprintf("p%d\t%d\n", a, a/members%2)
	}
	e := run(t, writeProject(t, files), project.Options{}, learnAndInfer).Evaluations[0]
	if e.Learned == nil || e.Values["F1"] < 0.95 || e.Learned.Value > 0.5 {
		t.Errorf("F1 %v by %+v", e.Values["F1"], e.Learned)
	}
}

// An answer that is no better than one that looks at nothing is told.
func TestBlindAnswersAreNoticed(t *testing.T) {
	const want = "F1 of Match is 0 for the 360 labels learned from; an answer that looks at nothing has 0 " +
		"[learn-blind]"
	files := columns(" ^2", `"discreteevaluator.threshold": 0.5`)
	files["model.json"] = strings.Replace(files["model.json"], `-> Match(A, B)", "M`, `-> Match(A, B) ^2", "M`, 1)
	path := writeProject(t, files)
	if printed := notices(t, path); !strings.Contains(printed, want) || strings.Contains(printed, "write ^2") {
		t.Errorf("not noticed, or squares advised where all rules have them: %s", printed)
	}
	if printed := notices(t, writeProject(t, columns(" ^2", ""))); strings.Contains(printed, "learn-blind") {
		t.Errorf("noticed though a threshold was learned: %s", printed)
	}
}

// Where labels are all the same, that is what is wrong, and no rule is.
func TestLabelsThatAreAlikeAreTold(t *testing.T) {
	files := map[string]string{"model.json": `{
		"rules": ["1: Hint(A, C) -> Is(A, C) ^2", "fixed 9: Is(A, +C) = 1 ^2"],
		"predicates": {
			"Hint/2": {"observations": ["truth.tsv"]}, "Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["truth.tsv"]}}
		}
	}`}
	for k := range 20 {
		files["targets.tsv"] += fmt.Sprintf("%d\tcat\n%[1]d\tdog\n", k)
		files["truth.tsv"] += fmt.Sprintf("%d\tcat\n", k)
	}
	printed := notices(t, writeProject(t, files))
	if !strings.Contains(printed, "give labels that differ, too") || strings.Contains(printed, "^2 behind") {
		t.Error(printed)
	}
}

// Linear rules that would do better with squares are told, and squared ones are not. Of draw 0, the labels learned from
// are told well, too, by the state that is found of many that cost the same, but not by another one.
func TestLinearRulesAreNoticed(t *testing.T) {
	const want = "with squares, the rules would tell the labels better: a loss of "
	for _, power := range []string{"", " ^2"} {
		for seed := range uint64(2) {
			files := columnsDrawn(seed, power, "")
			files["model.json"] = strings.ReplaceAll(strings.ReplaceAll(files["model.json"], "fixed ", ""),
				"-> Match(A, B)\"", "-> Match(A, B)"+power+"\"")
			if printed := notices(t, writeProject(t, files)); strings.Contains(printed, want) != (power == "") {
				t.Errorf("%q, draw %d: %s", power, seed, printed)
			}
		}
	}
}

// Weights are compared by the answer that inference will give, where several cost the same too.
func TestComparedAsInferred(t *testing.T) {
	files := columns("", `"inference.known": false, "discreteevaluator.threshold": 0.2`)
	config := strings.ReplaceAll(files["model.json"], "fixed ", "")
	files["model.json"] = strings.ReplaceAll(config, `"test.tsv"`, `"train.tsv"`)
	r := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
	c := r.Compared
	want := c.WrittenScore
	if c.Learned {
		want = c.LearnedScore
	}
	if got := r.Evaluations[0].Values["F1"]; c.Labels != "learned from" || got != want {
		t.Errorf("F1 %v is inferred where %v decided: %+v", got, want, c)
	}
}

// gazetteers are pairs of places of two lists, of which the same ones are near and of like names.
func gazetteers(seed uint64) map[string]string {
	random := rand.New(rand.NewPCG(seed, 9))
	files := map[string]string{"model.json": `{
		"rules": ["1: Near(A, B) & Alike(A, B) -> Same(A, B) ^2", "1: Near(A, B) -> Same(A, B) ^2",
			"1: Kind(A, B) -> Same(A, B) ^2", "1: Near(A, B) & !Kind(A, B) -> !Same(A, B) ^2", "1: !Same(A, B) ^2",
			"1: Same(A, B) & Near(A, C) & (B != C) -> !Same(A, C) ^2"],
		"predicates": {"Near/2": {"observations": ["near.tsv"]}, "Alike/2": {"observations": ["alike.tsv"]},
			"Kind/2": {"observations": ["kind.tsv"]},
			"Same/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["Discrete"]}}}`}
	for a := range 90 {
		for b := range 5 {
			name := fmt.Sprintf("g%d\th%d", a, a/5*5+b)
			same, table, far, alike := 0, "train.tsv", 4*random.Float64(), 0.1+0.3*random.Float64()
			if a%5 == b {
				same, far, alike = 1, 2*random.Float64(), 0.8+0.2*random.Float64()
			}
			if a >= 30 {
				table = "test.tsv"
			}
			kind := 0
			if random.IntN(4) == 0 || same == 1 && random.IntN(6) > 0 {
				kind = 1
			}
			files["pairs.tsv"] += name + "\n"
			files["near.tsv"] += fmt.Sprintf("%s\t%.3f\n", name, 1/(1+far))
			files["alike.tsv"] += fmt.Sprintf("%s\t%.3f\n", name, alike)
			files["kind.tsv"] += fmt.Sprintf("%s\t%d\n", name, kind)
			files[table] += fmt.Sprintf("%s\t%d\n", name, same)
		}
	}
	return files
}

// Weights are not sought by a score from a half on where a threshold is still to be learned: that is raised by lifting
// what is true, which tells it no better apart.
func TestWeightsAreSoughtBeforeThresholds(t *testing.T) {
	for seed := range uint64(3) {
		e := run(t, writeProject(t, gazetteers(seed)), project.Options{}, learnAndInfer).Evaluations[0]
		if e.Learned == nil || e.Values["F1"] < 0.9 {
			t.Errorf("seed %d: F1 %.3f by %+v", seed, e.Values["F1"], e.Learned)
		}
	}
}

// Whoever leaves it to the truth how answers are scored has what he learns scored so, too.
func TestWhatSuitsTruthGuidesLearning(t *testing.T) {
	files := gazetteers(0)
	for _, table := range []string{"train.tsv", "test.tsv"} { // not all are the same as another: no choice of one
		files[table] = strings.Replace(files[table], "\t1\n", "\t0\n", 1)
	}
	named := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
	files["model.json"] = strings.Replace(files["model.json"], `,
				"evaluations": ["Discrete"]`, "", 1)
	suited := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
	want, got := named.Evaluations[0].Learned, suited.Evaluations[0].Learned
	if !slices.Equal(suited.RuleWeights, named.RuleWeights) || got == nil || *got != *want {
		t.Errorf("weights %v and %+v where the evaluator is named, %v and %+v where it is not", named.RuleWeights,
			want, suited.RuleWeights, got)
	}
}

// Whoever gives validation truth has weights learned no worse: they are sought by the labels learned from, and
// validation chooses.
func TestWeightsAreSoughtBesideValidation(t *testing.T) {
	for seed := range uint64(3) {
		files := gazetteers(seed)
		files["model.json"] = strings.Replace(files["model.json"], `"train.tsv"]`,
			`"train.tsv"], "validation": ["valid.tsv"]`, 1)
		rows := strings.SplitAfter(files["train.tsv"], "\n")
		files["train.tsv"], files["valid.tsv"] = strings.Join(rows[:100], ""), strings.Join(rows[100:], "")
		r := run(t, writeProject(t, files), project.Options{}, learnAndInfer)
		if e := r.Evaluations[0]; r.Compared == nil || r.Compared.Labels != "validation" || e.Values["F1"] < 0.9 {
			t.Errorf("seed %d: F1 %.3f by %+v, %+v", seed, e.Values["F1"], e.Learned, r.Compared)
		}
	}
}

package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lesson is a small classification that is easy to learn, with what a test changes about it.
type lesson struct {
	network  string // further settings of the network
	features func(k int) string
	rules    string
	files    map[string]string
	more     string // further predicates
	options  string
	held     string // the truth of validation
}

// write writes 30 things of two kinds, all with labels.
func (l lesson) write(t *testing.T) string {
	t.Helper()
	if l.features == nil {
		l.features = func(k int) string { return fmt.Sprintf("%g %g", float64(k%2)+0.01*float64(k%5), 1+0.1*float64(k%3)) }
	}
	if l.options == "" {
		l.options = `"learn.method": "deeppsl", "learn.epochs": 5`
	}
	files := map[string]string{
		"model.json": `{
			"rules": ["1: Sees(A, C) -> Is(A, C) ^2", "fixed 9: Is(A, +C) = 1 ^2"` + l.rules + `],
			"networks": {"seer": {"features": "features.tsv"` + l.network + `}},
			"predicates": {
				"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["cat", "dog"]}},` + l.more + `
				"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]` + l.held + `}}
			},
			"options": {` + l.options + `}
		}`,
	}
	for k := range 30 {
		files["features.tsv"] += fmt.Sprintf("%d\t%s\n", k, l.features(k))
		files["targets.tsv"] += fmt.Sprintf("%d\tcat\n%[1]d\tdog\n", k)
	}
	files["train.tsv"] = labelled(30, 1)
	maps.Copy(files, l.files)
	return writeProject(t, files)
}

// labelled lists classes of n things, which change every so many; what is seen changes with each.
func labelled(n, every int) (rows string) {
	for k := range n {
		rows += fmt.Sprintf("%d\t%s\n", k, [2]string{"cat", "dog"}[k/every%2])
	}
	return rows
}

// notices runs a lesson and returns what was noticed, as it is printed but for places.
func notices(t *testing.T, path string) (printed string) {
	t.Helper()
	var b strings.Builder
	report := run(t, path, project.Options{Seed: 1, OnWarning: func(w source.Diagnostics) { w.Render(&b, false, 0) }},
		engine.Stages{Learn: true})
	for _, lint := range report.Warnings {
		if !strings.Contains(b.String(), lint.Message) {
			t.Errorf("the report has %q, which was not said", lint.Message)
		}
	}
	return b.String()
}

// Answers that are all below a half are noticed where labels are not, and only there; not where it was learned from
// which lower value on atoms are true, nor where only the order of values is scored.
func TestOneSideIsNoticed(t *testing.T) {
	for _, test := range []struct {
		pull, scores, options string
		told                  bool
	}{
		{"0.2", "", `, "discreteevaluator.threshold": 0.5, "learn.method": "energy"`, true},
		{"0.2", `, "evaluations": ["AUCEvaluator"]`, `, "learn.method": "energy"`, false},
		{"0.2", "", "", false},
		{"20", "", "", false},
	} {
		files := map[string]string{"model.json": `{
			"rules": ["fixed ` + test.pull + `: Hint(A) -> Likes(A) ^2", "1: !Likes(A) ^2"],
			"predicates": {"Hint/1": {"observations": ["hint.tsv"]},
				"Likes/1": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}` + test.scores + `}},
			"options": {"learn.epochs": 2` + test.options + `}
		}`}
		for k := range 20 {
			files["targets.tsv"] += fmt.Sprintf("%d\n", k)
			if k < 12 {
				files["train.tsv"] += fmt.Sprintf("%d\t%d\n", k, k%2)
			}
			if k%2 == 1 {
				files["hint.tsv"] += fmt.Sprintf("%d\n", k)
			}
		}
		const want = "all answers to the 12 labels of Likes are below a half, though 6 of these are true [learn-one-side]"
		if printed := notices(t, writeProject(t, files)); strings.Contains(printed, want) != test.told {
			t.Errorf("a pull of %s%s%s: %q", test.pull, test.scores, test.options, printed)
		}
	}
}

// Weights that compete with those written are judged by labels: that their method's own loss rises is no sign of
// anything. Without networks, no hint speaks of their rates.
func TestRisingLossOfWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 1))
	files := map[string]string{}
	for k := range 60 {
		truth := random.IntN(2)
		for w, right := range []float64{0.9, 0.6} {
			said := truth
			if random.Float64() > right {
				said = 1 - said
			}
			files[fmt.Sprintf("witness%d.tsv", w)] += fmt.Sprintf("%d\t%d\n", k, said)
		}
		files["targets.tsv"] += fmt.Sprintf("%d\t0\n%[1]d\t1\n", k)
		if k < 30 {
			files["truth.tsv"] += fmt.Sprintf("%d\t%d\n", k, truth)
		}
	}
	for options, told := range map[string]bool{"": false, `"learn.method": "likelihood", "learn.rate.rules": 40`: true} {
		files["model.json"] = `{
			"rules": ["1: Ann(A, Y) -> Is(A, Y)", "1: Bob(A, Y) -> Is(A, Y)", "Is(A, +Y) = 1 ."],
			"predicates": {
				"Ann/2": {"observations": ["witness0.tsv"]}, "Bob/2": {"observations": ["witness1.tsv"]},
				"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["truth.tsv"]}}
			}, "options": {` + options + `}}`
		report := run(t, writeProject(t, files), project.Options{Seed: 1}, learnAndInfer)
		rises := slices.IndexFunc(report.Warnings, func(w source.Plain) bool { return w.ID == "learn-loss-rising" })
		if rises >= 0 != told || told && strings.Contains(report.Warnings[rises].Hint, "rate.networks") {
			t.Errorf("%s: %v", options, report.Warnings)
		}
	}
}

// Held-out labels choose how long networks learn end to end: that the labels which these were fitted to are then told
// with a greater loss is no sign of anything.
func TestRisingLossOfWhatLabelsChoose(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 42))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A, C) -> Is(A, C)", "Is(A, +C) = 1 ."], "networks": {"eye": {"features": "features.tsv"}},
		"predicates": {
			"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["0", "1", "2"],
				"atoms": "Sees(A, C) <- Thing(A) & Kind(C)"}},
			"Thing/1": {"observations": ["things.tsv"]}, "Kind/1": {"observations": [["0"], ["1"], ["2"]]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["truth.tsv"]}}
		}}`}
	var means [3][6]float64
	for c := range means {
		for j := range means[c] {
			means[c][j] = 1.2 * random.NormFloat64()
		}
	}
	for k := range 150 {
		kind := random.IntN(3)
		files["features.tsv"] += fmt.Sprint(k)
		for _, mean := range means[kind] {
			files["features.tsv"] += fmt.Sprintf("\t%.3f", mean+random.NormFloat64())
		}
		files["features.tsv"] += "\n"
		files["things.tsv"] += fmt.Sprintf("%d\n", k)
		files["targets.tsv"] += fmt.Sprintf("%d\t0\n%[1]d\t1\n%[1]d\t2\n", k)
		if random.Float64() < 0.15 {
			kind = random.IntN(3)
		}
		if k < 75 {
			files["truth.tsv"] += fmt.Sprintf("%d\t%d\n", k, kind)
		}
	}
	report := run(t, writeProject(t, files), project.Options{Seed: 1}, learnAndInfer)
	first, last := report.LearningCurve[0].Loss, report.LearningCurve[len(report.LearningCurve)-1].Loss
	if report.CrossFit.Epochs == 0 || last < 1.1*first {
		t.Fatalf("%d epochs, from a loss of %.3f to %.3f: nothing rises", report.CrossFit.Epochs, first, last)
	}
	if slices.ContainsFunc(report.Warnings, func(w source.Plain) bool { return w.ID == "learn-loss-rising" }) {
		t.Errorf("%v", report.Warnings)
	}
}

// still are options by which networks learn nothing.
const still = `"learn.method": "deeppsl", "learn.epochs": 3, "learn.deviation": 0, "learn.rate.rules": 0.01, ` +
	`"learn.rate.networks": 0, "network.epochs": 0`

// purrs are labels of two of the three classes that some other target has.
func purrs() map[string]string {
	files := make(map[string]string)
	for k := range 30 {
		files["asked.tsv"] += fmt.Sprintf("%d\n", k)
		if k < 16 {
			files["purrs.tsv"] += fmt.Sprintf("%d\t%s\n", k, []string{"much", "little"}[k%2])
		}
	}
	return files
}

// Each way to learn nothing is noticed, by its name.
func TestNotices(t *testing.T) {
	nothing := func(int) string { return "0 0" }
	foxes := ""
	for k := range 30 {
		foxes += fmt.Sprintf("%d\tcat\n%[1]d\tdog\n%[1]d\tfox\n", k)
	}
	tests := []struct {
		lesson
		want string
	}{
		{lesson{network: `, "normalize": "none"`, features: nothing},
			`network "seer" gives all classes the same probability, whatever it sees [learn-uniform]`},
		{lesson{network: `, "normalize": "none"`, features: func(int) string { return "1 2" }},
			`network "seer" gives the same outputs, whatever it sees [learn-uniform]`},
		{lesson{network: `, "normalize": "none"`, options: still,
			features: func(k int) string { return fmt.Sprintf("1 %g", 1+0.1*float64(k%7)) }},
			`network "seer" prefers the same class for 100 % of what it sees [learn-one-class]`},
		{lesson{network: `, "normalize": "none", "hidden": [4], "activation": "relu"`, features: nothing},
			`100 % of the nodes of layer hidden1 of network "seer" are flat for all it sees, and learn no more [learn-dead]`},
		{lesson{network: `, "normalize": "none", "hidden": [4], "activation": "tanh"`, options: still,
			features: func(k int) string { return fmt.Sprint(min(k, 1)*1e6*(1+k), " ", min(k, 1)*1e6) }},
			`layer hidden1 of network "seer" are flat for 97 % of what they see, ` +
				`and learn no more [learn-saturated]`},
		{lesson{options: `"learn.method": "deeppsl", "learn.epochs": 20, "learn.rate.networks": 30, "network.epochs": 0`,
			features: func(k int) string { return fmt.Sprint(k*k%7, k*k%5) }},
			`in 6 epochs [learn-loss-rising]`},
		{lesson{network: `, "normalize": "none"`, features: nothing},
			`50 % of 30 labels of Is are right; always saying the most frequent one would give 50 % [learn-chance]`},
		{lesson{held: `, "validation": ["held.tsv"]`, options: `"learn.method": "implicit", "learn.epochs": 5`,
			files: map[string]string{"train.tsv": labelled(10, 1), "held.tsv": labelled(30, 2)}},
			`50 % of 30 labels of Is are right; always saying the most frequent one would give 53 % [learn-chance]`},
		{lesson{options: strings.Replace(still, "0.01", "1e-12", 1)},
			`the weights of rules that are to be learned, 1 in number, did not move in 3 epochs [learn-still]`},
		{lesson{network: `, "hidden": [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], "activation": "sigmoid"`},
			`epochs of fitting, next to no gradient reaches layer hidden1 of network "seer", less than a millionth ` +
				`of what others get [learn-vanishing]`},
		{lesson{network: `, "hidden": []`, rules: `, "fixed 1000000: Sees(A, C) & Is(A, B) & (B != C) -> Is(A, C) ^2"`,
			options: strings.Replace(still, "0, \"network", "1e-9, \"network", 1)},
			`far beyond its weights [learn-exploding]`},
		{lesson{network: `, "hidden": [4], "activation": "sigmoid"`,
			more:  `"Other/1": {"targets": [["x"]]}, "Known/1": {"targets": [["x"]], "truth": {"learn": [["x"]]}},`,
			rules: `, "1: Known('x') -> Other('x') ^2"`,
			files: map[string]string{"train.tsv": ""}},
			`no gradient reaches network "seer", though not all labels are met [learn-vanishing]`},
		{lesson{network: `, "hidden": []`, rules: `, "1: Sees(A, C) & Seldom(A) -> Is(A, C) ^2"`,
			more:  `"Seldom/1": {"observations": ["seldom.tsv"]},`,
			files: map[string]string{"seldom.tsv": "1\t0.01\n2\t0.01\n"}},
			`after 3 epochs, none of the rule's ground rules is active, from the first epoch on: ` +
				`nothing more is learned from it [learn-dying]`},
		{lesson{files: map[string]string{"train.tsv": "1\tcat\n2\tcat\n"}},
			`1 of the 2 classes of Is have no label to learn from, such as "dog" [learn-unlabelled]`},
		{lesson{rules: `, "1: Is(A, 'cat') -> Purrs(A, 'much') ^2", "1: Is(A, 'dog') -> Purrs(A, 'little') ^2"`,
			more: `"Purrs/2": {"targets": "Purrs(A, Y) <- Asked(A) & Loud(Y)", "truth": {"learn": ["purrs.tsv"]}},
				"Asked/1": {"observations": ["asked.tsv"]}, "Loud/1": {"observations": [["much"], ["little"], ["never"]]},`,
			files: purrs()},
			`1 of the 3 classes of Purrs have no label to learn from, such as "never": hardly anything will be taken for one ` +
				`[learn-unlabelled]`},
		{lesson{files: map[string]string{"targets.tsv": foxes, "train.tsv": "0\tcat\n1\tfox\n2\tfox\n3\tdog\n"}},
			`1 of the 3 classes with labels of Is are none of network "seer", such as "fox" [learn-foreign]`},
		{lesson{files: map[string]string{"train.tsv": "1\tcat\t1\n1\tdog\t1\n2\tcat\t0\n2\tdog\t0\n3\tcat\t0\n"}},
			`2 of 3 things with labels of Is are of several classes or of none, but the network gives each thing just one ` +
				`[learn-exclusive]`},
		{lesson{held: `, "infer": ["train.tsv"]`},
			`30 of the 30 labels that answers are scored by were learned from: scores say nothing about others ` +
				`[learn-scored]`},
		{lesson{more: `"Other/1": {"targets": [["x"], ["y"]], "truth": {"learn": [["x"]]}},`},
			`1 of 1 labels of Other are about atoms that are in no ground rule: nothing is learned from them [learn-unreached]`},
	}
	for _, test := range tests {
		id := test.want[strings.LastIndexByte(test.want, '['):]
		t.Run(id, func(t *testing.T) {
			if got := notices(t, test.write(t)); !strings.Contains(got, test.want) {
				t.Errorf("got\n%swant %q", got, test.want)
			}
		})
	}
}

// What is rare is seldom the most probable answer: to prefer the other one everywhere says nothing against a network.
func TestRareClassesAreSeldomPreferred(t *testing.T) {
	for dogs, told := range map[int]bool{6: true, 2: false} {
		l := lesson{network: `, "normalize": "none"`, options: still,
			features: func(k int) string { return fmt.Sprintf("1 %g", 1+0.1*float64(k%7)) },
			files:    map[string]string{"train.tsv": labelled(30, 30-dogs)}}
		if got := notices(t, l.write(t)); strings.Contains(got, "learn-one-class") != told {
			t.Errorf("%d of 30 are dogs: %s", dogs, got)
		}
	}
}

// So it is of networks that say yes or no, by one output or of two classes.
func TestRareTruthIsSeldomPreferred(t *testing.T) {
	for _, kind := range []struct{ seen, atoms string }{
		{`"1: Looks(A) -> Bad(A) ^2", "1: Bad(A) -> Looks(A) ^2"`, `"Looks/1": {"neural": {"network": "seer"}}`},
		{`"1: Looks(A, 'bad') -> Bad(A) ^2", "1: Looks(A, 'ok') -> !Bad(A) ^2"`,
			`"Looks/2": {"neural": {"network": "seer", "class": 1, "classes": ["ok", "bad"]}}`},
	} {
		for bad, told := range map[int]bool{6: true, 2: false} {
			files := map[string]string{"model.json": `{
				"rules": [` + kind.seen + `],
				"networks": {"seer": {"features": "features.tsv", "normalize": "none", "hidden": []}},
				"predicates": {` + kind.atoms + `,
					"Bad/1": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}}
				},
				"options": {` + still + `}
			}`}
			for k := range 30 {
				files["features.tsv"] += fmt.Sprintf("%d\t-1 %g\n", k, -0.1*float64(k%7))
				files["targets.tsv"] += fmt.Sprintf("%d\n", k)
				files["train.tsv"] += fmt.Sprintf("%d\t%d\n", k, (k+bad)/30)
			}
			if got := notices(t, writeProject(t, files)); strings.Contains(got, "learn-one-class") != told {
				t.Errorf("%s, %d of 30 are bad: %s", kind.atoms, bad, got)
			}
		}
	}
}

// Of classes that do not exclude each other, such as to be at least so good, the one that nearly all things are of is
// the most probable one of each, which says nothing against a network.
func TestClassesOfWhichAllThingsAre(t *testing.T) {
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A, K) -> AtLeast(A, K) ^2", "1: AtLeast(A, K) -> Sees(A, K) ^2"],
		"networks": {"seer": {"features": "features.tsv", "hidden": [], "output": "sigmoid"}},
		"predicates": {
			"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["1", "2", "3"]}},
			"AtLeast/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}}
		}
	}`}
	for k := range 40 {
		files["features.tsv"] += fmt.Sprintf("%d\t%d\t%d\n", k, k, k%3)
		for grade := range 3 {
			files["targets.tsv"] += fmt.Sprintf("%d\t%d\n", k, grade+1)
			files["train.tsv"] += fmt.Sprintf("%d\t%d\t%d\n", k, grade+1, min(1, (7*k%40+15)/(15*grade+15)))
		}
	}
	if got := notices(t, writeProject(t, files)); strings.Contains(got, "learn-one-class") {
		t.Error(got)
	}
}

// Other things may have the same names where answers are scored: then labels differ, and none was learned from.
func TestNamesUsedTwiceAreNotLearnedFrom(t *testing.T) {
	var known, asked string
	for k := range 30 {
		known += fmt.Sprintf("%d\tcat\t%d\n", k, k%2)
		asked += fmt.Sprintf("%d\tcat\t%d\n", k, k/2%2)
	}
	l := lesson{held: `, "infer": ["asked.tsv"]`, files: map[string]string{"train.tsv": known, "asked.tsv": asked}}
	if got := notices(t, l.write(t)); strings.Contains(got, "learn-scored") {
		t.Error(got)
	}
}

// Labels that are shares of one, as of several judges, do not say that classes exclude nothing.
func TestSharesExclude(t *testing.T) {
	shares := ""
	for k := range 30 {
		shares += fmt.Sprintf("%d\tcat\t0.5\n%d\tdog\t0.5\n", k, k)
	}
	got := notices(t, lesson{files: map[string]string{"train.tsv": shares}}.write(t))
	if strings.Contains(got, "learn-exclusive") {
		t.Error(got)
	}
}

// Labels that say of things which classes they are not tell what they may be.
func TestWhatIsRuledOutTellsTheRest(t *testing.T) {
	train := ""
	for k := range 30 {
		train += fmt.Sprintf("%d\t%s\t0\n", k, [2]string{"cat", "dog"}[k%2])
	}
	got := notices(t, lesson{files: map[string]string{"train.tsv": train}}.write(t))
	if strings.Contains(got, "learn-unlabelled") {
		t.Error(got)
	}
}

// Degrees tell of a class, though none of them is high.
func TestLowDegreesTellOfAClass(t *testing.T) {
	degrees := ""
	for k := range 30 {
		degrees += fmt.Sprintf("%d\tcat\t0.%d\n%d\tdog\t0.%d\n", k, 6+k%3, k, 1+k%3)
	}
	got := notices(t, lesson{network: `, "output": "sigmoid"`, files: map[string]string{"train.tsv": degrees}}.write(t))
	if strings.Contains(got, "learn-unlabelled") {
		t.Error(got)
	}
}

// Where all is well, nothing is said: with the method that held-out labels guide, and with Algorithm 1.
func TestNothingToNotice(t *testing.T) {
	for _, options := range []string{`"learn.folds": 3`, `"learn.method": "deeppsl", "learn.epochs": 20`,
		`"learn.method": "implicit", "learn.epochs": 20`, `"learn.method": "perceptron", "learn.epochs": 20`} {
		if got := notices(t, lesson{options: options}.write(t)); got != "" {
			t.Errorf("%s: %s", options, got)
		}
	}
}

// Examples are looked at, too: labels that do not depend on what the networks see are found out.
func TestNoticesOfExamples(t *testing.T) {
	table := "A,Sum\n"
	for k := range 60 {
		table += fmt.Sprintf("%d,%d\n", k%30, k%7%2)
	}
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(I, C) -> Sum(C) ^2", "fixed 9: Sum(+C) = 1 ^2"],
		"networks": {"seer": {"features": "features.tsv", "normalize": "none", "hidden": []}},
		"predicates": {
			"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["0", "1"], "slots": ["A"]}},
			"Sum/1": {"targets": [["0"], ["1"]]}
		},
		"options": {"learn.epochs": 3},
		"examples": {"learn": "train.csv"}
	}`, "train.csv": table}
	for k := range 30 {
		files["features.tsv"] += fmt.Sprintf("%d\t0 0\n", k)
	}
	got := notices(t, writeProject(t, files))
	for _, id := range []string{"[learn-uniform]", "[learn-chance]"} {
		if !strings.Contains(got, id) {
			t.Errorf("no %s in\n%s", id, got)
		}
	}
}

// Where the loss of examples is near 0 though nothing is known, and where a label is in no rule, that is said.
func TestNoticesOfLatentClasses(t *testing.T) {
	options := project.Options{Seed: 1, Set: []string{"learn.starts=1", "learn.sharpen=0", "learn.epochs=40"}}
	report := run(t, symmetric(t, 4, 200), options, engine.Stages{Learn: true})
	wantNotice(t, report, "learn-chance", "the loss is near 0 all the same")

	report = run(t, writeProject(t, map[string]string{"model.json": `{
		"rules": ["1: Given(A) -> Out(A) ^2", "0.5: !Out(A) ^2"],
		"predicates": {"Given/1": {}, "Out/1": {"targets": [["x"]]}, "Other/1": {"targets": [["x"]]}},
		"options": {"learn.epochs": 3}, "examples": {"learn": "train.csv"}
	}`, "train.csv": "Given(x),Out(x),Other(x)\n1,1,0\n0,0,1\n"}), project.Options{Seed: 1}, engine.Stages{Learn: true})
	wantNotice(t, report, "learn-unreached", "2 of 2 labels of Other(x) are about atoms that are in no ground rule")
}

// wantNotice checks that a run warned of something, in these words of its message or hint.
func wantNotice(t *testing.T, report *engine.Report, id, words string) {
	t.Helper()
	for _, lint := range report.Warnings {
		if lint.ID == id && strings.Contains(lint.Message+lint.Hint, words) {
			return
		}
	}
	t.Errorf("no %s with %q in %+v", id, words, report.Warnings)
}

// A sign that lasts is told while learning goes on, once, and not again at its end. The
// learning curve says which rules were active, and how long gradients were.
func TestNoticesWhileLearning(t *testing.T) {
	path := lesson{network: `, "normalize": "none", "hidden": []`, features: func(int) string { return "0 0" },
		rules: `, "1: Sees(A, C) & Seldom(A) -> Is(A, C) ^2"`,
		more: `"Seldom/1": {"observations": [["1", "0.01"]]},
			"Other/1": {"targets": [["x"]], "truth": {"learn": [["x"]]}},`,
		options: `"learn.method": "deeppsl", "learn.epochs": 40`}.write(t)
	epochs := 0
	said := make(map[string][]int)
	report := run(t, path, project.Options{Seed: 1, OnEpoch: func(learn.Epoch) { epochs++ },
		OnWarning: func(warnings source.Diagnostics) {
			for _, w := range warnings {
				said[w.ID] = append(said[w.ID], epochs)
			}
		}}, engine.Stages{Learn: true})
	when := map[string]int{"learn-unreached": 0, "learn-uniform": 10, "learn-dying": 10, "learn-chance": 41}
	for id, want := range when {
		if got := said[id]; len(got) != 1 || got[0] != want {
			t.Errorf("%s said after %v epochs, want once, after %d", id, got, want)
		}
		wantNotice(t, report, id, "")
	}
	if len(report.LearningCurve) != 41 {
		t.Fatalf("%d epochs in the learning curve", len(report.LearningCurve))
	}
	for _, line := range report.LearningCurve[:40] {
		if a := line.Active; len(a) != 3 || !(a[0] > 0) || a[2] != 0 {
			t.Errorf("epoch %d: active %v, want some of the first rule and none of the last", line.Number, a)
		}
		if g := line.Gradients; len(g) != 1 || g[0].Layer != "output" || !(g[0].Gradient >= 0) {
			t.Errorf("epoch %d: gradients %v", line.Number, g)
		}
	}
}

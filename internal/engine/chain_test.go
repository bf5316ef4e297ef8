package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Labels of what follows from a target that nobody has labelled are labels of what the network sees, as far as the two
// are about the same: it is fitted to them, and what things are tied to then tells the rest. Where it was not, 0.765,
// 0.759 and 0.503 were right.
func TestChainsOfTargets(t *testing.T) {
	t.Parallel()
	for name, task := range map[string]struct {
		rules string
		right float64
	}{
		"three": {`"1: Sees(A, C) -> Draft(A, C) ^2", "1: Draft(A, C) -> Final(A, C) ^2", "1: Final(A, C) -> Label(A, C) ^2",
			"1: Label(A, C) -> Final(A, C) ^2", "1: Link(A, B) & Final(A, C) -> Final(B, C) ^2"`, 0.83},
		"equal": {`"1: Sees(A, C) = Draft(A, C) ^2", "1: Draft(A, C) = Label(A, C) ^2",
			"1: Link(A, B) & Draft(A, C) -> Draft(B, C) ^2"`, 0.83},
		"two twins": {`"1: Sees(A, C) -> Draft(A, C) ^2", "1: Sees(A, C) -> Label(A, C) ^2",
			"1: Link(A, B) & Draft(A, C) -> Label(B, C) ^2"`, 0.63},
	} {
		r := run(t, writeProject(t, chain(task.rules)), project.Options{}, learnAndInfer)
		if got := lastAccuracy(r); got < task.right {
			t.Errorf("%s: %.3f of the things are right, want at least %.2f", name, got, task.right)
		}
	}
}

// chain is things of three classes that are tied to like ones; the rules say what their class is.
func chain(rules string) map[string]string {
	const things, classes, labelled, columns = 240, 3, 60, 6
	files := map[string]string{"model.json": `{
		"rules": [` + rules + `],
		"networks": {"eye": {"features": "features.tsv", "hidden": []}},
		"predicates": {"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1", "c2"]}},
			"Draft/2": {"targets": ["targets.tsv"]}, "Final/2": {"targets": ["targets.tsv"]},
			"Link/2": {"observations": ["links.tsv"]},
			"Label/2": {"targets": ["targets.tsv"], "evaluations": ["Categorical"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	random := rand.New(rand.NewPCG(0, 41))
	for k := range things {
		class, table := k%classes, "test.tsv"
		if random.IntN(things) < labelled {
			table = "train.tsv"
		}
		files["features.tsv"] += fmt.Sprintf("x%d", k)
		for column := range columns {
			value := random.NormFloat64()
			if column == class {
				value += 1.3
			}
			files["features.tsv"] += fmt.Sprintf("\t%.3f", value)
		}
		files["features.tsv"] += "\n"
		files[table] += fmt.Sprintf("x%d\tc%d\n", k, class)
		for c := range classes {
			files["targets.tsv"] += fmt.Sprintf("x%d\tc%d\n", k, c)
		}
		like := classes * (1 + random.IntN(things/classes-3))
		for _, step := range []int{like, like + classes, like + 2*classes, 1 + random.IntN(classes-1)} {
			files["links.tsv"] += fmt.Sprintf("x%d\tx%d\n", k, (k+step)%things)
		}
	}
	return files
}

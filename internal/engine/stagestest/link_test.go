package stagestest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// A network whose rows are about pairs has names of rows for arguments, and a rule says of which pair each is: what is
// known of pairs is then known of rows, to which the network is fitted alone. Learned end to end from the beginning,
// 0.63 of the things picked the right one, after more than ten times as long.
func TestNetworkOfRowsAboutPairs(t *testing.T) {
	for name, program := range map[string]struct{ rule, predicate string }{
		"truth": {"Likely(X)", `"Likely/1": {"neural": {"network": "eye", "atoms": "Likely(X) <- Row(X, A, B)"}}`},
		"two classes": {"Sees(X, 'yes')",
			`"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["no", "yes"]}}`},
	} {
		path := writeProject(t, picks(program.rule, program.predicate))
		r := run(t, path, project.Options{}, learnAndInfer)
		if got := lastAccuracy(r); got < 0.75 || r.Training.FitEpochs == 0 {
			t.Errorf("%s: fitted for %d epochs, %.3f of the things picked the right one, want at least 0.75", name,
				r.Training.FitEpochs, got)
		}
	}
}

// picks are groups of things each of which picks one of its group; features are about pairs, of half the groups known.
func picks(seen, predicate string) map[string]string {
	const groups, members, labelled = 12, 9, 6
	files := map[string]string{"model.json": `{
		"rules": ["1: Row(X, A, B) & ` + seen + ` -> Picks(A, B) ^2", "0.1: !Picks(A, B) ^2", "Picks(A, +B) = 1 .",
			"!Picks(A, B) | !Picks(B, A) | (A == B) ."],
		"networks": {"eye": {"features": "features.tsv", "hidden": [8]}},
		"predicates": {"Row/3": {"observations": ["rows.tsv"]}, ` + predicate + `,
			"Picks/2": {"targets": "Picks(A, B) <- Row(X, A, B)", "evaluations": ["Categorical"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	random := rand.New(rand.NewPCG(0, 33))
	for row := range groups * members * members {
		a, b := row/members, row%members
		group, truth := a/members, 0
		if b == a*a%members {
			truth = 1
		}
		pair := fmt.Sprintf("p%d\tp%d", a, group*members+b)
		files["rows.tsv"] += fmt.Sprintf("r%d\t%s\n", row, pair)
		files["features.tsv"] += fmt.Sprintf("r%d\t%.3f\t%.3f\n", row, 2.5*float64(truth)+random.NormFloat64(),
			random.NormFloat64())
		table := "test.tsv"
		if group < labelled {
			table = "train.tsv"
		}
		files[table] += fmt.Sprintf("%s\t%d\n", pair, truth)
	}
	return files
}

// Which of a query's candidates is the best may be told by naming it alone: one of them is true, so that the others are
// known to be false, though other queries have other candidates. Learned from what is true alone, the network said yes
// to all. The candidates' names are no classes that each query would have to be told about.
func TestBestOfItsOwnCandidates(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]string{"a hard rule": `, "Best(Q, +D) = 1 ."`, "the evaluation": ""} {
		r := run(t, writeProject(t, queries(one)), project.Options{}, learnAndInfer)
		if got := lastAccuracy(r); got < 0.8 || r.Training.FitEpochs == 0 || r.CrossFit == nil {
			t.Errorf("%s: fitted for %d epochs, %.3f of the queries answered right, want at least 0.8", name,
				r.Training.FitEpochs, got)
		}
	}
}

// queries have five candidates each, of which the one with the highest first feature is mostly the best.
func queries(one string) map[string]string {
	const asked, candidates, labelled, columns = 240, 5, 40, 8
	evaluations := `"evaluations": ["Categorical"], `
	if one != "" {
		evaluations = ""
	}
	files := map[string]string{"model.json": `{
		"rules": ["1: Of(Q, D) & Good(D) -> Best(Q, D) ^2", "1: Of(Q, D) & !Good(D) -> !Best(Q, D) ^2"` + one + `],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {"Of/2": {"observations": ["of.tsv"]}, "Good/1": {"neural": {"network": "eye"}},
			"Best/2": {"targets": ["of.tsv"], ` + evaluations + `
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	random := rand.New(rand.NewPCG(0, 34))
	for q := range asked {
		best, most := 0, math.Inf(-1)
		for d := range candidates {
			x := 2 * random.NormFloat64()
			files["of.tsv"] += fmt.Sprintf("q%d\td%d\n", q, q*candidates+d)
			files["features.tsv"] += fmt.Sprintf("d%d\t%.3f", q*candidates+d, x)
			for range columns - 1 {
				files["features.tsv"] += fmt.Sprintf("\t%.3f", random.NormFloat64())
			}
			files["features.tsv"] += "\n"
			if x += 0.5 * random.NormFloat64(); x > most {
				best, most = d, x
			}
		}
		table := "test.tsv"
		if q < labelled {
			table = "train.tsv"
		}
		files[table] += fmt.Sprintf("q%d\td%d\n", q, q*candidates+best)
	}
	return files
}

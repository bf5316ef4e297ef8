package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// draws is a project of 300 games between teams, whose strength a network is to see; half are known. Games of teams
// that are about as strong are draws, which rules that call for two strong teams, or two weak ones, cannot say. Beside
// these, another rule may pass on what a network sees of a game.
func draws(passed bool) map[string]string {
	random := rand.New(rand.NewPCG(3, 4))
	files := map[string]string{"rules.psl": `1: Plays(G, A, B) & Strong(A) & !Strong(B) -> Ends(G, 'home') ^2
1: Plays(G, A, B) & Strong(B) & !Strong(A) -> Ends(G, 'guest') ^2
0.5: Plays(G, A, B) & Strong(A) & Strong(B) -> Ends(G, 'draw') ^2
0.5: Plays(G, A, B) & !Strong(A) & !Strong(B) -> Ends(G, 'draw') ^2
Ends(G, +R) = 1 .
`}
	network, predicate := "", ""
	if passed {
		files["rules.psl"] += "1: Looks(G, R) -> Ends(G, R) ^2\n"
		network = `, "game": {"features": "games.tsv"}`
		predicate = `, "Looks/2": {"neural": {"network": "game", "class": 1, "classes": ["home", "draw", "guest"]}}`
	}
	files["model.json"] = `{
		"rules": "rules.psl",
		"networks": {"eye": {"features": "teams.tsv", "output": "sigmoid"}` + network + `},
		"predicates": {
			"Team/1": {"observations": ["names.tsv"]},
			"Plays/3": {"observations": ["plays.tsv"]},
			"Strong/1": {"neural": {"network": "eye", "atoms": "Strong(X) <- Team(X)"}},
			"Ends/2": {"targets": ["ends.tsv"], "truth": {"learn": "known.tsv", "infer": "others.tsv"},
				"evaluations": ["categorical"]}` + predicate + `
		}
	}`
	teams, strength := make([]string, 40), make([]float64, 40)
	for k := range teams {
		columns := make([]string, 5)
		for c := range columns {
			v := random.NormFloat64()
			strength[k] += v * []float64{1, -1, 0.5, 1, -0.5}[c]
			columns[c] = fmt.Sprintf("%.3f", v)
		}
		teams[k] = strings.Join(columns, "\t")
		files["teams.tsv"] += fmt.Sprintf("t%d\t%s\n", k, teams[k])
		files["names.tsv"] += fmt.Sprintf("t%d\n", k)
	}
	for game := range 300 {
		pair := random.Perm(len(teams))[:2]
		by, end := strength[pair[0]]-strength[pair[1]]+0.3*random.NormFloat64(), "draw"
		if math.Abs(by) > 0.8 {
			if end = "home"; by < 0 {
				end = "guest"
			}
		}
		files["plays.tsv"] += fmt.Sprintf("g%d\tt%d\tt%d\n", game, pair[0], pair[1])
		files["games.tsv"] += fmt.Sprintf("g%d\t%s\t%s\n", game, teams[pair[0]], teams[pair[1]])
		for _, r := range []string{"home", "draw", "guest"} {
			truth := 0
			if r == end {
				truth = 1
			}
			files["ends.tsv"] += fmt.Sprintf("g%d\t%s\n", game, r)
			files[[]string{"known.tsv", "others.tsv"}[game%2]] += fmt.Sprintf("g%d\t%s\t%d\n", game, r, truth)
		}
	}
	return files
}

// What rules cannot say of labels is told where a regression on the features that they tie to these can; what the
// warning asks for is as good as that, and ends it.
func TestPlainRegressionIsBetter(t *testing.T) {
	isPlain := func(lint source.Plain) bool { return lint.ID == "learn-plain" }
	for _, test := range []struct {
		passed      bool
		least, most float64
	}{
		{false, 0.5, 0.75},
		{true, 0.75, 1},
	} {
		report := run(t, writeProject(t, draws(test.passed)), project.Options{Seed: 1},
			engine.Stages{Learn: true, Infer: true})
		if got := accuracy(report); got < test.least || got > test.most {
			t.Errorf("passed on: %t: accuracy %v", test.passed, got)
		}
		if told := slices.ContainsFunc(report.Warnings, isPlain); told == test.passed {
			t.Errorf("passed on: %t: told %t: %v", test.passed, told, report.Warnings)
		}
	}
}

// exam is who solves which questions: more, the abler they are and the easier these; all pairs are asked for.
func exam(t *testing.T, rules string) string {
	const students, questions, columns = 40, 20, 4
	random, r := rand.New(rand.NewPCG(1, 69)), make(rows)
	ability := func(table, name string, count int) []float64 {
		sums := make([]float64, count)
		for k := range sums {
			r.Write(table+".tsv", "%s%d", name, k)
			r.Write(table+"-names.tsv", "%s%d\n", name, k)
			for range columns {
				x := random.NormFloat64()
				sums[k] += x
				r.Write(table+".tsv", "\t%.4f", x)
			}
			r.Write(table+".tsv", "\n")
		}
		return sums
	}
	able, hard := ability("students", "s", students), ability("questions", "q", questions)
	for n, pair := range random.Perm(students * questions) {
		s, q, solves := pair/questions, pair%questions, 0
		if 2*(able[s]-hard[q])+random.NormFloat64() > 0 {
			solves = 1
		}
		table := "others.tsv"
		if n%3 == 0 {
			table = "known.tsv"
		}
		r.Write("pairs.tsv", "s%d\tq%d\n", s, q)
		r.Write(table, "s%d\tq%d\t%d\n", s, q, solves)
	}
	return r.Project(t, `{"rules": [`+rules+`],
		"networks": {"abler": {"features": "students.tsv"}, "harder": {"features": "questions.tsv"}},
		"predicates": {
			"Able/1": {"neural": {"network": "abler"}}, "Hard/1": {"neural": {"network": "harder"}},
			"Student/1": {"observations": ["students-names.tsv"]}, "Question/1": {"observations": ["questions-names.tsv"]},
			"Solves/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]},
				"evaluations": ["AUCEvaluator"]}
		}}`)
}

// Where rules say nothing of many labels, as of pairs of which neither of two bodies is rather true, the warning says
// so, and the equation that it asks for ends it.
func TestPlainRegressionTellsWhatRulesLeave(t *testing.T) {
	for _, test := range []struct {
		rules       string
		told        bool
		least, most float64
	}{
		{`"1: Able(S) & Question(Q) & !Hard(Q) -> Solves(S, Q) ^2", "1: Student(S) & !Able(S) & Hard(Q) -> !Solves(S, Q) ^2",
			"0.3: Solves(S, Q) = 0.5 ^2"`, true, 0.5, 0.85},
		{`"1: Solves(S, Q) = 0.5 * Able(S) - 0.5 * Hard(Q) + 0.5 ^2"`, false, 0.88, 1},
	} {
		report := run(t, exam(t, test.rules), project.Options{Seed: 1}, engine.Stages{Learn: true, Infer: true})
		if got := report.Evaluations[0].Values["AUROC"]; got < test.least || got > test.most {
			t.Errorf("%s: AUROC %v", test.rules, got)
		}
		told := slices.ContainsFunc(report.Warnings, func(w source.Plain) bool {
			return w.ID == "learn-plain" && strings.Contains(w.Hint, "labels are inferred as the same value")
		})
		if told != test.told {
			t.Errorf("%s: told %t: %v", test.rules, told, report.Warnings)
		}
	}
}

package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// opposed is a project with two relations, of which one mostly ties what is alike and the other what is not, and rules
// that say either of both: labels tell which of them hold.
func opposed(t *testing.T, seed uint64, people, labels int) string {
	random := rand.New(rand.NewPCG(seed, 7))
	files := map[string]string{"model.json": `{
		"rules": ["1: Looks(A) = Joins(A) ^2",
			"1: Friend(A, B) & Joins(A) -> Joins(B) ^2", "1: Friend(A, B) & Joins(B) -> Joins(A) ^2",
			"1: Friend(A, B) & Joins(A) -> !Joins(B) ^2", "1: Friend(A, B) & !Joins(A) -> Joins(B) ^2",
			"1: Rival(A, B) & Joins(A) -> Joins(B) ^2", "1: Rival(A, B) & Joins(B) -> Joins(A) ^2",
			"1: Rival(A, B) & Joins(A) -> !Joins(B) ^2", "1: Rival(A, B) & !Joins(A) -> Joins(B) ^2"],
		"networks": {"eye": {"features": "features.tsv", "hidden": [8]}},
		"predicates": {"Person/1": {"observations": ["people.tsv"]},
			"Friend/2": {"observations": ["friends.tsv"]}, "Rival/2": {"observations": ["rivals.tsv"]},
			"Looks/1": {"neural": {"network": "eye", "atoms": "Looks(A) <- Person(A)"}},
			"Joins/1": {"targets": ["people.tsv"], "evaluations": ["Discrete"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	joins := make([]bool, people)
	for k := range people {
		joins[k] = random.IntN(2) == 0
		side := -1.0
		if joins[k] {
			side = 1
		}
		files["people.tsv"] += fmt.Sprintf("p%d\n", k)
		files["features.tsv"] += fmt.Sprintf("p%d\t%.3f\t%.3f\t%.3f\n", k, 0.5*side+random.NormFloat64(),
			0.4*side+random.NormFloat64(), random.NormFloat64())
		table, truth := "test.tsv", 0
		if k < labels {
			table = "train.tsv"
		}
		if joins[k] {
			truth = 1
		}
		files[table] += fmt.Sprintf("p%d\t%d\n", k, truth)
	}
	for _, table := range []string{"friends.tsv", "rivals.tsv"} {
		for k := range 2 * people {
			a := k % people
			b := (a + 1 + random.IntN(people/2-1) + k/people*(people/2)) % people // each pair once at most
			for (joins[a] == joins[b]) != (table == "friends.tsv") && random.Float64() < 0.8 {
				b = (a + 1 + random.IntN(people/2-1) + k/people*(people/2)) % people
			}
			if a != b {
				files[table] += fmt.Sprintf("p%d\tp%d\n", a, b)
			}
		}
	}
	return writeProject(t, files)
}

// Rules that contradict each other get weights by labels that are true or false, each by itself: had the squared
// distance decided, which takes blunt values for wrong ones, the mean would be 0.81.
func TestOpposedRules(t *testing.T) {
	const seeds = 4
	mean := 0.0
	for seed := uint64(2); seed < 2+seeds; seed++ {
		mean += lastAccuracy(run(t, opposed(t, seed, 150, 50), project.Options{Seed: seed}, learnAndInfer)) / seeds
	}
	if mean < 0.84 {
		t.Errorf("a mean accuracy of %.3f", mean)
	}
}

// parliament is a project in which parties are told apart by how their members vote, and hardly by what a network sees
// of them: with nothing known, all parties are alike to the rules.
func parliament(t *testing.T, seed uint64) string {
	const members, bills, labels = 90, 25, 15
	random := rand.New(rand.NewPCG(seed, 11))
	files := map[string]string{"model.json": `{
		"rules": ["1: Looks(M, P) -> Party(M, P) ^2", "1: Voted(M, B, H) & Party(M, P) -> Backs(P, B, H) ^2",
			"1: Voted(M, B, H) & Backs(P, B, H) -> Party(M, P) ^2",
			"Backs(P, B, 'yes') + Backs(P, B, 'no') = 1 .", "Party(M, +P) = 1 ."],
		"networks": {"eye": {"features": "features.tsv", "hidden": [8]}},
		"predicates": {"Word/1": {"observations": [["left"], ["right"], ["green"]]},
			"Voted/3": {"observations": ["votes.tsv"]},
			"Looks/2": {"neural": {"network": "eye", "class": 1, "classes": ["left", "right", "green"]}},
			"Backs/3": {"targets": "Backs(P, B, H) <- Voted(M, B, H) & Word(P)"},
			"Party/2": {"targets": "Party(M, P) <- Voted(M, B, H) & Word(P)", "evaluations": ["Categorical"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`}
	backs := make([][3]float64, bills)
	for b := range backs {
		for p := range backs[b] {
			backs[b][p] = 0.1 + 0.8*float64(random.IntN(2))
		}
	}
	for m := range members {
		party := m % 3
		files["features.tsv"] += fmt.Sprintf("m%d\t%.3f\t%.3f\t%.3f\n", m, random.NormFloat64()+0.3*float64(party),
			random.NormFloat64(), random.NormFloat64())
		for b := range backs {
			if b == m%bills || random.Float64() < 0.35 {
				how := "no"
				if random.Float64() < backs[b][party] {
					how = "yes"
				}
				files["votes.tsv"] += fmt.Sprintf("m%d\tb%d\t%s\n", m, b, how)
			}
		}
		table := "test.tsv"
		if m < labels {
			table = "train.tsv"
		}
		files[table] += fmt.Sprintf("m%d\t%s\n", m, []string{"left", "right", "green"}[party])
	}
	return writeProject(t, files)
}

// What is learned from the beginning has to beat what stands as inference will have it, with the other labels known. It
// came out as a third of the parties here, when it had only to beat what stands with nothing known.
func TestParliament(t *testing.T) {
	t.Parallel()
	r := run(t, parliament(t, 2), project.Options{Seed: 2}, learnAndInfer)
	if accuracy := lastAccuracy(r); r.CrossFit.Afresh || accuracy < 0.8 {
		t.Errorf("an accuracy of %.3f, afresh %v", accuracy, r.CrossFit.Afresh)
	}
	// Rules that are idle until labels are known are not said to be dying.
	r = run(t, parliament(t, 4), project.Options{Seed: 4}, learnAndInfer)
	if r.Known == 0 || len(r.Warnings) > 0 {
		t.Errorf("%d labels are known, and yet: %+v", r.Known, r.Warnings)
	}
}

package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Of two networks one sees noise of the people who are labelled, and the other one their homes, which nobody has
// labelled: it learns from what the people of a home do. By training end to end alone, 0.767 were told right.
func TestNetworkOfHomesLearnsFromPeople(t *testing.T) {
	const homes, people, known = 80, 240, 60
	sum := 0.0
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 17))
		files := map[string]string{"model.json": `{
			"rules": ["1: Keen(A) -> Buys(A) ^2", "1: !Keen(A) -> !Buys(A) ^2",
				"1: Home(A, H) & Rich(H) -> Buys(A) ^2", "1: Home(A, H) & !Rich(H) -> !Buys(A) ^2"],
			"networks": {"home": {"features": "homes.csv"}, "person": {"features": "people.csv"}},
			"predicates": {"Home/2": {"observations": ["home.tsv"]},
				"Rich/1": {"neural": {"network": "home"}}, "Keen/1": {"neural": {"network": "person"}},
				"Buys/1": {"targets": "Buys(A) <- Home(A, _)", "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]},
					"evaluations": ["DiscreteEvaluator"]}}}`,
			"homes.csv": "id,a,b,c\n", "people.csv": "id,a,b,c\n"}
		row := func(id string, level float64) string {
			return fmt.Sprintf("%s,%.3f,%.3f,%.3f\n", id, random.NormFloat64(), 1.5*level+random.NormFloat64(),
				random.NormFloat64())
		}
		rich := make([]float64, homes)
		for h := range rich {
			rich[h] = random.NormFloat64()
			files["homes.csv"] += row(fmt.Sprint("h", h), rich[h])
		}
		for p := range people {
			keen, home, buys, table := random.NormFloat64(), random.IntN(homes), 0, "others.tsv"
			files["people.csv"] += row(fmt.Sprint("p", p), 0)
			files["home.tsv"] += fmt.Sprintf("p%d\th%d\n", p, home)
			if rich[home]+0.3*keen > 0 {
				buys = 1
			}
			if p < known {
				table = "known.tsv"
			}
			files[table] += fmt.Sprintf("p%d\t%d\n", p, buys)
		}
		sum += lastAccuracy(run(t, writeProject(t, files), project.Options{Seed: seed}, learnAndInfer))
	}
	if right := sum / 6; right < 0.79 {
		t.Errorf("%.3f of the people are told right, want at least 0.79", right)
	}
}

// A thing may be seen by two rows, each by a rule of its own: a network learns from both, be the first one noise. From
// the first one alone, 0.428 of the things were told right.
func TestNetworkOfTwoRowsOfAThing(t *testing.T) {
	const things, known, looks = 200, 40, 6
	sum := 0.0
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 18))
		files := map[string]string{"model.json": `{
			"rules": ["1: First(C, M) & Sees(M, Y) -> Mood(C, Y) ^2", "1: Second(C, M) & Sees(M, Y) -> Mood(C, Y) ^2",
				"Mood(C, +Y) = 1 ."],
			"networks": {"reader": {"features": "messages.tsv"}},
			"predicates": {"First/2": {"observations": ["first.tsv"]}, "Second/2": {"observations": ["second.tsv"]},
				"Sees/2": {"neural": {"network": "reader", "class": 1, "classes": ["0", "1", "2"]}},
				"Mood/2": {"targets": ["targets.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]}}}}`}
		means := classMeans(random, 3, looks, 0.7)
		for k := range things {
			mood, table := random.IntN(3), "others.tsv"
			for _, which := range []string{"first", "second"} {
				said := mood
				if which == "first" || random.IntN(8) == 0 {
					said = random.IntN(3)
				}
				files[which+".tsv"] += fmt.Sprintf("t%d\t%s%d\n", k, which, k)
				files["messages.tsv"] += fmt.Sprint(which, k) + looksLike(random, means[said], "\t")
			}
			for y := range 3 {
				files["targets.tsv"] += fmt.Sprintf("t%d\t%d\n", k, y)
			}
			if k < known {
				table = "known.tsv"
			}
			files[table] += fmt.Sprintf("t%d\t%d\n", k, mood)
		}
		sum += lastAccuracy(run(t, writeProject(t, files), project.Options{Seed: seed}, learnAndInfer))
	}
	if right := sum / 6; right < 0.52 {
		t.Errorf("%.3f of the things are told right, want at least 0.52", right)
	}
}

// What a network sees may have labels of its own, fewer than what rules say follows from it: it learns from both, and
// another network, which has none, from the latter. As long as own labels were all, 0.751 of the things were told
// right.
func TestNetworksLearnFromOwnLabelsAndOthers(t *testing.T) {
	const things, known, own, looks = 240, 45, 15, 5
	sum := 0.0
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 19))
		files := map[string]string{"model.json": `{
			"rules": ["1: Hears(A, Y) -> Mood(A, Y) ^2", "1: Sees(A, Y) -> Mood(A, Y) ^2", "Mood(A, +Y) = 1 ."],
			"networks": {"voice": {"features": "voice.tsv"}, "face": {"features": "face.tsv"}},
			"predicates": {
				"Hears/2": {"neural": {"network": "voice", "class": 1, "classes": ["0", "1", "2"]}, "truth": ["own.tsv"]},
				"Sees/2": {"neural": {"network": "face", "class": 1, "classes": ["0", "1", "2"]}},
				"Mood/2": {"targets": ["targets.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]}}}}`}
		means := classMeans(random, 3, 2*looks, 0.8)
		for k := range things {
			mood, table := random.IntN(3), "others.tsv"
			for at, name := range []string{"voice.tsv", "face.tsv"} {
				files[name] += fmt.Sprint(k) + looksLike(random, means[mood][at*looks:][:looks], "\t")
			}
			for y := range 3 {
				files["targets.tsv"] += fmt.Sprintf("%d\t%d\n", k, y)
			}
			if k < known {
				table = "known.tsv"
			}
			if k < own {
				files["own.tsv"] += fmt.Sprintf("%d\t%d\n", k, mood)
			}
			files[table] += fmt.Sprintf("%d\t%d\n", k, mood)
		}
		sum += lastAccuracy(run(t, writeProject(t, files), project.Options{Seed: seed}, learnAndInfer))
	}
	if right := sum / 4; right < 0.77 {
		t.Errorf("%.3f of the things are told right, want at least 0.77", right)
	}
}

package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// shops writes a table of 600 customers: their age, the number of their shop, whose size means nothing, and how often
// they came, whose size does; of 200 it is known which of three things they buy.
func shops(seed uint64, network string) map[string]string {
	random := rand.New(rand.NewPCG(seed, 5))
	files := map[string]string{"customers.csv": "id,age,shop,visits\n", "model.json": `{
		"rules": ["1: Sees(A, C) -> Buys(A, C) ^2", "Buys(A, +C) = 1 ."],
		"networks": {"seer": {"features": "customers.csv"` + network + `}},
		"predicates": {
			"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["x", "y", "z"]}},
			"Buys/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["CategoricalEvaluator"]}
		}
	}`}
	likes := []int{0, 2, 1, 2, 0, 1, 1, 0, 2} // of each shop
	for row := range 600 {
		age, shop, visits := random.NormFloat64(), random.IntN(len(likes)), random.IntN(8)
		files["customers.csv"] += fmt.Sprintf("%d,%.3f,%d,%d\n", row, 40+10*age, 10*shop+10, visits)
		best, most := 0, math.Inf(-1)
		for c := range 3 {
			files["targets.tsv"] += fmt.Sprintf("%d\t%c\n", row, 'x'+c)
			score := float64(c-1)*(age+float64(visits-4)/2) - math.Log(-math.Log(random.Float64()))/2
			if c == likes[shop] {
				score += 2
			}
			if score > most {
				best, most = c, score
			}
		}
		name := "test.tsv"
		if row < 200 {
			name = "train.tsv"
		}
		files[name] += fmt.Sprintf("%d\t%c\n", row, 'x'+best)
	}
	return files
}

// Numbers of shops are seen one by one, and numbers of visits are not. That can be turned off, is told, and goes with
// what is saved.
func TestNumbersThatAreNames(t *testing.T) {
	accuracy := func(r *engine.Report) float64 { return r.Evaluations[0].Values[r.Evaluations[0].Primary] }
	for seed := range uint64(2) {
		names := run(t, writeProject(t, shops(seed, "")), project.Options{Seed: seed}, learnAndInfer)
		numbers := run(t, writeProject(t, shops(seed, `, "categories": []`)), project.Options{Seed: seed}, learnAndInfer)
		if accuracy(names) < accuracy(numbers)+0.05 {
			t.Errorf("seed %d: %v right by names, %v by numbers", seed, accuracy(names), accuracy(numbers))
		}
		warned := func(r *engine.Report) bool { return strings.Contains(fmt.Sprint(r.Warnings), "features-codes") }
		if len(names.Coded) != 1 || !slices.Equal(names.Coded[0].Columns, []string{"shop"}) || warned(names) ||
			len(numbers.Coded) != 0 || !warned(numbers) {
			t.Errorf("seed %d: told of %v, and warned: %v; without, of %v and %v", seed, names.Coded, warned(names),
				numbers.Coded, warned(numbers))
		}
		saved := filepath.Join(t.TempDir(), "seer")
		if err := names.Grounding.SaveNetworks(saved); err != nil {
			t.Fatal(err)
		}
		path := writeProject(t, shops(seed, `, "checkpoint": "`+saved+`"`))
		read := run(t, path, project.Options{}, engine.Stages{Infer: true})
		if accuracy(read) != accuracy(names) {
			t.Errorf("seed %d: %v right by what was saved, %v before", seed, accuracy(read), accuracy(names))
		}
	}
}

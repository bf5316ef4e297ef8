package batch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/batch/batchtest"
	"github.com/deeppsl/deeppsl/internal/load"
)

// Of examples that share things, those with some things are held out, unless these are few or inference is about them.
func TestHoldOutThings(t *testing.T) {
	const count, size = 400, 80
	for _, test := range []struct {
		name               string
		things, asked, own int // of them, and those that inference is about: so many, from one on
		apart              bool
		most               int // examples are held out
	}{
		{"shared", 200, 200, 200, true, size + 10},
		{"in many examples each", 50, 50, 50, true, count / 2},
		{"inference is about them", 200, 200, 0, false, size},
		{"few", 8, 8, 8, false, size},
		{"each its own", 2 * count, 20, 0, false, size},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		features, train, asked := "", "a,b,Same\n", "a,b\n"
		for k := range test.things + test.asked + test.own {
			features += fmt.Sprintf("t%d\t%d\n", k, k)
		}
		var pairs [][2]int
		for k := range count {
			pair := [2]int{2 * k, 2*k + 1}
			if test.things < 2*count {
				pair = [2]int{random.IntN(test.things), random.IntN(test.things)}
			}
			pairs = append(pairs, pair)
			train += fmt.Sprintf("t%d,t%d,yes\n", pair[0], pair[1])
			asked += fmt.Sprintf("t%d,t%d\n", test.own+random.IntN(test.asked), test.own+random.IntN(test.asked))
		}
		held := holdOut(t, size, map[string]string{"features.tsv": features, "train.csv": train, "asked.csv": asked})
		known := make(map[int]bool)
		for _, k := range held.Others {
			known[pairs[k][0]], known[pairs[k][1]] = true, true
		}
		common, all := 0, 0
		for _, k := range held.Members {
			new := 0
			for _, one := range pairs[k] {
				if all++; known[one] {
					common++
				} else {
					new++
				}
			}
			if test.apart && new == 0 {
				t.Errorf("%s: example %d is held out, and nothing of it is new", test.name, k)
			}
		}
		want := 0.0
		if test.apart {
			want = float64(common) / float64(all)
		}
		if math.Abs(held.Known-want) > 1e-12 || test.apart != (held.Known > 0) {
			t.Errorf("%s: a share of %v is known, want %v", test.name, held.Known, want)
		}
		if n := len(held.Members); n < size || n > test.most || n+len(held.Others) != count {
			t.Errorf("%s: %d are held out, and %d are not", test.name, n, len(held.Others))
		}
	}
}

// holdOut holds out some examples of a project.
func holdOut(t *testing.T, size int, files map[string]string) batch.Held {
	t.Helper()
	files["model.json"] = `{
		"rules": ["1: Is('a', C) & Is('b', C) -> Same('yes') ^2", "1: !Same(X) ^2"],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {
			"Is/2": {"neural": {"network": "eye", "class": 1, "classes": ["c", "d"], "slots": ["a", "b"]}},
			"Same/1": {"targets": [["yes"], ["no"]]}
		},
		"examples": {"learn": "train.csv", "infer": "asked.csv"}
	}`
	g := batchtest.Ground(t, files)
	examples, err := batch.Read(g, load.Learn)
	if err != nil {
		t.Fatal(err)
	}
	return examples.HoldOut(g, size)
}

package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Labels that say what networks see, of which many are blank, are what these are fitted to alone, as in one world: by
// what the rest costs they were learned by heart.
func TestExamplesOfWhatIsSeen(t *testing.T) {
	accuracy := accuracyOf(t, "all labels", chains(t, 0.6, looks, "1: Next(S, T) & Is(S, C) -> !Is(T, C) ^2"))
	if accuracy < 0.48 { // 0.40 by what the rest costs
		t.Errorf("%.2f of the test are right", accuracy)
	}
}

// Examples that networks have not learned from say what rules are worth beside these: one that is mostly wrong is not
// to mislead.
func TestWeightsByWhatIsSeen(t *testing.T) {
	accuracy := accuracyOf(t, "all labels", chains(t, 0, looks, "1: Next(S, T) & Is(S, C) -> Is(T, C) ^2"))
	if accuracy < 0.3 { // 0.20 with the weight written
		t.Errorf("%.2f of the test are right", accuracy)
	}
}

// looks is the rule by which things are of the kind that a network sees.
const looks = "1: Looks(S, C) -> Is(S, C) ^2"

// chains are forty examples, and others, of four things whose neighbours are of different kinds, and rules about them.
func chains(t *testing.T, blank float64, looks, rule string) map[string]string {
	t.Helper()
	const things, slots, known, examples = 700, 4, 40, 150
	random := rand.New(rand.NewPCG(1, 1))
	features, class := hazy(random, 3, 6, 1.2, things)
	table := func(first, n int, blank float64) string {
		text := "a,b,c,d,Is(a),Is(b),Is(c),Is(d)\n"
		for range n {
			row, labels, last := "", "", -1
			for range slots {
				k := first + random.IntN(things/2)
				for class[k] == last {
					k = first + random.IntN(things/2)
				}
				last = class[k]
				row += fmt.Sprintf("i%d,", k)
				if labels += ","; random.Float64() >= blank {
					labels += fmt.Sprintf("k%d", last)
				}
			}
			text += row + labels[1:] + "\n"
		}
		return text
	}
	return map[string]string{
		"features.tsv": features, "train.csv": table(0, known, blank), "test.csv": table(things/2, examples, 0),
		"model.json": `{
			"rules": ["` + looks + `", "` + rule + `", "Is(S, +C) = 1 ."],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Looks/2": {"neural": {"network": "eye", "class": 1, "classes": ["k0", "k1", "k2"],
					"slots": ["a", "b", "c", "d"]}},
				"Next/2": {"observations": [["a", "b"], ["b", "c"], ["c", "d"]]},
				"Is/2": {"targets": "Is(S, C) <- Slot(S) & Kind(C)"},
				"Slot/1": {"observations": [["a"], ["b"], ["c"], ["d"]]},
				"Kind/1": {"observations": [["k0"], ["k1"], ["k2"]]}
			},
			"examples": {"learn": "train.csv", "infer": "test.csv"}}`,
	}
}

// Rules whose weights stay are told of where networks do better without them.
func TestRulesThatMisleadAreTold(t *testing.T) {
	path := writeProject(t, chains(t, 0, "fixed "+looks, "fixed 1: Next(S, T) & Is(S, C) -> Is(T, C) ^2"))
	told := func(w source.Plain) bool { return w.ID == "learn-plain" }
	if r := run(t, path, project.Options{Seed: 1}, learnAndInfer); !slices.ContainsFunc(r.Warnings, told) {
		t.Errorf("accuracy %.3f is not told of: %v", lastAccuracy(r), r.Warnings)
	}
}

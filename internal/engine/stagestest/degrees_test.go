package stagestest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// rents writes 160 houses in streets of eight, whose rents lie between 0.3 and 0.7: what their features say of them and
// what their streets do have the given deviations. Half of them are known.
func rents(t *testing.T, features, streets float64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 9))
	files, street := make(map[string]string), 0.0
	for k := range 160 {
		if k%8 == 0 {
			street = random.NormFloat64()
		}
		x := [4]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		rent := 0.5 + features*(x[0]-x[1]+x[2]-x[3])/2 + streets*street + 0.01*random.NormFloat64()
		files["houses.tsv"] += fmt.Sprintf("h%d\n", k)
		files["features.tsv"] += fmt.Sprintf("h%d\t%.4f\t%.4f\t%.4f\t%.4f\n", k, x[0], x[1], x[2], x[3])
		for other := k / 8 * 8; other < k/8*8+8; other++ {
			if other != k {
				files["near.tsv"] += fmt.Sprintf("h%d\th%d\n", k, other)
			}
		}
		files[[2]string{"train.tsv", "test.tsv"}[random.IntN(2)]] += fmt.Sprintf("h%d\t%.4f\n", k, min(max(rent, 0.3), 0.7))
	}
	files["model.json"] = `{
		"rules": ["1: Seen(H) = Rent(H) ^2", "1: Near(A, B) & Rent(A) -> Rent(B) ^2"],
		"networks": {"eye": {"features": "features.tsv", "hidden": [8]}},
		"predicates": {
			"Seen/1": {"neural": {"network": "eye"}, "targets": ["houses.tsv"]},
			"Near/2": {"observations": ["near.tsv"]},
			"Rent/1": {"targets": ["houses.tsv"], "evaluations": ["Continuous"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}
		}}`
	return writeProject(t, files)
}

// Degrees that lie close together are learned as far as they can be told, be it by networks or by neighbours: of their
// cross-entropy, all but a hundredth is their own entropy.
func TestDegreesThatLieCloseTogether(t *testing.T) {
	for _, test := range []struct{ features, streets float64 }{{0.06, 0}, {0, 0.06}} {
		r := run(t, rents(t, test.features, test.streets), project.Options{}, learnAndInfer)
		mae, spread := r.Evaluations[0].Values["MAE"], math.Hypot(test.features, test.streets)
		t.Logf("features %v, streets %v: mean error %.4f", test.features, test.streets, mae)
		if mae > 0.15*spread {
			t.Errorf("features %v, streets %v: mean error %.4f", test.features, test.streets, mae)
		}
	}
}

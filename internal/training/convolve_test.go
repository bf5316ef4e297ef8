package training

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/batch/batchtest"
)

// Networks with convolutions learn from examples by smaller steps, unless the rate is written.
func TestConvolvingNetworksTakeSmallerSteps(t *testing.T) {
	for _, c := range []struct {
		network, options string
		rate             float64
	}{
		{`"kind": "mlp"`, ``, 0.01},
		{`"kind": "cnn"`, ``, 0.002},
		{`"kind": "cnn", "convolutions": []`, ``, 0.01},
		{`"kind": "cnn"`, `"learn.rate.networks": "0.01"`, 0.01},
	} {
		g := ofImages(t, c.network, c.options)
		trainer, err := g.trainer(t.Context(), lesson{})
		if err != nil {
			t.Fatal(err)
		}
		if trainer.NetworkRate != c.rate {
			t.Errorf("{%s}, {%s}: a rate of %g, want %g", c.network, c.options, trainer.NetworkRate, c.rate)
		}
	}
}

// Networks with convolutions are fitted alone by batches, with smaller steps unless the rate is written.
func TestConvolvingNetworksAreFittedByBatches(t *testing.T) {
	for _, c := range []struct {
		network, options string
		batch            int
		rate             float64
	}{
		{`"kind": "mlp"`, ``, 0, 0},
		{`"kind": "cnn"`, ``, 32, 0.005},
		{`"kind": "cnn", "convolutions": []`, ``, 0, 0},
		{`"kind": "cnn"`, `"network.rate": "0.01"`, 32, 0.01},
	} {
		fitter := ofImages(t, c.network, c.options).fitter(lesson{})
		if fitter.Batch != c.batch || fitter.BatchRate != c.rate || fitter.Rate != 0.01 {
			t.Errorf("{%s}, {%s}: batches of %d by a rate of %g, want %d and %g", c.network, c.options, fitter.Batch,
				fitter.BatchRate, c.batch, c.rate)
		}
	}
}

// ofImages grounds sums of two pictures that a network of these keys sees.
func ofImages(t *testing.T, network, options string) *learner {
	t.Helper()
	const size, images = 25, 8
	rng := rand.New(rand.NewPCG(1, 1))
	var features strings.Builder
	for k := range images {
		features.WriteString(strconv.Itoa(k))
		for range size {
			features.WriteString("\t" + strconv.Itoa(rng.IntN(9)))
		}
		features.WriteString("\n")
	}
	config := `{"rules": ["1: Seen('a', X) & Seen('b', Y) & Plus(X, Y, Z) -> Sum(Z)", "Sum(+Z) = 1 ."],
  "networks": {"eye": {"features": "features.tsv", ` + network + `}},
  "predicates": {"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["0", "1"], "slots": ["a", "b"]}},
    "Plus/3": {"observations": [["0", "0", "0"], ["0", "1", "1"], ["1", "0", "1"], ["1", "1", "2"]]},
    "Sum/1": {"targets": [["0"], ["1"], ["2"]]}},
  "examples": {"learn": "train.csv"}, "options": {` + options + `}}`
	return newLearner(batchtest.Ground(t, map[string]string{"model.json": config, "features.tsv": features.String(),
		"train.csv": "Seen(a),Seen(b),Sum\n0,1,0\n2,3,1\n4,5,2\n6,7,1\n"}))
}

// What learns from all examples in the end goes on from the networks and weights of the best start.
func TestAllExamplesAreLearnedFromTheBestStart(t *testing.T) {
	g := ofImages(t, `"kind": "mlp"`, ``)
	first := g.Networks.System.Parameters()[0].Value
	first[0], g.Theta[0] = 7, 5 // as learned
	s := &starts{g: g, best: g.parameters()}
	if err := g.Reset(3); err != nil {
		t.Fatal(err)
	}
	g.Theta[0] = 9
	s.resume()
	again := g.Networks.System.Parameters()[0].Value
	if !slices.Equal(again, first) || g.Theta[0] != 5 || &again[0] == &first[0] {
		t.Errorf("goes on from %v and %v, want a copy of %v and 5", again[:2], g.Theta, first[:2])
	}
}

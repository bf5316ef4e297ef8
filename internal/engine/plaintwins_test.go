package engine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// ofPairs is a project about pairs of 60 things, of which labels say what their features make them.
func ofPairs(t *testing.T, rules string, label func(a, b []float64) bool, options string) string {
	const things, columns, known, others = 60, 3, 150, 300
	random, r := rand.New(rand.NewPCG(11, 2)), make(rows)
	features := make([][]float64, things)
	for k := range features {
		r.Write("features.tsv", "t%d", k)
		for range columns {
			x := random.NormFloat64()
			features[k] = append(features[k], x)
			r.Write("features.tsv", "\t%.4f", x)
		}
		r.Write("features.tsv", "\n")
	}
	for n, pair := range random.Perm(things * things)[:known+others] { // some are of a thing with itself
		a, b, truth, table := pair/things, pair%things, 0, "known.tsv"
		if label(features[a], features[b]) {
			truth = 1
		}
		if n >= known {
			table = "others.tsv"
		}
		r.Write("pairs.tsv", "t%d\tt%d\n", a, b)
		r.Write(table, "t%d\tt%d\t%d\n", a, b, truth)
	}
	twins, sees := "", ""
	if strings.Contains(rules, "Alike") {
		twins = `, "twins": {"kind": "siamese", "features": "features.tsv"}`
		sees = `"Alike/2": {"neural": {"network": "twins", "atoms": "Alike(A, B) <- Pair(A, B)"}},`
	}
	return r.Project(t, `{"rules": [`+rules+`],
		"networks": {"eye": {"features": "features.tsv"}`+twins+`},
		"predicates": {
			"Pair/2": {"observations": ["pairs.tsv"]},
			"High/1": {"neural": {"network": "eye", "atoms": ["High(A) <- Pair(A, B)", "High(B) <- Pair(A, B)"]}},
			`+sees+`
			"Same/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["others.tsv"]},
				"evaluations": ["DiscreteEvaluator"]}
		}, "options": {`+options+`}}`)
}

// Where a network that compares two rows tells pairs better than rules about what each is, that is told, whatever the
// method; not of the network that is asked for, nor where rules say what labels depend on.
func TestTwinsAreBetter(t *testing.T) {
	t.Parallel()
	near := func(a, b []float64) bool { return math.Hypot(a[0]-b[0], a[1]-b[1]) < 1.5 }
	both := func(a, b []float64) bool { return a[0]+a[1] > 0 == (b[0]+b[1] > 0) }
	first := func(a, b []float64) bool { return a[0]+a[1] > b[0]+b[1] }
	const (
		each = `"1: Pair(A, B) & High(A) & High(B) -> Same(A, B) ^2", "1: Pair(A, B) & !High(A) & !High(B) -> Same(A, B) ^2",
			"1: Pair(A, B) & High(A) & !High(B) -> !Same(A, B) ^2", "1: Pair(A, B) & !High(A) & High(B) -> !Same(A, B) ^2"`
		pass   = `"1: Alike(A, B) -> Same(A, B) ^2", "1: !Alike(A, B) -> !Same(A, B) ^2"`
		larger = `"1: Same(A, B) = 0.5 * High(A) - 0.5 * High(B) + 0.5 ^2"`
	)
	for _, test := range []struct {
		name, rules, options string
		label                func(a, b []float64) bool
		told                 bool
	}{
		{"near, by what each is", each, "", near, true},
		{"near, by a method that is asked for", each, `"learn.method": "implicit"`, near, true},
		{"near, by twins", pass, "", near, false},
		{"of one kind, by what each is", each, "", both, false},
		{"larger, by what each is", larger, "", first, false},
	} {
		report := run(t, ofPairs(t, test.rules, test.label, test.options), project.Options{Seed: 1},
			engine.Stages{Learn: true, Infer: true})
		told := slices.ContainsFunc(report.Warnings, func(w source.Plain) bool {
			return w.ID == "learn-plain" && strings.Contains(w.Message, "a siamese network")
		})
		if told != test.told {
			t.Errorf("%s: told %t: %v", test.name, told, report.Warnings)
		}
	}
}

package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// strangers is a classification, by linear rules, whose inference is about another graph than its learning.
func strangers(t *testing.T, seed uint64) string {
	t.Helper()
	const learned, things, looks, ties, alike = 100, 250, 6, 3, 0.75
	random := rand.New(rand.NewPCG(seed, 5))
	var features strings.Builder
	var near, targets, truth [2]strings.Builder
	for k := range things {
		side := min(k/learned, 1)
		fmt.Fprintf(&features, "t%d", k)
		for look := range looks {
			fmt.Fprintf(&features, "\t%g", random.NormFloat64()+0.5*float64(k%2*(look%3)))
		}
		fmt.Fprintln(&features)
		fmt.Fprintf(&truth[side], "t%d\tc%d\n", k, k%2)
		fmt.Fprintf(&targets[side], "t%d\tc0\nt%[1]d\tc1\n", k)
		first, count := 0, learned
		if side == 1 {
			first, count = learned, things-learned
		}
		tied := map[int]bool{k: true}
		for range ties {
			other := first + random.IntN(count/2)*2
			if random.Float64() < alike {
				other += k % 2
			} else {
				other += random.IntN(2)
			}
			if !tied[other] {
				tied[other] = true
				fmt.Fprintf(&near[side], "t%d\tt%d\n", k, other)
			}
		}
	}
	phases := func(name string) string {
		return fmt.Sprintf(`{"learn": ["%s-0.tsv"], "infer": ["%[1]s-1.tsv"]}`, name)
	}
	return writeProject(t, map[string]string{
		"features.tsv": features.String(), "near-0.tsv": near[0].String(), "near-1.tsv": near[1].String(),
		"targets-0.tsv": targets[0].String(), "targets-1.tsv": targets[1].String(),
		"truth-0.tsv": truth[0].String(), "truth-1.tsv": truth[1].String(),
		"model.json": fmt.Sprintf(`{"rules": ["1: Seen(A, C) -> Is(A, C)", "1: Near(A, B) & Is(A, C) -> Is(B, C)",
			"1: Near(A, B) & Is(B, C) -> Is(A, C)", "Is(A, +C) = 1 ."],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1"]}, "targets": %s},
				"Near/2": {"observations": %s},
				"Is/2": {"targets": %[1]s, "truth": %[3]s}
			}}`, phases("targets"), phases("near"), phases("truth")),
	})
}

// Weights that make things as alike as a graph bears without becoming all of one class leave another graph its classes.
func TestOtherGraphsKeepTheirClasses(t *testing.T) {
	for _, seed := range []uint64{4, 8, 12, 14} {
		report := run(t, strangers(t, seed), project.Options{Seed: 1}, engine.Stages{Learn: true, Infer: true})
		if right := lastAccuracy(report); right < 0.8 {
			t.Errorf("seed %d: %.3f of the things are told right, by the weights %v", seed, right, report.RuleWeights)
		}
	}
}

package engine_test

import (
	"fmt"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// The cross-entropy of classes says nothing about false labels. Each label has the loss that suits its network's
// output, so that pairs that are not alike, and things known only not to be of a class, are learned from.
func TestFalseLabelsAreFitted(t *testing.T) {
	files := map[string]string{"model.json": `{
		"rules": ["1: Alike(A, B) & Sees(A, C) -> Is(B, C) ^2"],
		"networks": {"eye": {"features": "features.tsv"}, "doubt": {"features": "features.tsv"},
			"twins": {"kind": "siamese", "features": "features.tsv", "hidden": [4]}},
		"predicates": {
			"Alike/2": {"neural": {"network": "twins", "atoms": "Alike(A, B) <- Pair(A, B)"}, "truth": ["alike.tsv"]},
			"Pair/2": {"observations": ["pairs.tsv"]},
			"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["x", "y"]}, "truth": ["sees.tsv"]},
			"Doubts/2": {"neural": {"network": "doubt", "class": 1, "classes": ["x", "y"]}, "truth": ["not.tsv"]},
			"Is/2": {"targets": ["is.tsv"]}
		}}`}
	for k := range 8 {
		files["features.tsv"] += fmt.Sprintf("t%d\t%d\t%d\n", k, k%2, k%4/2)
		files["sees.tsv"] += fmt.Sprintf("t%d\t%c\t1\n", k, 'x'+k%2)
		files["not.tsv"] += fmt.Sprintf("t%d\t%c\t0\n", k, 'x'+k%2)
		files["is.tsv"] += fmt.Sprintf("t%d\tx\nt%[1]d\ty\n", k)
		for other := range k {
			files["pairs.tsv"] += fmt.Sprintf("t%d\tt%d\n", k, other)
			files["alike.tsv"] += fmt.Sprintf("t%d\tt%d\t%d\n", k, other, 1-(k+other)%2)
		}
	}
	path := writeProject(t, files)
	for _, set := range [][]string{nil, {"learn.loss=cross-entropy"}, {"learn.loss=binary-cross-entropy"}} {
		g, err := engine.Ground(t.Context(), loaded(t, path, project.Options{Seed: 1, Set: set}), load.Learn)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := training.Fit(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			side  bool
			atom  string
			names []string
		}{{true, "Alike", []string{"t2", "t0"}}, {false, "Alike", []string{"t1", "t0"}}, {true, "Sees", []string{"t0", "x"}},
			{false, "Doubts", []string{"t0", "x"}}, {false, "Doubts", []string{"t1", "y"}}} {
			got, known := g.Value(fitted.Chosen, want.atom, want.names...)
			if !known || got > 0.5 != want.side {
				t.Errorf("%v: %s%v is %.3f (known: %v), want it above a half: %v", set, want.atom, want.names, got, known,
					want.side)
			}
		}
	}
}

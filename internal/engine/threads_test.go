package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/project"
)

// A run that was given one thread must start no other: not for networks of any kind, their optimiser, or the
// similarities that they see.
func TestOneThreadIsOne(t *testing.T) {
	const things = 600 // enough for more than one task of every loop
	var features, thing, pairs, same, kind strings.Builder
	for k := range things {
		fmt.Fprintf(&features, "t%d", k)
		for j := range 64 {
			fmt.Fprintf(&features, "\t%d", (k*(j+3))%7)
		}
		fmt.Fprintln(&features)
		fmt.Fprintf(&thing, "t%d\n", k)
		fmt.Fprintf(&kind, "t%d\t%d\n", k, k%2)
		for step := 1; step <= 60; step++ {
			fmt.Fprintf(&pairs, "t%d\tt%d\n", k, (k+step)%things)
		}
		fmt.Fprintf(&same, "t%d\tt%d\t%d\n", k, (k+2)%things, k%2)
	}
	path := writeFiles(t, map[string]string{
		"model.json": `{
  "rules": ["1: Kind(T, K) = Seen(T, K) ^2", "1: Look(T, K) -> Kind(T, K) ^2", "1: Alike(S, T) -> Same(S, T) ^2",
    "0.1: !Same(S, T) ^2"],
  "networks": {
    "words": {"features": "features.tsv", "hidden": [300], "dropout": 0.2, "inputDropout": 0.1},
    "image": {"kind": "cnn", "features": "features.tsv", "image": [8, 8], "convolutions": [{"filters": 4, "kernel": 3}],
      "hidden": [80], "shift": 1, "inputDropout": 0.1},
    "twin": {"kind": "siamese", "features": "features.tsv", "hidden": [300], "measures": ["jaccard"]}
  },
  "predicates": {
    "Seen/2": {"neural": {"network": "words", "class": 1, "classes": ["0", "1"]}},
    "Look/2": {"neural": {"network": "image", "class": 1, "classes": ["0", "1"]}},
    "Alike/2": {"neural": {"network": "twin", "atoms": "Alike(S, T) <- Pair(S, T)"}},
    "Pair/2": {"observations": ["pairs.tsv"]},
    "Kind/2": {"targets": "Kind(T, K) <- Thing(T) & Of(K)", "truth": {"learn": ["kind.tsv"]}},
    "Same/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["same.tsv"]}},
    "Thing/1": {"observations": ["thing.tsv"]},
    "Of/1": {"observations": [["0"], ["1"]]}
  },
  "options": {"learn.method": "deeppsl", "learn.epochs": 2, "network.epochs": 2, "inference.gap": 0.01}
}`,
		"features.tsv": features.String(), "thing.tsv": thing.String(), "pairs.tsv": pairs.String(),
		"same.tsv": same.String(), "kind.tsv": kind.String(),
	})
	before := parallel.Started()
	run(t, loaded(t, path, project.Options{Seed: 1, Threads: 1}), Stages{Learn: true, Infer: true})
	if started := parallel.Started() - before; started != 0 {
		t.Errorf("one thread was asked for, and %d more were started", started)
	}
}

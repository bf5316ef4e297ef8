package eval

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A chain of sure pairs does not join what its ends contradict, and a complete triangle joins.
func TestCluster(t *testing.T) {
	for _, test := range []struct {
		name  string
		n     int
		pairs []Pair
		want  []int32
	}{
		{"nothing", 3, nil, []int32{0, 1, 2}},
		{"triangle", 3, []Pair{{0, 1, 0.9}, {1, 2, 0.8}, {0, 2, 0.7}}, []int32{0, 0, 0}},
		{"chain", 4, []Pair{{0, 1, 0.9}, {1, 2, 0.6}, {2, 3, 0.9}}, []int32{0, 0, 1, 1}},
		{"a weak third", 3, []Pair{{0, 1, 0.9}, {1, 2, 0.8}, {0, 2, 0.2}}, []int32{0, 0, 0}},
		{"below", 2, []Pair{{0, 1, 0.49}}, []int32{0, 1}},
	} {
		if got := Cluster(test.n, test.pairs, 0.5); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The worked example of B-cubed: one cluster of two true ones, of 5 and 2 items.
func TestScoreClusters(t *testing.T) {
	s := ScoreClusters([]int32{0, 0, 0, 0, 0, 0, 0}, []int32{1, 1, 1, 1, 1, 2, 2})
	if want := (5*5.0/7 + 2*2.0/7) / 7; math.Abs(s.BCubed.Precision-want) > 1e-12 || s.BCubed.Recall != 1 {
		t.Errorf("B-cubed %+v, want a precision of %v", s.BCubed, want)
	}
	if want := 11.0 / 21; math.Abs(s.Pairwise.Precision-want) > 1e-12 || s.Pairwise.Recall != 1 {
		t.Errorf("pairwise %+v, want a precision of %v", s.Pairwise, want)
	}
	if s.Clusters != 1 || s.True != 2 {
		t.Errorf("%d clusters of %d", s.Clusters, s.True)
	}
}

// Answers that are consistent come back as they are, and score 1.
func TestClusterConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := rapid.SliceOfN(rapid.Int32Range(0, 4), 1, 12).Draw(t, "truth")
		var pairs []Pair
		for i := range truth {
			for j := range i {
				if truth[i] == truth[j] {
					pairs = append(pairs, Pair{int32(j), int32(i), rapid.Float64Range(0.5, 1).Draw(t, "value")})
				}
			}
		}
		score := ScoreClusters(Cluster(len(truth), pairs, 0.5), truth)
		if score.BCubed.F1 < 1-1e-12 || score.Clusters != score.True {
			t.Fatalf("%+v", score)
		}
	})
}

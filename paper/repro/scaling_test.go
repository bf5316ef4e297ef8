package repro

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// The paper's counts of ground rules follow from its counts of documents and citations.
func TestPaperCountsAddUp(t *testing.T) {
	for _, p := range paperCora {
		c := &dataset.Citation{Documents: p.Nodes, Classes: make([]string, 7), Links: make([][2]int32, p.Edges/2)}
		if got := countedCitation(c); got != p.GroundRules {
			t.Errorf("%d ground rules of %d documents and %d citations, the paper prints %d", got, p.Nodes, p.Edges,
				p.GroundRules)
		}
	}
}

// A sub-graph has the words, labels and links of its documents, under new numbers.
func TestSubgraph(t *testing.T) {
	whole := &dataset.Citation{Documents: 4, Words: 9, Names: []string{"a", "b", "c", "d"}, Labels: []int{0, 1, 2, 3},
		WordStart: []int32{0, 2, 3, 3, 5}, Word: []int32{1, 2, 3, 4, 5}, Links: [][2]int32{{0, 1}, {0, 3}, {1, 3}, {2, 3}}}
	part := subgraph(whole, []int32{0, 2, 3})
	if !slices.Equal(part.Names, []string{"a", "c", "d"}) || !slices.Equal(part.Labels, []int{0, 2, 3}) ||
		!slices.Equal(part.WordsOf(2), []int32{4, 5}) || !slices.Equal(part.Links, [][2]int32{{0, 2}, {1, 2}}) {
		t.Errorf("%+v", part)
	}
	if again := draw(100, 10, 7); !slices.Equal(again, draw(100, 10, 7)) || !slices.IsSorted(again) || len(again) != 10 {
		t.Errorf("drew %v", again)
	}
}

// A part of a fold has the chosen papers, their authors and what is true of both.
func TestSubfold(t *testing.T) {
	fold, _ := twoPersons()
	part := subfold(fold, []int32{0, 1})
	if len(part.PaperTitle) != 2 || len(part.AuthorName) != 2 || len(part.AuthorOf) != 2 ||
		!slices.Equal(part.SameAuthor, fold.SameAuthor[:3]) || !slices.Equal(part.SamePaper, fold.SamePaper[:2]) {
		t.Errorf("%+v", part)
	}
}

func TestFitPower(t *testing.T) {
	x := []float64{1e3, 1e4, 1e5}
	y := []float64{2 * math.Pow(1e3, 1.1), 2 * math.Pow(1e4, 1.1), 2 * math.Pow(1e5, 1.1)}
	if got := fitPower(x, y); math.Abs(got.Exponent-1.1) > 1e-12 || math.Abs(got.Squared-1) > 1e-12 {
		t.Errorf("%+v, want 1.1 and 1", got)
	}
	if got := fitPower(x[:1], y[:1]); !math.IsNaN(got.Exponent) {
		t.Errorf("%+v of one point", got)
	}
}

// The smallest samples go the whole way, to the table and the chart.
func TestScalingOfOneSize(t *testing.T) {
	if os.Getenv("DEEPPSL_DATA") == "" {
		t.Skip("DEEPPSL_DATA names no folder with Cora")
	}
	for _, name := range ScalingDatasets {
		s := Scaling{Dataset: name, Runs: 1, Seed: 1, Threads: 2, Set: []string{"learn.epochs=1"}}
		draw, err := s.sampler()
		if err != nil {
			t.Fatal(err)
		}
		point, err := s.point(t.Context(), draw, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !(point.Inference > 0 && point.Processor >= 0 && point.Gradient > 1e-3 && point.Gap <= 1e-4) ||
			point.GroundRules < 10000 {
			t.Errorf("%s: %+v", name, point)
		}
		bigger := point
		bigger.GroundRules, bigger.Paper.GroundRules = 2*point.GroundRules, 2*point.Paper.GroundRules
		result := &ScalingResult{Dataset: name, Points: []ScalePoint{point, bigger}}
		result.fit()
		paths, err := WriteScaling(t.TempDir(), []*ScalingResult{result})
		if err != nil || len(paths) != 2 || filepath.Base(paths[1]) != "scaling-"+name+".svg" {
			t.Errorf("%v: %v", paths, err)
		}
	}
}

func TestScalingOfNothing(t *testing.T) {
	if _, err := (&Scaling{Dataset: "mnist", Runs: 1}).Run(t.Context()); err == nil {
		t.Error("a study of mnist ran")
	}
}

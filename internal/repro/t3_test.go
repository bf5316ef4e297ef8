package repro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// twoPersons is a fold of two persons with two references each, and of two papers in three mentions.
func twoPersons() (*dataset.Fold, []dataset.Reference) {
	fold := &dataset.Fold{
		AuthorName: []dataset.Named{{ID: 1, Text: "J. Smith"}, {ID: 2, Text: "John Smith"}, {ID: 3, Text: "A. Smullyan"},
			{ID: 4, Text: "B. Jones"}},
		PaperTitle: []dataset.Named{{ID: 10, Text: "Logic in networks"}, {ID: 11, Text: "Logic in networks."},
			{ID: 12, Text: "On sets"}},
		AuthorOf:   [][2]int{{1, 10}, {2, 11}, {3, 12}, {4, 12}},
		SameAuthor: [][2]int{{1, 1}, {1, 2}, {2, 1}, {3, 4}, {4, 3}},
		SamePaper:  [][2]int{{10, 11}, {11, 10}, {12, 12}},
	}
	return fold, []dataset.Reference{{ID: 1, NormalizedName: "smith_j"}, {ID: 2, NormalizedName: "smith_j"},
		{ID: 3, NormalizedName: "smullyan_a"}, {ID: 4, NormalizedName: "jones_b"}}
}

// Candidates are pairs within a block; true pairs beyond count as missed.
func TestCandidates(t *testing.T) {
	r := newResolution(twoPersons())
	if len(r.authors) != 3*3+1 {
		t.Errorf("%d pairs of authors: %v", len(r.authors), r.authors)
	}
	if len(r.papers) != 2*2+1 {
		t.Errorf("%d pairs of papers: %v", len(r.papers), r.papers)
	}
	answer := &foldAnswer{resolution: r, sameAuthor: map[pair]float64{{1, 2}: 0.9, {1, 3}: 0.4, {2, 3}: 0.55}}
	q := answer.authorQuestion()
	got := resolve(q, q)
	if got.Half.Precision != 0.5 || got.Half.Recall != 0.5 || got.Lost != 0.5 || got.Threshold != 0.9 {
		t.Errorf("%+v", got)
	}
	if got.Chosen.Precision != 1 || got.Clusters.Clusters != 3 || got.Clusters.True != 2 {
		t.Errorf("%+v", got)
	}
}

// The small folds of the data go the whole way: the files, the rules, both kinds of scores and the entities.
func TestResolution(t *testing.T) {
	if os.Getenv("DEEPPSL_DATA") == "" {
		t.Skip("DEEPPSL_DATA is not set: it names the folder of published data sets that this reads")
	}
	dir := t.TempDir()
	task := T3{Method: "psl-j", Size: "small", Seed: 1, Threads: 2, Dir: dir}
	result, err := task.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if result.Authors.Half.F1 < 0.8 || result.Papers.Half.F1 < 0.8 || result.Authors.Lost > 0.05 || result.Gap > 1e-4 {
		t.Errorf("%+v\n%+v\n%+v", result, result.Authors, result.Papers)
	}
	paths, err := WriteT3(filepath.Join(dir, "out"), []*T3Result{result}, true)
	if err != nil || len(paths) != 3 {
		t.Fatalf("%v: %v", paths, err)
	}
	text, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != len(result.Authors.entities)+1 || lines < 100 {
		t.Errorf("%d lines of %d entities", lines, len(result.Authors.entities))
	}
}

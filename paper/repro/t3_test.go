package repro

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/paper/published"
)

// twoPersons is a fold of two persons with two references each, and of two papers in three mentions.
func twoPersons() (*published.Fold, []published.Reference) {
	fold := &published.Fold{
		AuthorName: []published.Named{{ID: 1, Text: "J. Smith"}, {ID: 2, Text: "John Smith"}, {ID: 3, Text: "A. Smullyan"},
			{ID: 4, Text: "B. Jones"}},
		PaperTitle: []published.Named{{ID: 10, Text: "Logic in networks"}, {ID: 11, Text: "Logic in networks."},
			{ID: 12, Text: "On sets"}},
		AuthorOf:   [][2]int{{1, 10}, {2, 11}, {3, 12}, {4, 12}},
		SameAuthor: [][2]int{{1, 1}, {1, 2}, {2, 1}, {3, 4}, {4, 3}},
		SamePaper:  [][2]int{{10, 11}, {11, 10}, {12, 12}},
	}
	return fold, []published.Reference{{ID: 1, NormalizedName: "smith_j"}, {ID: 2, NormalizedName: "smith_j"},
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

// Whole entities are held out, and a pair belongs to the part of its smaller number.
func TestDivide(t *testing.T) {
	r := newResolution(twoPersons())
	for seed := range uint64(20) {
		d := r.divide(seed)
		if d.authors[1] != d.authors[2] || d.authors[3] != d.authors[4] || d.papers[10] != d.papers[11] {
			t.Fatalf("seed %d divides an entity: %v", seed, d)
		}
		pairs := map[string]int{}
		for _, table := range r.truth(d, int(seed)%parts) {
			pairs[table.predicate] += len(table.rows)
			for _, row := range table.rows {
				if table.predicate == "SameAuthor" && (row[2] == "1") != (row[0] != "3" && row[1] != "3") {
					t.Errorf("truth %v", row)
				}
			}
		}
		if pairs["SameAuthor"] != 6 || pairs["SamePaper"] != 2 {
			t.Errorf("seed %d: pairs %v", seed, pairs)
		}
	}
}

// Rows of features: symbols in their places, grams that two texts have, and means of vectors, side by side.
func TestFeatures(t *testing.T) {
	vectors, err := published.ReadVectors(strings.NewReader("ab 1 2\nabc 3 0\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	means := wordMeans{vectors}
	got := string(featureTable([]string{"Ab, abc"}, means, newGrams([]string{"ab", "ab", "x", "y"}, wordGrams)))
	// Of two in four texts, the weight is log 2: ^a, ^ab, ^ab$, ab, ab$, b$, in the order of characters.
	want := "Ab, abc\t0:2 1:1 2:0.693147 3:0.693147 4:0.693147 5:0.693147 6:0.693147 7:0.693147\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := string(featureTable([]string{"B! a"}, oneHot{})); got != "B! a\t1:1 108:1 138:1\n" {
		t.Errorf("one-hot: %q", got)
	}
	symbols := []string{" ", " b", " b$", "$", "B", "B.", "B. ", "^", "^B", "^B.", "b", "b$", ".", ". ", ". b"}
	slices.Sort(symbols)
	if diff := cmp.Diff(symbols, symbolGrams("B.  b")); diff != "" {
		t.Error(diff)
	}
	if got := means.coverage([]string{"v"}, []string{"ab ab x"}); got != "v: 1 of 2 words, 66.7 % of their occurrences" {
		t.Error(got)
	}
}

// Both methods with networks go the whole way on the tiny folds, and runs of the same seed are the same.
func TestTwins(t *testing.T) {
	if os.Getenv("DEEPPSL_DATA") == "" {
		t.Skip("DEEPPSL_DATA is not set: it names the folder of published data sets that this reads")
	}
	for _, method := range neuralMethods {
		task := T3{Method: method, Size: "tiny", Seed: 1, Runs: 1, Threads: 2,
			Set: []string{"network.epochs=30", "learn.epochs=1"}}
		result, err := task.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if result.AuthorChosen.Mean < 0.8 || result.PaperChosen.Mean < 0.8 || result.Gap > 1e-4 {
			t.Errorf("%s: %+v", method, result)
		}
		if method == "deeppsl" {
			continue
		}
		task.Threads = 1
		again, err := task.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(result.Authors.Half, again.Authors.Half); diff != "" {
			t.Error(diff)
		}
	}
}

// The paper's own networks read word vectors, which are named and counted.
func TestFaithfulTwins(t *testing.T) {
	if os.Getenv("DEEPPSL_DATA") == "" {
		t.Skip("DEEPPSL_DATA is not set: it names the folder of published data sets that this reads")
	}
	task := T3{Method: "network", Faithful: true, Size: "tiny", Runs: 1, Vectors: "glove.twitter.27B.25d.common12k",
		Set: []string{"network.epochs=3"}}
	result, err := task.Run(t.Context())
	if err != nil || !strings.Contains(result.Vectors, "common12k: ") {
		t.Errorf("%v, vectors %q", err, result.Vectors)
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

package published

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

// published returns a cache of the published data, which only a machine that has them can test with.
func published(t *testing.T) *Cache {
	t.Helper()
	data := os.Getenv("DEEPPSL_DATA")
	if data == "" {
		t.Skip("DEEPPSL_DATA is not set: it names the folder of published data sets that this test reads")
	}
	return &Cache{Data: data, Dir: t.TempDir()}
}

// lines returns the fields of a published text file's lines.
func lines(t *testing.T, c *Cache, path string) (out [][]string) {
	t.Helper()
	name, err := c.Find(path)
	if err != nil {
		t.Skip(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		out = append(out, strings.Split(scanner.Text(), "\t"))
	}
	return out
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var citationCounts = []struct {
	name                                                                    string
	documents, words, classes, links, directed, features, unlabelled, train int
}{
	{"cora", 2708, 1433, 7, 5278, 5429, 49216, 0, 140},
	{"citeseer", 3327, 3703, 6, 4552, 4732, 105165, 15, 120},
}

func TestPlanetoidCounts(t *testing.T) {
	cache := published(t)
	for _, want := range citationCounts {
		c, err := cache.Planetoid(want.name)
		if err != nil {
			t.Fatal(err)
		}
		got := [...]int{
			c.Documents, c.Words, len(c.Classes), len(c.Links), len(c.Word), count(c.Labels, -1), len(c.Public.Train),
		}
		if got != [...]int{want.documents, want.words, want.classes, want.links, want.features, want.unlabelled, want.train} {
			t.Errorf("%s: %v", want.name, got)
		}
		if len(c.Public.Validation) != 500 || len(c.Public.Test) != 1000 {
			t.Errorf("%s: public split of %d and %d", want.name, len(c.Public.Validation), len(c.Public.Test))
		}
		for d, label := range c.Labels {
			if label < 0 && len(c.WordsOf(d)) > 0 {
				t.Errorf("%s: document %d has words and no label", want.name, d)
			}
		}
	}
}

func count(labels []int, label int) (n int) {
	for _, l := range labels {
		if l == label {
			n++
		}
	}
	return n
}

// TestPlanetoidAgreesWithPlainText compares the pickles with tables of the same content.
func TestPlanetoidAgreesWithPlainText(t *testing.T) {
	cache := published(t)
	for _, set := range citationCounts {
		c, err := cache.Planetoid(set.name)
		if err != nil {
			t.Fatal(err)
		}
		var split dataset.Split
		for d, row := range lines(t, cache, "citation/"+set.name+"/nodes.tsv") {
			if c.Labels[d] != number(t, row[1]) {
				t.Fatalf("%s: document %d has class %d, want %s", set.name, d, c.Labels[d], row[1])
			}
			switch row[2] {
			case "train":
				split.Train = append(split.Train, int32(d))
			case "val":
				split.Validation = append(split.Validation, int32(d))
			case "test":
				split.Test = append(split.Test, int32(d))
			}
		}
		if diff := cmp.Diff(&split, c.Public); diff != "" {
			t.Errorf("%s: public split: %s", set.name, diff)
		}
		for d, row := range lines(t, cache, "citation/"+set.name+"/features.tsv") {
			var words []int32
			for word := range strings.FieldsSeq(strings.Join(row[1:], " ")) {
				words = append(words, int32(number(t, word)))
			}
			if !slices.Equal(words, c.WordsOf(d)) {
				t.Fatalf("%s: document %d has words %v, want %v", set.name, d, c.WordsOf(d), words)
			}
		}
		if diff := cmp.Diff(pairs(t, lines(t, cache, "citation/"+set.name+"/edges.tsv")), c.Links); diff != "" {
			t.Errorf("%s: links: %s", set.name, diff)
		}
	}
}

func pairs(t *testing.T, rows [][]string) (out [][2]int32) {
	for _, row := range rows {
		out = append(out, [2]int32{int32(number(t, row[0])), int32(number(t, row[1]))})
	}
	return out
}

// TestLINQSAgreesWithPlanetoid maps the original documents to Planetoid's numbers, and compares everything.
func TestLINQSAgreesWithPlanetoid(t *testing.T) {
	cache := published(t)
	for _, set := range citationCounts {
		original, err := cache.LINQS(set.name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := cache.Planetoid(set.name)
		if err != nil {
			t.Fatal(err)
		}
		if original.Documents != set.documents || original.Words != set.words || len(original.DirectedLinks) != set.directed {
			t.Fatalf("%s: %d documents, %d words, %d citations", set.name, original.Documents, original.Words,
				len(original.DirectedLinks))
		}
		numbers, classes := map[string]int32{}, map[string]int{}
		for d, row := range lines(t, cache, "citation/"+set.name+"/nodes.tsv") {
			numbers[row[3]] = int32(d)
			if len(row) > 4 {
				classes[row[4]] = number(t, row[1])
			}
		}
		for d, name := range original.Names {
			twin, ok := numbers[name]
			if !ok {
				t.Fatalf("%s: no document %s", set.name, name)
			}
			if !slices.Equal(original.WordsOf(d), p.WordsOf(int(twin))) {
				t.Fatalf("%s: document %s has other words", set.name, name)
			}
			if label := original.Labels[d]; label >= 0 && classes[original.Classes[label]] != p.Labels[twin] {
				t.Fatalf("%s: document %s has class %s, want %d", set.name, name, original.Classes[label], p.Labels[twin])
			}
		}
		mapped := make([][2]int32, len(original.DirectedLinks))
		for k, link := range original.DirectedLinks {
			mapped[k] = [2]int32{numbers[original.Names[link[0]]], numbers[original.Names[link[1]]]}
		}
		if diff := cmp.Diff(pairs(t, lines(t, cache, "citation/"+set.name+"/cites.tsv")), mapped); diff != "" {
			t.Errorf("%s: citations: %s", set.name, diff)
		}
		if diff := cmp.Diff(p.Links, dataset.Undirected(mapped)); diff != "" {
			t.Errorf("%s: links: %s", set.name, diff)
		}
	}
}

func TestMNIST(t *testing.T) {
	train, test, err := published(t).MNIST()
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 60000 || test.Len() != 10000 || train.Rows != 28 || len(test.Pixels) != 10000*28*28 {
		t.Errorf("%d and %d pictures of %d x %d", train.Len(), test.Len(), train.Rows, train.Columns)
	}
	if !slices.Equal(train.Labels[:5], []byte{5, 0, 4, 1, 9}) || !slices.Equal(test.Labels[:5], []byte{7, 2, 1, 0, 4}) {
		t.Errorf("labels %v and %v", train.Labels[:5], test.Labels[:5])
	}
	sum := 0
	for _, pixel := range train.Pixels {
		sum += int(pixel)
	}
	if mean := float64(sum) / float64(len(train.Pixels)) / 255; mean < 0.1306 || mean > 0.1307 {
		t.Errorf("mean pixel %g", mean)
	}
	if len(test.Pixel(9999)) != 784 {
		t.Error("a picture of the wrong size")
	}
}

func TestResolution(t *testing.T) {
	cache := published(t)
	references, err := cache.References()
	if err != nil {
		t.Fatal(err)
	}
	papers := map[int]bool{}
	for _, r := range references {
		papers[r.Paper] = true
	}
	if len(references) != 2892 || len(papers) != 1504 {
		t.Errorf("%d references on %d papers", len(references), len(papers))
	}
	first := Reference{0, "10", "aamodt_a", "A. Aamodt", 0, 1019, "660",
		"Case-Based Reasoning: Foundational issues, current state, and future trends,"}
	if diff := cmp.Diff(first, references[0]); diff != "" {
		t.Error(diff)
	}
	for k, want := range []int{1457, 1435} {
		f, err := cache.Fold("big", k)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.AuthorName) != want || len(f.AuthorOf) != want {
			t.Errorf("fold %d: %d names of authors", k, len(f.AuthorName))
		}
	}
}

func TestPublishedFilesHaveTheirChecksums(t *testing.T) {
	cache := published(t)
	for _, set := range Sets() {
		if !slices.Contains([]string{"mnist", "cora", "citeseer"}, set.Name) {
			continue
		}
		for _, state := range cache.Verify(set) {
			if state.Err != nil {
				t.Errorf("%s: %v", state.File.Path, state.Err)
			}
		}
	}
}

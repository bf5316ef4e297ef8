package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestGeneratorIsDeterministic(t *testing.T) {
	a, err := Generator{Seed: 7}.Citation()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Generator{Seed: 7}.Citation()
	c, _ := Generator{Seed: 8}.Citation()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(a.Links, c.Links) || cmp.Equal(a.Word, c.Word) {
		t.Error("another seed, the same network")
	}
}

func TestGeneratorIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Generator{
			Classes: rapid.IntRange(1, 5).Draw(t, "classes"), Documents: rapid.IntRange(5, 40).Draw(t, "documents"),
			Words: rapid.IntRange(5, 30).Draw(t, "words"), Homophily: rapid.Float64Range(0, 1).Draw(t, "homophily"),
			Seed: rapid.Uint64().Draw(t, "seed"),
		}
		c, err := g.Citation()
		if err != nil {
			t.Fatal(err)
		}
		checkCitation(t, c)
	})
	for _, bad := range []Generator{
		{Classes: 10, Documents: 5}, {Signal: 2}, {Homophily: math.NaN()}, {WordsPerDocument: -1},
	} {
		if _, err := bad.Citation(); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

type fataler interface{ Fatalf(string, ...any) }

// checkCitation checks what every Citation promises.
func checkCitation(t fataler, c *Citation) {
	if len(c.Labels) != c.Documents || len(c.Names) != c.Documents || len(c.WordStart) != c.Documents+1 {
		t.Fatalf("%d documents, %d labels, %d names, %d rows", c.Documents, len(c.Labels), len(c.Names), len(c.WordStart))
	}
	for d, label := range c.Labels {
		words := c.WordsOf(d)
		unique := slices.Compact(slices.Clone(words))
		if label < -1 || label >= len(c.Classes) || !slices.IsSorted(words) || len(unique) != len(words) {
			t.Fatalf("document %d of class %d has words %v", d, label, words)
		}
		if len(words) > 0 && (words[0] < 0 || int(words[len(words)-1]) >= c.Words) {
			t.Fatalf("document %d has words %v of %d", d, words, c.Words)
		}
	}
	for k, link := range c.Links {
		inOrder := k == 0 || comparePairs(c.Links[k-1], link) < 0
		if link[0] < 0 || link[0] >= link[1] || int(link[1]) >= c.Documents || !inOrder {
			t.Fatalf("link %d is %v", k, link)
		}
	}
}

// TestLinksHelp makes sure that the default network shows what it is for: with few labels, classifying by words alone
// is clearly worse than letting linked documents vote as well.
func TestLinksHelp(t *testing.T) {
	for seed := range uint64(3) {
		c, err := Generator{Seed: seed}.Citation()
		if err != nil {
			t.Fatal(err)
		}
		split, err := RandomSplit(c.Labels, SplitOptions{PerClass: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		scores := naiveBayes(c, split.Train)
		alone, linked := accuracy(c, split.Test, scores), accuracy(c, split.Test, propagate(c, split.Train, scores))
		t.Logf("seed %d: words %.3f, with links %.3f", seed, alone, linked)
		if alone < 0.4 || alone > 0.85 || linked < alone+0.08 {
			t.Errorf("seed %d: words %.3f, with links %.3f", seed, alone, linked)
		}
	}
}

// naiveBayes returns the posterior of each document's class, with add-one smoothing.
func naiveBayes(c *Citation, train []int32) [][]float64 {
	counts := make([][]float64, len(c.Classes))
	total := make([]float64, len(c.Classes))
	for class := range counts {
		counts[class] = slices.Repeat([]float64{1}, c.Words)
		total[class] = float64(c.Words)
	}
	for _, d := range train {
		for _, word := range c.WordsOf(int(d)) {
			counts[c.Labels[d]][word]++
			total[c.Labels[d]]++
		}
	}
	scores := make([][]float64, c.Documents)
	for d := range scores {
		logs := make([]float64, len(c.Classes))
		for class := range logs {
			for _, word := range c.WordsOf(d) {
				logs[class] += math.Log(counts[class][word] / total[class])
			}
		}
		scores[d] = softmax(logs)
	}
	return scores
}

func softmax(logs []float64) []float64 {
	sum, top := 0.0, slices.Max(logs)
	for k, l := range logs {
		logs[k] = math.Exp(l - top)
		sum += logs[k]
	}
	for k := range logs {
		logs[k] /= sum
	}
	return logs
}

// propagate averages each document's own posterior with its neighbours', again and again.
func propagate(c *Citation, train []int32, own [][]float64) [][]float64 {
	neighbours := make([][]int32, c.Documents)
	for _, link := range c.Links {
		neighbours[link[0]] = append(neighbours[link[0]], link[1])
		neighbours[link[1]] = append(neighbours[link[1]], link[0])
	}
	known := make([]bool, c.Documents)
	for _, d := range train {
		known[d] = true
	}
	scores := own
	for range 10 {
		next := make([][]float64, c.Documents)
		for d := range next {
			next[d] = slices.Clone(own[d])
			if known[d] {
				clear(next[d])
				next[d][c.Labels[d]] = 1
				continue
			}
			for _, n := range neighbours[d] {
				for class, s := range scores[n] {
					next[d][class] += s
				}
			}
			for class := range next[d] {
				next[d][class] /= float64(1 + len(neighbours[d]))
			}
		}
		scores = next
	}
	return scores
}

func accuracy(c *Citation, test []int32, scores [][]float64) float64 {
	right := 0
	for _, d := range test {
		if slices.Index(scores[d], slices.Max(scores[d])) == c.Labels[d] {
			right++
		}
	}
	return float64(right) / float64(len(test))
}

func TestRandomSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(rapid.IntRange(-1, 2), 60, 120).Draw(t, "labels")
		o := SplitOptions{Validation: 10, Test: 15, Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "balanced") {
			o.PerClass = 3
		} else {
			o.Train = 9
		}
		s, err := RandomSplit(labels, o)
		if err != nil {
			t.Skip(err)
		}
		again, _ := RandomSplit(labels, o)
		if !cmp.Equal(s, again) || len(s.Validation) != 10 || len(s.Test) != 15 {
			t.Fatalf("%v, then %v", s, again)
		}
		all := slices.Concat(s.Train, s.Validation, s.Test)
		slices.Sort(all)
		if len(slices.Compact(all)) != len(s.Train)+25 {
			t.Fatal("parts overlap")
		}
		taken := make(map[int]int)
		for _, d := range s.Train {
			taken[labels[d]]++
		}
		for _, d := range all {
			if labels[d] < 0 {
				t.Fatal("an unlabelled document")
			}
		}
		for class, n := range taken {
			if o.PerClass > 0 && n != o.PerClass {
				t.Fatalf("%d training documents of class %d", n, class)
			}
		}
	})
	labels := []int{0, 0, 0, 1, -1}
	for _, test := range []struct {
		o    SplitOptions
		want string
	}{
		{SplitOptions{}, "either"},
		{SplitOptions{Train: 1, PerClass: 1}, "either"},
		{SplitOptions{Train: 5}, "4 documents have a label"},
		{SplitOptions{PerClass: 2}, "class 1 has 1"},
		{SplitOptions{Train: 2, Validation: 3}, "too few"},
		{SplitOptions{Train: 2, Validation: 1, Test: 2}, "too few"},
	} {
		if _, err := RandomSplit(labels, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.o, err)
		}
	}
	if s, err := RandomSplit(labels, SplitOptions{Train: 1, Validation: 1}); err != nil || len(s.Test) != 2 {
		t.Errorf("the rest is not the test: %v, %v", s, err)
	}
}

func TestReadLINQS(t *testing.T) {
	c, err := readLINQS("toy", strings.NewReader("b\t1\t0\t1\tY\na\t0\t0\t0\tX\n"),
		strings.NewReader("a\tb\nb\ta\nghost\ta\na\ta\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Citation{
		Name: "toy", Documents: 3, Words: 3, Names: []string{"b", "a", "ghost"}, Classes: []string{"X", "Y"},
		Labels: []int{1, 0, -1}, WordStart: []int32{0, 2, 2, 2}, Word: []int32{0, 2},
		Links: [][2]int32{{0, 1}, {1, 2}}, DirectedLinks: [][2]int32{{0, 1}, {1, 0}, {1, 2}, {1, 1}},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct{ content, cites, want string }{
		{"a\t1\tX\nb\t1\t0\tX\n", "", "toy.content: line 2: 2 words, but 1"},
		{"a\t1\tX\na\t1\tX\n", "", "line 2: document a is there twice"},
		{"a\t2\tX\n", "", `line 1: word 0 is "2"`},
		{"a\n", "", "found 1 columns"},
		{"a\t1\tX\n", "a\n", "toy.cites: line 1: want two documents"},
	} {
		_, err := readLINQS("toy", strings.NewReader(test.content), strings.NewReader(test.cites))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.content, err)
		}
	}
}

func TestReadMNISTChecksThatFilesFit(t *testing.T) {
	folder := fstest.MapFS{
		"train-images-idx3-ubyte": {Data: []byte("\x00\x00\x08\x03\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01p")},
		"train-labels-idx1-ubyte": {Data: []byte("\x00\x00\x08\x01\x00\x00\x00\x02ab")},
	}
	if _, _, err := readMNIST(folder); err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Error(err)
	}
}

func TestReadReferences(t *testing.T) {
	refs, err := readReferences(strings.NewReader("\n3 | 4 | x_y |  X. Y | 1 | 5 | 6 | A | B\tC, \n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Reference{{3, "4", "x_y", "X. Y", 1, 5, "6", "A | B\tC,"}}, refs); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"1 | 2", "a | 4 | x | X | 1 | 5 | 6 | T"} {
		if _, err := readReferences(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestReadFold(t *testing.T) {
	folder := fstest.MapFS{}
	for name, text := range map[string]string{
		"authorName": "1\tA. B", "authorNormName": "1\tb a", "paperTitle": "7\tA title", "authorOf": "1\t7",
		"coauthor": "1\t2", "sameAuthor": "1\t1\t1.0\n1\t2\t0", "samePaper": "7\t7\t1.0",
	} {
		folder[name+".0.txt"] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	f, err := readFold(folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := &Fold{
		AuthorName: []Named{{1, "A. B"}}, AuthorNormName: []Named{{1, "b a"}}, PaperTitle: []Named{{7, "A title"}},
		AuthorOf: [][2]int{{1, 7}}, Coauthor: [][2]int{{1, 2}}, SameAuthor: [][2]int{{1, 1}}, SamePaper: [][2]int{{7, 7}},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	folder["coauthor.0.txt"].Data = []byte("1\tx\n")
	if _, err := readFold(folder, 0); err == nil || !strings.Contains(err.Error(), "coauthor.0.txt: line 1") {
		t.Error(err)
	}
	if _, err := readFold(folder, 1); err == nil {
		t.Error("a fold without files")
	}
}

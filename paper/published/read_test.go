package published

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/dataset"
)

func TestReadLINQS(t *testing.T) {
	c, err := readLINQS("toy", strings.NewReader("b\t1\t0\t1\tY\na\t0\t0\t0\tX\n"),
		strings.NewReader("a\tb\nb\ta\nghost\ta\na\ta\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &dataset.Citation{
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

package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// elements parses a document and counts its elements by name.
func elements(t *testing.T, document []byte) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for decoder := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			counts[start.Name.Local]++
		}
	}
}

func TestConfusion(t *testing.T) {
	c := Confusion{Title: "a < b", Classes: []string{"yes", "no"}, Counts: [][]int{{8, 0}, {1, 3}}}
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	// A background and four cells; a title, two headings, four names and three counts above 0.
	if got := elements(t, b.Bytes()); got["rect"] != 5 || got["text"] != 10 {
		t.Errorf("elements %v", got)
	}
	for _, want := range []string{"a &lt; b", `fill-opacity="1.000"`, `fill-opacity="0.500"`, ">8<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
}

// Rows of zeros are drawn, and long names and titles fit in: the picture grows with them.
func TestConfusionSizes(t *testing.T) {
	for _, test := range []struct{ title, class, size string }{
		{"", "a", `width="110" height="114"`},
		{"", "probabilistic methods", `width="316" height="226"`},
		{"a title that is longer than the table is wide", "a", `width="427" height="114"`},
	} {
		c := Confusion{Title: test.title, Classes: []string{test.class}, Counts: [][]int{{0}}}
		var b bytes.Buffer
		if err := c.SVG(&b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), test.size) {
			t.Errorf("no %s in %s", test.size, b.String())
		}
	}
}

func TestConfusionErrors(t *testing.T) {
	classes := []string{"yes", "no"}
	for _, test := range []struct {
		name, want string
		confusion  Confusion
	}{
		{"empty", "0 rows of counts for 0 classes", Confusion{}},
		{"rows", "1 rows of counts for 2 classes", Confusion{Classes: classes, Counts: [][]int{{1, 2}}}},
		{"columns", `class "no" has 1 counts`, Confusion{Classes: classes, Counts: [][]int{{1, 2}, {3}}}},
		{"negative", `"yes" was taken for "no" -1 times`, Confusion{Classes: classes, Counts: [][]int{{1, -1}, {0, 3}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.confusion.SVG(io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
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

func TestSheet(t *testing.T) {
	s := Sheet{Title: "misread"}
	for range 11 {
		s.Pictures = append(s.Pictures, Picture{image.NewGray(image.Rect(0, 0, 28, 28)), "4 as 9"})
	}
	var b bytes.Buffer
	if err := s.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if got := elements(t, b.Bytes()); got["image"] != 11 || got["text"] != 12 {
		t.Errorf("elements %v", got)
	}
}

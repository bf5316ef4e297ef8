package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestGraphIsXMLWhateverItsNames(t *testing.T) {
	g := Graph{Title: `<why>`, Nodes: []Node{
		{Name: `Same('<script>alert(1)</script>', "&")`, Value: 0.5, Link: `/atom?name="><x`},
		{Name: strings.Repeat("ا", 10_000), Value: 1, Column: 1}, {Name: "c", Value: 2, Column: 2}},
		Edges: []Edge{{1, 0, 1}, {2, 1, -0.5}, {1, 2, 0}}}
	var b bytes.Buffer
	if err := g.SVG(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script>") {
		t.Error("a name is markup")
	}
	links := 0
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "a" {
			links++
		}
	}
	if links != 1 {
		t.Errorf("%d links, want 1", links)
	}
}

func TestGraphRefusesEdgesToNowhere(t *testing.T) {
	for _, e := range []Edge{{0, 1, 1}, {-1, 0, 1}, {0, 0, math.NaN()}} {
		if err := (&Graph{Nodes: []Node{{}}, Edges: []Edge{e}}).SVG(io.Discard); err == nil {
			t.Errorf("%+v was drawn", e)
		}
	}
}

func TestEmptyGraph(t *testing.T) {
	var b bytes.Buffer
	if err := new(Graph).SVG(&b); err != nil || !strings.HasPrefix(b.String(), "<svg") {
		t.Errorf("%v, %q", err, b.String())
	}
}

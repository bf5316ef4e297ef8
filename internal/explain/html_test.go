package explain

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Pages are well-formed, need nothing else, and say what is in the explanation, whatever its names are.
func TestPages(t *testing.T) {
	atoms := []Atom{{Atom: "Met('a', '<b>')", Role: RoleObserved, Value: 0.5, File: "met & so.tsv", Line: 7,
		Words: "a met <b>"}}
	e := &Explanation{Atom: "Knows('a', '<script>')", Value: 0.25, Words: "they know each other", BoundForce: 0.125,
		Interval: []float64{0, 0.5},
		Rules:    []RulePush{{Rule: "1: Met(A, B) -> Knows(A, B) ^2", Count: 2, Push: 3}},
		Pushes: []Push{
			{Rule: "1: Met(A, B) -> Knows(A, B) ^2", GroundRule: "1: Met('a', '<b>') -> x", Push: 2, Atoms: atoms},
			{Rule: "1: Met(A, B) -> Knows(A, B) ^2", Count: 5, Push: 1},
		},
		Leaves:          []Leaf{{Kind: leafFact, Name: "Met('a', '<b>')", Value: 0.5, Contribution: 0.25}},
		Counterfactuals: []Counterfactual{{Change: "without Met('a', '<b>')", Value: 0.75, Objective: 2, Gap: 1e-9}},
		Because:         []*Explanation{{Atom: "Knows('c', 'd')", Unique: true}}}
	checkPage(t, e, "Why Knows(&#39;a&#39;, &#39;&lt;script&gt;&#39;)?", "anything from 0 to 0.5", "they know each other",
		"&#43;3", "(2 ground rules)", "Met(&#39;a&#39;, &#39;&lt;b&gt;&#39;) -&gt; x", "observed in met &amp; so.tsv:7",
		"a met &lt;b&gt;", "5 more", "&#43;0.125", "<svg", ">0.75<", "1e-09", "Why Knows(&#39;c&#39;, &#39;d&#39;)?")
	checkPage(t, &Conflict{GroundRules: []Clash{{File: "m.psl", Line: 3, GroundRule: "T('a') <= 0.25 .", Atoms: atoms}}},
		"There is no state", "T(&#39;a&#39;) &lt;= 0.25 .", "written in m.psl:3", "observed in met &amp; so.tsv:7")
}

// checkPage looks for texts on a page.
func checkPage(t *testing.T, e interface{ HTML(w io.Writer) error }, wanted ...string) {
	t.Helper()
	var b bytes.Buffer
	if err := e.HTML(&b); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, b.String())
		}
	}
	for _, text := range wanted {
		if !strings.Contains(b.String(), text) {
			t.Errorf("no %s in %s", text, b.String())
		}
	}
	for _, text := range []string{"<script", "<b>", "src=", "http:", "https:", "ZgotmplZ"} {
		if strings.Contains(strings.ReplaceAll(b.String(), "http://www.w3.org/2000/svg", ""), text) {
			t.Errorf("%s is in %s", text, b.String())
		}
	}
}

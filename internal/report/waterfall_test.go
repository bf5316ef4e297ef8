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

func TestWaterfall(t *testing.T) {
	c := &Waterfall{Title: "Why <this>", Total: "the value", Parts: []Part{
		{"a fact", 0.75}, {strings.Repeat("long ", 40), -0.5}, {"nothing", 0}}}
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"Why &lt;this&gt;", "+0.75", "-0.5", "+0.25", "…"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in the chart:\n%s", want, b.String())
		}
	}
	c.Parts[0].Value = math.NaN()
	if err := c.SVG(io.Discard); err == nil {
		t.Error("a part that is no number was drawn")
	}
}

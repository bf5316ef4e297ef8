package explain

import (
	"bytes"
	"html/template"
	"io"

	"github.com/deeppsl/deeppsl/internal/report"
)

// HTML writes the explanation as a page that needs nothing else: the leaves as a waterfall chart, and the text
// below it.
func (e *Explanation) HTML(w io.Writer) error {
	svg, err := e.Waterfall()
	if err != nil {
		return err
	}
	return writePage(w, "Why "+e.Atom+"?", svg, e)
}

// writePage writes a page with a chart and a text.
func writePage(w io.Writer, title string, chart template.HTML, said interface{ Text(w io.Writer) error }) error {
	var text bytes.Buffer
	if err := said.Text(&text); err != nil {
		return err
	}
	return page.Execute(w, struct {
		Title string
		Chart template.HTML
		Text  string
	}{title, chart, text.String()})
}

// Waterfall draws the leaves, as SVG; "" if there are none.
func (e *Explanation) Waterfall() (template.HTML, error) {
	chart := &report.Waterfall{Title: e.headline(), Total: "the value"}
	rest := 0.0
	for k, leaf := range e.Leaves {
		if k >= shownLeaves {
			rest += leaf.Contribution
		} else if leaf.Contribution != 0 {
			chart.Parts = append(chart.Parts, report.Part{Name: leaf.text(), Value: leaf.Contribution})
		}
	}
	if rest != 0 {
		chart.Parts = append(chart.Parts, report.Part{Name: "the rest", Value: rest})
	}
	if len(chart.Parts) == 0 {
		return "", nil
	}
	var svg bytes.Buffer
	err := chart.SVG(&svg)
	return template.HTML(svg.String()), err // the chart escapes its own text
}

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>body{font-family:sans-serif;margin:2em;max-width:70em}
pre{white-space:pre-wrap;line-height:1.4}svg{max-width:100%}</style>
</head><body><h1>{{.Title}}</h1>
{{.Chart}}
<pre>{{.Text}}</pre>
</body></html>
`))

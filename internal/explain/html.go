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
	var text bytes.Buffer
	svg, err := e.Waterfall()
	if err != nil {
		return err
	}
	if err := e.Text(&text); err != nil {
		return err
	}
	return page.Execute(w, struct {
		Title string
		Chart template.HTML
		Text  string
	}{e.Atom, svg, text.String()})
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
</head><body><h1>Why {{.Title}}?</h1>
{{.Chart}}
<pre>{{.Text}}</pre>
</body></html>
`))

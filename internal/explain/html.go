package explain

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
)

// HTML writes the explanation as a page that needs nothing else: the leaves as a waterfall chart, what pushes the atom,
// with all atoms, the counterfactuals, and the atoms that push.
func (e *Explanation) HTML(w io.Writer) error {
	shown, err := e.forPage()
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{"Title": "Why " + e.Atom + "?", "Explanation": shown})
}

// HTML writes the conflict as a page of the same kind.
func (c *Conflict) HTML(w io.Writer) error {
	return page.Execute(w, map[string]any{"Title": "Why is there no state?", "Conflict": c})
}

// onPage is an explanation with what its page says besides.
type onPage struct {
	*Explanation
	Headline string
	Chart    template.HTML
	Because  []*onPage
}

func (e *Explanation) forPage() (*onPage, error) {
	chart, err := e.Waterfall()
	out := &onPage{Explanation: e, Headline: e.headline(), Chart: chart}
	for _, below := range e.Because {
		shown, failed := below.forPage()
		if failed != nil {
			return nil, failed
		}
		out.Because = append(out.Because, shown)
	}
	return out, err
}

// Waterfall draws the leaves, as SVG; "" if there are none.
func (e *Explanation) Waterfall() (template.HTML, error) {
	chart := &report.Waterfall{Title: e.headline(), Total: "the value"}
	rest := 0.0
	for k, leaf := range e.Leaves {
		if k >= shownLeaves {
			rest += leaf.Contribution
		} else if leaf.Contribution != 0 {
			chart.Parts = append(chart.Parts, report.Part{Name: leaf.String(), Value: leaf.Contribution})
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

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"signed": func(v float64) string { return fmt.Sprintf("%+.4g", v) },
	"number": func(v float64) string { return fmt.Sprintf("%.4g", v) },
	"gap":    func(v float64) string { return fmt.Sprintf("%.0e", v) },
	"count":  func(n int) string { return source.Count(n, "ground rule") },
}).Parse(pageText))

package inspect

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/report"
)

// A page is what one address shows.
type page struct {
	// Name is that of its template, Title its headline.
	Name, Title string
	Data        any
}

//go:embed pages
var files embed.FS

// A view makes pages of one kind: those of a site, or the parts of a file to mail.
type view struct {
	templates *template.Template
	// link returns the address of a page, and "" for one that the view has not; the query is names and values by turns.
	link func(page string, query ...string) template.URL
}

// newView parses the templates; live tells a site, whose forms work, from a file.
func newView(live bool, link func(page string, query ...string) template.URL) *view {
	v := &view{link: link}
	v.templates = template.Must(template.New("").Funcs(template.FuncMap{
		"link":    link,
		"atom":    v.atom,
		"graph":   v.graph,
		"live":    func() bool { return live },
		"num":     number,
		"seconds": func(s float64) string { return strconv.FormatFloat(s, 'g', 2, 64) },
		"percent": func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) },
		"count":   grouped[int],
		"count64": grouped[int64],
		"join":    strings.Join,
		"base":    filepath.Base,
	}).ParseFS(files, "pages/*.html"))
	return v
}

func (v *view) atom(name string) template.URL { return v.link("atom", "name", name) }

// graph draws what pushes an atom, with links.
func (v *view) graph(g report.Graph) (template.HTML, error) {
	for k := range g.Nodes {
		g.Nodes[k].Link = string(v.atom(g.Nodes[k].Name))
	}
	var b bytes.Buffer
	err := g.SVG(&b)
	return template.HTML(b.String()), err // a graph escapes its own text
}

// content makes what is special about a page.
func (v *view) content(p *page) (template.HTML, error) {
	var b bytes.Buffer
	err := v.templates.ExecuteTemplate(&b, p.Name, p.Data)
	return template.HTML(b.String()), err // of a template
}

// site is the view of pages under their addresses.
var site = newView(true, address)

// address is that of a page on a site.
func address(page string, query ...string) template.URL {
	if page == "overview" {
		page = ""
	}
	values := make(url.Values)
	for k := 0; k+1 < len(query); k += 2 {
		if query[k+1] != "" {
			values.Add(query[k], query[k+1])
		}
	}
	if len(values) == 0 {
		return template.URL("/" + page)
	}
	return template.URL("/" + page + "?" + values.Encode())
}

// number prints a value with as many digits as can be looked at.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// grouped prints a count with its thousands apart.
func grouped[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "\u202f" + text[at:]
	}
	return text
}

// frame is what the layout shows around a page.
type frame struct {
	Project string
	Pages   []page // those of the menu
	Page    page
	Content template.HTML
}

// menu are the pages that every other one links to.
var menu = []page{
	{Name: "overview", Title: "Overview"}, {Name: "atoms", Title: "Atoms"}, {Name: "tense", Title: "Costly ground rules"},
	{Name: "errors", Title: "Errors"}, {Name: "networks", Title: "Networks"}, {Name: "messages", Title: "Messages"},
}

// write writes a page of the site with all around it.
func (s *Site) write(w io.Writer, p *page) error {
	content, err := site.content(p)
	if err != nil {
		return err
	}
	return site.templates.ExecuteTemplate(w, "layout", frame{s.title, menu, *p, content})
}

package inspect

import (
	"context"
	"html/template"
	"io"
	"net/url"
	"strconv"
)

// The most that a file has of each kind of page.
const (
	exportedRules = 200
	exportedAtoms = 5 // by predicate, of the largest values and of the surest errors
)

// part is a page within a file.
type part struct {
	ID, Title string
	Content   template.HTML
}

// wanted is a page that a file is to have.
type wanted struct {
	name  string
	query []string // names and values by turns
}

// Export writes one file that has the pages of the answer, of its rules and of the atoms that matter most, and needs
// nothing else.
func (s *Site) Export(ctx context.Context, w io.Writer) error {
	s.whole = true
	all, err := s.exported(ctx)
	if err != nil {
		return err
	}
	ids := make(map[template.URL]string, len(all)) // by the address on a site
	for k, p := range all {
		if at := address(p.name, p.query...); ids[at] == "" {
			ids[at] = "page-" + strconv.Itoa(k)
		}
	}
	mailed := newView(false, func(name string, query ...string) template.URL {
		if id := ids[address(name, query...)]; id != "" {
			return template.URL("#" + id)
		}
		return ""
	})
	var parts []part
	for k, p := range all {
		id := "page-" + strconv.Itoa(k)
		if ids[address(p.name, p.query...)] != id { // it is there already
			continue
		}
		made, err := makers[p.name](s, ctx, p.values())
		if err != nil {
			return err
		}
		content, err := mailed.content(made)
		if err != nil {
			return err
		}
		parts = append(parts, part{id, made.Title, content})
	}
	style, err := files.ReadFile("pages/style.css")
	if err != nil {
		return err
	}
	return mailed.templates.ExecuteTemplate(w, "file", struct {
		Project string
		Style   template.CSS
		Menu    []page
		Parts   []part
	}{s.title, template.CSS(style), menu, parts})
}

// exported lists the pages of a file.
func (s *Site) exported(ctx context.Context) (all []wanted, err error) {
	for _, p := range menu {
		all = append(all, wanted{name: p.Name})
	}
	for k := range min(len(s.grounding.Program.Rules), exportedRules) {
		all = append(all, wanted{"rule", []string{"n", strconv.Itoa(k)}})
	}
	for _, p := range s.predicates {
		all = append(all, wanted{"atoms", []string{"predicate", p.Predicate}})
		l := &listing{Predicate: p.Predicate, Order: byValue}
		if err := s.find(ctx, l); err != nil {
			return nil, err
		}
		for _, a := range l.Atoms[:min(len(l.Atoms), exportedAtoms)] {
			all = append(all, wanted{"atom", []string{"name", a.Atom}})
		}
	}
	wrong, err := s.mistaken(ctx)
	for _, p := range wrong {
		for _, m := range p.Mistakes[:min(len(p.Mistakes), exportedAtoms)] {
			all = append(all, wanted{"atom", []string{"name", m.Atom}})
		}
	}
	return all, err
}

// values are the query as a request has it.
func (p *wanted) values() url.Values {
	values := make(url.Values)
	for k := 0; k+1 < len(p.query); k += 2 {
		values.Set(p.query[k], p.query[k+1])
	}
	return values
}

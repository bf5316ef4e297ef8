package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// atomPage is what is shown of one atom.
type atomPage struct {
	Atom  string
	Value float64
	Role  string
	// Explanation is nil of atoms that are not inferred.
	Explanation *explain.Explanation
	Waterfall   template.HTML
	Graph       report.Graph
	// Size is how many atoms the drawing may have, of the Sizes that there are.
	Size  string
	Sizes []string
	// Whole says that all is to be explained, however many others are tied to the atom.
	Whole bool
	// Fact and To are what the form asked for, Found is what the atom would be then, and Refused why it cannot be said.
	Fact, To string
	Found    *explain.Counterfactual
	Refused  string
}

// atom is the page of an atom: why it has its value, and what if a fact had another one.
func (s *Site) atom(ctx context.Context, query url.Values) (*page, error) {
	predicate, arguments, err := readAtom(query.Get("name"))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errMissing, err)
	}
	p := &atomPage{Fact: query.Get("fact"), To: query.Get("to"), Size: query.Get("nodes"), Sizes: drawnAtoms,
		Whole: query.Get("whole") != ""}
	if !slices.Contains(p.Sizes, p.Size) {
		p.Size = p.Sizes[1]
	}
	err = s.explaining(func(g *session.Grounding, x *session.Explainer) error {
		atoms, row, err := g.Row(predicate, arguments)
		if err != nil || row < 0 {
			return fmt.Errorf("%w: there is no atom %s", errMissing, query.Get("name"))
		}
		p.Atom, p.Role = g.Tables.Store.Atom(atoms, row), atoms.Role(row).String()
		switch atoms.Role(row) {
		case relation.Observed:
			p.Value = atoms.Value(row)
			return nil
		case relation.Perceived:
			p.Value = session.FreeValue(s.answer, atoms, row)
			return nil
		}
		return s.explain(ctx, x, p, predicate, arguments)
	})
	if err != nil {
		return nil, err
	}
	return &page{Name: "atom", Title: p.Atom, Data: p}, nil
}

// explain fills a target's page.
func (s *Site) explain(ctx context.Context, x *session.Explainer, p *atomPage, predicate string, arguments []string) (
	err error) {
	nodes, err := strconv.Atoi(p.Size)
	if err != nil {
		return err
	}
	shown := explain.Options{Depth: 1, Shown: max(20, nodes/4), Drawn: drawnPushes(nodes)}
	if !s.whole && !p.Whole && p.Fact == "" {
		shown.Within = tied
	}
	if p.Explanation, err = x.Explain(ctx, shown, predicate, arguments...); err != nil {
		return err
	}
	p.Value = p.Explanation.Value
	if !p.Explanation.Wide {
		if p.Waterfall, err = p.Explanation.Waterfall(); err != nil {
			return err
		}
	}
	p.Graph = neighbours(p.Explanation, nodes)
	if p.Fact == "" {
		return nil
	}
	if p.Found, err = s.whatIf(ctx, x, p); err != nil {
		p.Refused = err.Error()
	}
	return nil
}

// whatIf answers the form.
func (s *Site) whatIf(ctx context.Context, x *session.Explainer, p *atomPage) (*explain.Counterfactual, error) {
	to := -1.0 // not there
	if p.To != "" {
		var err error
		if to, err = strconv.ParseFloat(p.To, 64); err != nil || !(to >= 0 && to <= 1) {
			return nil, errors.New("a truth value is a number from 0 to 1")
		}
	}
	predicate, arguments, err := readAtom(p.Fact)
	if err != nil {
		return nil, err
	}
	return x.WithFact(ctx, p.Explanation, to, predicate, arguments...)
}

// readAtom reads an atom with constants for all arguments.
func readAtom(text string) (predicate string, arguments []string, err error) {
	atom, err := syntax.ReadAtom(text)
	if err != nil || atom == nil {
		return "", nil, fmt.Errorf("%q is no atom: write one as Predicate('a', 'b')", text)
	}
	return atom.Name, atom.Texts(), nil
}

// tied is in how many ground rules the atoms are that may be tied to one for its page to explain it whole at once.
const tied = 20_000

// drawnAtoms is how many atoms a drawing may have: one to glance at, one to read, and one to look around in.
var drawnAtoms = []string{"20", "50", "200"}

// shownPremises is how many atoms of a push a drawing has at most.
const shownPremises = 4

// drawnPushes is how many pushes on one atom a drawing of so many atoms has at most.
func drawnPushes(nodes int) int { return max(8, nodes/4) }

// neighbours is a drawing of the atoms that push an atom, and of those that push these: so many of them.
func neighbours(e *explain.Explanation, nodes int) report.Graph {
	g := report.Graph{Title: "What pushes " + e.Atom, Nodes: []report.Node{{Name: e.Atom, Value: e.Value}}}
	places := map[string]int{e.Atom: 0}
	add := func(from *explain.Explanation, to, column int) {
		alone := slices.DeleteFunc(slices.Clone(from.Pushes), func(p explain.Push) bool { return p.Count > 0 })
		for _, push := range alone[:min(len(alone), drawnPushes(nodes))] {
			for _, a := range premises(push, from.Atom) {
				at, known := places[a.Atom]
				if !known && len(g.Nodes) < nodes {
					at = len(g.Nodes)
					places[a.Atom] = at
					g.Nodes = append(g.Nodes, report.Node{Name: a.Atom, Value: a.Value, Column: column})
				}
				if at > 0 && g.Nodes[at].Column == column { // what leads back is in the table
					g.Edges = append(g.Edges, report.Edge{From: at, To: to, Weight: push.Push})
				}
			}
		}
	}
	add(e, 0, 1)
	for _, because := range e.Because {
		if at, known := places[because.Atom]; known && at > 0 {
			add(because, at, 2)
		}
	}
	return g
}

// premises are the other atoms of a push that are truest.
func premises(push explain.Push, atom string) []explain.Atom {
	others := slices.DeleteFunc(slices.Clone(push.Atoms), func(a explain.Atom) bool {
		return a.Atom == atom || a.Role == explain.RoleAbsent || a.Role == explain.RoleComputed
	})
	slices.SortStableFunc(others, func(a, b explain.Atom) int { return -cmp.Compare(a.Value, b.Value) })
	return others[:min(len(others), shownPremises)]
}

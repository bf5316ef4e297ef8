package syntax

// Substitute returns a rule in which the named variables are replaced by constants. Summation variables stay.
func Substitute(rule *Rule, constants map[string]string) *Rule {
	s := substitution(constants)
	out := *rule
	if rule.Logical != nil {
		out.Logical = &Logical{Body: s.literals(rule.Logical.Body), Head: s.literals(rule.Logical.Head)}
	}
	if a := rule.Arithmetic; a != nil {
		out.Arithmetic = &Arithmetic{Op: a.Op, Left: s.expression(a.Left), Right: s.expression(a.Right)}
	}
	if rule.Weight.Atom != nil {
		out.Weight.Atom = s.atom(rule.Weight.Atom)
	}
	out.Filters = make([]Filter, len(rule.Filters))
	for k, f := range rule.Filters {
		f.Where = s.expression(f.Where)
		out.Filters[k] = f
	}
	return &out
}

// substitution holds constants by the names of variables.
type substitution map[string]string

func (s substitution) literals(list []Literal) []Literal {
	out := make([]Literal, len(list))
	for k, l := range list {
		if l.Atom != nil {
			l.Atom = s.atom(l.Atom)
		}
		if l.Comparison != nil {
			l.Comparison = s.comparison(l.Comparison)
		}
		out[k] = l
	}
	return out
}

func (s substitution) expression(e Expr) Expr {
	switch e := e.(type) {
	case *Atom:
		return s.atom(e)
	case *Comparison:
		return s.comparison(e)
	case *Unary:
		return &Unary{Span: e.Span, Op: e.Op, X: s.expression(e.X)}
	case *Binary:
		return &Binary{Span: e.Span, Op: e.Op, X: s.expression(e.X), Y: s.expression(e.Y)}
	}
	return e
}

func (s substitution) atom(a *Atom) *Atom {
	out := *a
	out.Args = make([]Term, len(a.Args))
	for k, t := range a.Args {
		out.Args[k] = s.term(t)
	}
	return &out
}

func (s substitution) comparison(c *Comparison) *Comparison {
	return &Comparison{Span: c.Span, Op: c.Op, Left: s.term(c.Left), Right: s.term(c.Right)}
}

func (s substitution) term(t Term) Term {
	if constant, bound := s[t.Text]; bound && !t.Constant && !t.Sum {
		t.Text, t.Constant = constant, true
	}
	return t
}

package program

import (
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// scope is the compilation of one rule: its variables, and the rule as far as it is done.
type scope struct {
	c       *compiler
	rule    *Rule
	numbers map[string]int // of the variables, by name
	uses    []use          // by variable
	sum     int            // the summation variable that may be used as it is, in its filter; -1 elsewhere
	failed  bool           // an error was reported
	partial bool           // an atom could not be resolved, so that not all variables are known
	// derivation says that the rule defines its head, whose atoms are not there yet.
	derivation bool
}

// use says where a variable got its type.
type use struct {
	span  source.Span
	typed bool
}

// scope starts the compilation of a rule.
func (c *compiler) scope(parsed *syntax.Rule) *scope {
	rule := &Rule{Written: parsed, Span: parsed.Span, Text: syntax.Print(parsed), Exponent: parsed.Exponent}
	return &scope{c: c, rule: rule, numbers: make(map[string]int), sum: -1, derivation: parsed.Derivation}
}

// errorf reports an error, which makes the rule void.
func (s *scope) errorf(id string, span source.Span, hint, format string, args ...any) {
	s.failed = true
	s.c.diags.Errorf(id, span, hint, format, args...)
}

// atom resolves an atom of the template and declares its variables.
func (s *scope) atom(a *syntax.Atom) Atom { return s.resolve(a, true) }

// lookup resolves an atom that only looks a value up, for purpose: it must be closed and brings no variables.
func (s *scope) lookup(a *syntax.Atom, purpose string) Atom {
	atom := s.resolve(a, false)
	if atom.Predicate >= 0 {
		s.requireClosed(atom.Predicate, a.NameSpan(), purpose)
	}
	return atom
}

// requireClosed insists on values that are known when the model is ground: a filter decides which atoms a potential
// has, and a weight has to stay what it is while the values are found.
func (s *scope) requireClosed(predicate int, span source.Span, purpose string) {
	p := s.c.program.Predicates[predicate]
	switch {
	case p.Given:
		s.errorf("not-closed", span, "only observed predicates may stand here",
			"%s needs observed values, and those of %s may change", purpose, p.Name)
	case p.Perceived:
		s.errorf("not-closed", span, "only observed predicates may stand here",
			"%s needs observed values, and %s is computed by a network", purpose, p.Name)
	case !p.Closed:
		s.errorf("not-closed", span, "only predicates without targets may stand here",
			"%s needs observed values, and %s has targets", purpose, p.Name)
	}
}

// resolve finds the predicate of an atom and its terms. Predicate is -1 if there is none that fits.
func (s *scope) resolve(a *syntax.Atom, declare bool) Atom {
	atom := Atom{Span: a.Span, Predicate: s.predicate(a), Args: make([]Term, len(a.Args))}
	if atom.Predicate < 0 {
		s.partial = true
		return atom
	}
	for k, t := range a.Args {
		typ := s.c.program.Predicates[atom.Predicate].Types[k]
		if declare && !t.Constant {
			atom.Args[k] = s.declared(t, typ)
		} else {
			atom.Args[k] = s.known(t, typ)
		}
	}
	return atom
}

// predicate returns the number of an atom's predicate, or -1 after an error.
func (s *scope) predicate(a *syntax.Atom) int {
	number, ok := s.c.numbers[strings.ToLower(a.Name)]
	if !ok {
		s.errorf("unknown-predicate", a.NameSpan(), s.c.suggest(a.Name), "unknown predicate %s", a.Name)
		return -1
	}
	if p := s.c.program.Predicates[number]; len(a.Args) != p.Arity() {
		s.errorf("wrong-arity", a.Span, "", "%s takes %s, not %d",
			p.Name, source.Count(p.Arity(), "argument"), len(a.Args))
		return -1
	}
	return number
}

// declared resolves a variable in an atom of the template, and numbers it if it is new. Summation variables have been
// numbered before, so that an unknown one is in a logical rule, where nothing is summed.
func (s *scope) declared(t syntax.Term, typ Type) Term {
	v, known := s.numbers[t.Text]
	switch {
	case !known && t.Sum:
		s.errorf("bad-summation", t.Span, "sums belong into arithmetic rules, with =, <= or >=",
			"a summation variable in a logical rule")
		return noTerm
	case !known:
		v = s.declare(t, false)
	case s.rule.Variables[v].Summation != t.Sum:
		s.errorf("bad-summation", t.Span, "give one of the two another name",
			"%s is both summed over and an ordinary variable", t.Text)
	}
	s.setType(v, typ, t.Span)
	return Term{Variable: v}
}

// noTerm stands for a term with an error.
var noTerm = Term{Variable: -1}

// known resolves a constant, or a variable that the template has declared.
func (s *scope) known(t syntax.Term, typ Type) Term {
	if t.Constant {
		return s.constant(t, typ)
	}
	v, known := s.numbers[t.Text]
	if !known {
		s.unbound(t)
		return noTerm
	}
	switch {
	case t.Sum:
		s.errorf("bad-summation", t.Span, "write "+t.Text, "nothing is summed here")
	case s.rule.Variables[v].Summation && v != s.sum:
		s.errorf("bad-summation", t.Span, "only a filter {"+t.Text+": ...} may speak of its values",
			"%s is summed over and has no single value here", t.Text)
	}
	s.setType(v, typ, t.Span)
	return Term{Variable: v}
}

// declare numbers a variable.
func (s *scope) declare(t syntax.Term, summation bool) int {
	v := len(s.uses)
	s.numbers[t.Text] = v
	s.uses = append(s.uses, use{span: t.Span})
	s.rule.Variables = append(s.rule.Variables, Variable{Name: t.Text, Summation: summation})
	return v
}

// setType gives variable v the type that its place at span demands.
func (s *scope) setType(v int, typ Type, span source.Span) {
	variable := &s.rule.Variables[v]
	if !s.uses[v].typed {
		s.uses[v], variable.Type = use{span: span, typed: true}, typ
		return
	}
	if variable.Type != typ {
		s.errorf("type-conflict", span, "the types of a predicate's arguments are part of its declaration",
			"%s is of type %s here, but of type %s at %s", variable.Name, typ, variable.Type, s.uses[v].span)
	}
}

// unbound reports a variable that nothing gives values to, unless the atom that does may be the one with an error.
func (s *scope) unbound(t syntax.Term) {
	s.failed = true
	if s.partial {
		return
	}
	hint := source.Suggest(t.Text, s.variableNames())
	if hint == "" && s.sum >= 0 {
		hint = "a filter gives none; for a sum of each of its values, write 0 * P(" + t.Text + ") + ... in front"
	}
	s.errorf("unsafe-variable", t.Span, hint, "no atom of the rule gives values to %s", t.Text)
}

// variableNames returns what an unknown variable may have been meant to be.
func (s *scope) variableNames() []string {
	names := make([]string, len(s.rule.Variables))
	for k, v := range s.rule.Variables {
		names[k] = v.Name
	}
	return names
}

// constant resolves a constant to the spelling that the data's constants have too.
func (s *scope) constant(t syntax.Term, typ Type) Term {
	text, err := typ.Canonical(t.Text)
	if err != nil {
		s.errorf("bad-constant", t.Span, "the argument's type is "+typ.String(), "%s", err)
	}
	return Term{Variable: -1, Constant: text}
}

// condition resolves a comparison of terms, whose variables the atoms have declared. A constant has the type of the
// variable that it is compared with; two constants are compared as strings.
func (s *scope) condition(x *syntax.Comparison) Condition {
	typ := String
	for _, t := range []syntax.Term{x.Left, x.Right} {
		if v, ok := s.numbers[t.Text]; ok && !t.Constant {
			typ = s.rule.Variables[v].Type
			break
		}
	}
	return Condition{
		Span: x.Span, Op: relops[x.Op], Left: s.known(x.Left, typ), Right: s.known(x.Right, typ), Type: typ,
	}
}

// relops translates the comparisons of terms.
var relops = map[syntax.Operator]Relop{syntax.Same: Same, syntax.Different: Different, syntax.Before: Before}

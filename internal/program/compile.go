package program

import (
	"cmp"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Compile resolves and reduces rules. Rules with errors are left out of the program and reported, and so are those that
// repeat another one.
func Compile(predicates []*Predicate, rules []*syntax.Rule, diags *source.Diagnostics) *Program {
	c := newCompiler(predicates, diags)
	for _, parsed := range rules {
		if rule := c.rule(parsed); rule != nil && !c.repeats(rule) {
			rule.unify()
			rule.Index = len(c.program.Rules)
			c.program.Rules = append(c.program.Rules, rule)
		}
	}
	return c.program
}

// CompileDerivation resolves the definition of a derived relation. The last of the rule's atoms is the head, which
// does not generate; those before it are the body: positive atoms generate, negated ones have a coefficient of -1 and
// are looked up. All predicates of the body are closed, or, where targets are derived, networks compute them. It
// returns nil if it reported an error.
func CompileDerivation(predicates []*Predicate, parsed *syntax.Rule, targets bool, diags *source.Diagnostics) *Rule {
	c := newCompiler(predicates, diags)
	s := c.scope(parsed)
	s.logical(parsed.Logical)
	if !s.failed {
		s.checkDerivation(targets)
	}
	if s.failed {
		return nil
	}
	s.rule.unify()
	return s.rule
}

// compiler holds what the rules of a program share.
type compiler struct {
	program *Program
	diags   *source.Diagnostics
	numbers map[string]int         // of the predicates, by lower-case name
	names   []string               // of the predicates
	seen    map[string]source.Span // by what makes rules the same
	alike   map[string]source.Span // by what they say
	unknown int                    // how many names of predicates were not known
}

// maxSuggestions is for how many unknown names a similar one is looked for among all.
const maxSuggestions = 100

// suggest returns the hint about an unknown name.
func (c *compiler) suggest(name string) string {
	if c.unknown++; c.unknown > maxSuggestions {
		return ""
	}
	return cmp.Or(source.Suggest(name, c.names), "give it rows, or declare it, which makes it 0 everywhere")
}

// newCompiler numbers the predicates by their names, in lower case: Java PSL prints them in upper case, and models mix
// the spellings.
func newCompiler(predicates []*Predicate, diags *source.Diagnostics) *compiler {
	c := &compiler{
		program: &Program{Predicates: predicates},
		diags:   diags,
		numbers: make(map[string]int),
		seen:    make(map[string]source.Span),
		alike:   make(map[string]source.Span),
	}
	for k, p := range predicates {
		c.numbers[strings.ToLower(p.Name)] = k
		c.names = append(c.names, p.Name)
	}
	return c
}

// rule compiles one rule, and returns nil if it has errors. The body comes first, since it declares the variables that
// filters and weights may use; all are compiled even after an error, so that one run reports as much as it can.
func (c *compiler) rule(parsed *syntax.Rule) *Rule {
	s := c.scope(parsed)
	if parsed.Logical != nil {
		s.logical(parsed.Logical)
		s.rejectFilters(parsed.Filters)
	} else {
		s.arithmetic(parsed.Arithmetic)
		s.filters(parsed.Filters)
	}
	s.weight(parsed)
	s.warnGreedy(parsed)
	if s.failed {
		return nil
	}
	s.checkMeaning()
	if s.failed {
		return nil
	}
	return s.rule
}

// warnGreedy reports a rule that Java PSL's grammar reads in another way.
func (s *scope) warnGreedy(parsed *syntax.Rule) {
	if parsed.Arithmetic == nil || parsed.Arithmetic.Greedy == nil {
		return
	}
	other := *parsed
	other.Arithmetic = parsed.Arithmetic.Greedy
	s.c.diags.Warnf("greedy-coefficient", parsed.Span,
		"put parentheses around what belongs together, as in 1 - (0.5 * P(X)), or read all rules as Java PSL does with "+
			"-D rules.greedy=true",
		"Java PSL reads this as %s", syntax.Print(&other))
}

// weight compiles the rule's weight; its body has been compiled, so that all variables are known.
func (s *scope) weight(parsed *syntax.Rule) {
	w := parsed.Weight
	s.rule.Weight = Weight{Hard: w.Hard, Value: w.Number.Value, Fixed: w.Fixed}
	if w.Hard {
		s.rule.Form = Hinge
		if parsed.Exponent == 2 {
			s.errorf("hard-squared", parsed.Span, "leave out ^2, or give the rule a weight",
				"a hard rule has no penalty that could be squared")
		}
		return
	}
	if w.Number.Value < 0 {
		s.errorf("negative-weight", w.Span, "negate the rule instead: a penalty on !P(X) rewards P(X)",
			"a weight cannot be negative: the energy would not be convex, and its minimum not unique or not found")
	}
	if w.Atom != nil {
		atom := s.lookup(w.Atom, "a weight")
		s.rule.Weight.Atom = &atom
	}
}

// checkDerivation insists on closed predicates, and on a head that its own body does not use. Targets may follow from
// what a network sees, whatever that will be: they are asked for wherever it sees.
func (s *scope) checkDerivation(targets bool) {
	last := len(s.rule.Atoms) - 1
	head := s.rule.Atoms[last].Predicate
	for _, a := range s.rule.Atoms[:last] {
		if s.c.program.Predicates[a.Predicate].Perceived {
			if targets && a.Coef.Number > 0 {
				continue
			}
			seen, derived := a.Span.Text(), s.rule.Atoms[last].Span.Text()
			hint := "say by observed predicates which atoms there are, and by a rule what they are worth: "
			s.errorf("not-closed", a.Span, hint+seen+" = "+derived+" .",
				"a network says how true %s is, and not which atoms there are", seen)
			continue
		}
		s.requireClosed(a.Predicate, a.Span, "the body of a derivation")
		if a.Predicate == head {
			s.errorf("recursive-derivation", a.Span, "derive one step at a time, each into a relation of its own",
				"%s cannot be derived from itself", s.c.names[head])
		}
	}
}

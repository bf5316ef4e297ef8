package program

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Print writes every rule as it was written, followed by what it means: the function that is minimised or the
// constraint, the atoms that are enumerated, the conditions and the sums.
func (p *Program) Print(w io.Writer) error {
	var b strings.Builder
	for _, r := range p.Rules {
		pr := printer{program: p, rule: r}
		fmt.Fprintf(&b, "rule %d: %s\n", r.Index+1, r.Text)
		pr.line(&b, "variables", pr.variables())
		pr.line(&b, pr.goal(), pr.template())
		pr.line(&b, "enumerate", pr.generators())
		pr.line(&b, "where", pr.conditions())
		for _, sum := range r.Sums {
			pr.line(&b, "sum", pr.sum(sum))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printer writes the parts of one rule.
type printer struct {
	program *Program
	rule    *Rule
	filter  bool // inside a filter, where a summation variable stands for one value
}

// line writes one aligned line, or nothing if there is nothing to say.
func (p printer) line(b *strings.Builder, title, text string) {
	if text != "" {
		fmt.Fprintf(b, "    %-11s%s\n", title, text)
	}
}

// variables lists the variables with their types.
func (p printer) variables() string {
	texts := make([]string, len(p.rule.Variables))
	for k, v := range p.rule.Variables {
		texts[k] = v.Name + " " + v.Type.String()
	}
	return strings.Join(texts, ", ")
}

// goal says whether the template is a penalty or a constraint.
func (p printer) goal() string {
	if p.rule.Weight.Hard {
		return "subject to"
	}
	return "minimise"
}

// template writes weight * max(0, sum)^exponent, or the constraint on the sum.
func (p printer) template() string {
	r, text := p.rule, p.linear()
	if r.Weight.Hard {
		return text + [...]string{LessEqual: " <= 0", Equal: " = 0"}[r.Comparator]
	}
	text = [...]string{Hinge: "max(0, %s)", Absolute: "|%s|", Linear: "(%s)"}[r.Form]
	text = strings.Replace(text, "%s", p.linear(), 1)
	if r.Exponent == 2 {
		text += "^2"
	}
	return p.weight() + " * " + text
}

// weight writes what each ground rule counts.
func (p printer) weight() string {
	text := formatNumber(p.rule.Weight.Value)
	if p.rule.Weight.Fixed {
		text = "fixed " + text
	}
	if p.rule.Weight.Atom != nil {
		text += " * " + p.atom(*p.rule.Weight.Atom)
	}
	return text
}

// linear writes the template's sum.
func (p printer) linear() string {
	var b strings.Builder
	for _, a := range p.rule.Atoms {
		p.add(&b, a.Coef, p.atom(a))
	}
	if !isNumber(p.rule.Constant, 0) || b.Len() == 0 {
		p.add(&b, p.rule.Constant, "")
	}
	return b.String()
}

// add appends one summand, with its sign as the operator.
func (p printer) add(b *strings.Builder, coef Expr, atom string) {
	plus, minus := " + ", " - "
	if b.Len() == 0 {
		plus, minus = "", "-"
	}
	switch {
	case coef.Op == Number && coef.Number < 0:
		b.WriteString(minus)
		coef = negate(coef)
	case coef.Op == Multiply && isNumber(coef.Args[0], -1):
		b.WriteString(minus)
		coef = coef.Args[1]
	default:
		b.WriteString(plus)
	}
	switch {
	case atom == "":
		b.WriteString(p.expr(coef))
	case isNumber(coef, 1):
		b.WriteString(atom)
	default:
		b.WriteString(p.expr(coef) + " * " + atom)
	}
}

var operatorSigns = [...]string{Add: "+", Subtract: "-", Multiply: "*", Divide: "/", Min: "@Min", Max: "@Max"}

// expr writes a coefficient with all its parentheses.
func (p printer) expr(e Expr) string {
	switch e.Op {
	case Number:
		return formatNumber(e.Number)
	case Cardinality:
		return "|" + p.rule.Variables[e.Variable].Name + "|"
	case Min, Max:
		return fmt.Sprintf("%s[%s, %s]", operatorSigns[e.Op], p.expr(e.Args[0]), p.expr(e.Args[1]))
	}
	return fmt.Sprintf("(%s %s %s)", p.expr(e.Args[0]), operatorSigns[e.Op], p.expr(e.Args[1]))
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// atom writes an atom with its predicate's declared name.
func (p printer) atom(a Atom) string {
	args := make([]string, len(a.Args))
	for k, t := range a.Args {
		args[k] = p.term(t)
	}
	return p.program.Predicates[a.Predicate].Name + "(" + strings.Join(args, ", ") + ")"
}

// term writes a variable, with the + of a summation, or a constant.
func (p printer) term(t Term) string {
	if !t.IsVariable() {
		return syntax.Quote(t.Constant)
	}
	v := p.rule.Variables[t.Variable]
	if v.Summation && !p.filter {
		return "+" + v.Name
	}
	return v.Name
}

// generators lists the atoms whose rows are joined.
func (p printer) generators() string {
	var texts []string
	for _, a := range p.rule.Atoms {
		if a.Generates {
			texts = append(texts, p.atom(a))
		}
	}
	return strings.Join(texts, ", ")
}

func (p printer) conditions() string {
	texts := make([]string, len(p.rule.Conditions))
	for k, c := range p.rule.Conditions {
		texts[k] = p.condition(c)
	}
	return strings.Join(texts, ", ")
}

func (p printer) condition(c Condition) string {
	op := [...]string{Same: "==", Different: "!=", Before: "%", NotBefore: "!%"}[c.Op]
	return p.term(c.Left) + " " + op + " " + p.term(c.Right)
}

// sum says which values are summed.
func (p printer) sum(s Sum) string {
	text := fmt.Sprintf("%s of %s", p.rule.Variables[s.Variable].Name, p.atom(p.rule.Atoms[s.Atom]))
	p.filter = true
	var alternatives []string
	for _, conjunction := range s.Filter {
		texts := make([]string, len(conjunction))
		for k, l := range conjunction {
			texts[k] = p.literal(l)
		}
		alternatives = append(alternatives, strings.Join(texts, " & "))
	}
	if len(alternatives) > 0 {
		text += " where " + strings.Join(alternatives, " | ")
	}
	return text
}

func (p printer) literal(l Literal) string {
	text := ""
	if l.Atom != nil {
		text = p.atom(*l.Atom)
	} else {
		text = "(" + p.condition(*l.Condition) + ")"
	}
	if l.Negated {
		return "!" + text
	}
	return text
}

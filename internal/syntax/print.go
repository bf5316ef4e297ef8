package syntax

import (
	"fmt"
	"strings"
)

// Print returns the rule in canonical form, on one line. Parsing what it returns gives the same rule.
func Print(rule *Rule) string {
	var p printer
	p.rule(rule)
	return p.b.String()
}

// printer writes a rule and notes the spaces at which the line may be broken.
type printer struct {
	b      strings.Builder
	breaks []int
}

// write appends text without a break.
func (p *printer) write(parts ...string) {
	for _, part := range parts {
		p.b.WriteString(part)
	}
}

// space writes a space that may become a line break. All of them precede an operator or a filter, because a line that
// begins with anything else begins a rule.
func (p *printer) space() {
	p.breaks = append(p.breaks, p.b.Len())
	p.write(" ")
}

// rule writes all of a rule, in the order in which the parser reads it.
func (p *printer) rule(r *Rule) {
	p.weight(r.Weight)
	switch {
	case r.Arithmetic != nil:
		p.expression(r.Arithmetic.Left, AtMost.precedence()+1)
		p.operator(r.Arithmetic.Op)
		p.expression(r.Arithmetic.Right, AtMost.precedence()+1)
	case r.Derivation:
		p.literals(r.Logical.Head, Or)
		p.operator(Follows)
		p.literals(r.Logical.Body, And)
	default:
		if len(r.Logical.Body) > 0 {
			p.literals(r.Logical.Body, And)
			p.operator(Implies)
		}
		p.literals(r.Logical.Head, Or)
	}
	if r.Exponent == 2 {
		p.write(" ^2")
	}
	if r.Weight.Hard {
		p.write(" .")
	}
	for _, f := range r.Filters {
		p.space()
		p.write("{", f.Variable.Text, ": ")
		p.expression(f.Where, 0)
		p.write("}")
	}
}

// weight writes a number as the user spelled it: 1.0 and 1 are the same weight and not the same text.
func (p *printer) weight(w Weight) {
	if w.Fixed {
		p.write("fixed ")
	}
	p.write(w.Number.Text)
	if w.Atom != nil {
		if w.Number.Text != "" {
			p.write(" * ")
		}
		p.write(w.Atom.String())
	}
	if w.Atom != nil || w.Number.Text != "" {
		p.write(": ")
	}
}

// operator writes a binary operator between spaces.
func (p *printer) operator(op Operator) {
	p.space()
	p.write(op.String(), " ")
}

// literals writes a conjunction or a disjunction.
func (p *printer) literals(list []Literal, op Operator) {
	for k, l := range list {
		if k > 0 {
			p.operator(op)
		}
		p.write(l.String())
	}
}

// expression writes e, in parentheses if its operator binds less tightly than least.
func (p *printer) expression(e Expr, least int) {
	switch e := e.(type) {
	case *Number:
		p.write(e.Text)
	case *Unary:
		p.write(e.Op.String())
		p.expression(e.X, tightest)
	case *Binary:
		p.binary(e, least)
	case fmt.Stringer:
		p.write(e.String())
	}
}

// binary writes the right operand as if it bound less tightly, since all operators associate to the left: a - (b - c)
// keeps its parentheses and (a - b) - c loses them.
func (p *printer) binary(e *Binary, least int) {
	precedence := e.Op.precedence()
	switch {
	case precedence == 0:
		p.write(e.Op.String(), "[")
		p.expression(e.X, 0)
		p.write(", ")
		p.expression(e.Y, 0)
		p.write("]")
	case precedence < least:
		p.write("(")
		p.binary(e, 0)
		p.write(")")
	default:
		p.expression(e.X, precedence)
		p.operator(e.Op)
		p.expression(e.Y, precedence+1)
	}
}

// String returns the literal as it is written in a rule.
func (l Literal) String() string {
	text := ""
	if l.Negated {
		text = Not.String()
	}
	if l.Atom != nil {
		return text + l.Atom.String()
	}
	return text + l.Comparison.String()
}

// String returns Name(arg, ...).
func (a *Atom) String() string {
	args := make([]string, len(a.Args))
	for k, t := range a.Args {
		args[k] = t.String()
	}
	return a.Name + "(" + strings.Join(args, ", ") + ")"
}

// String returns the comparison in parentheses.
func (c *Comparison) String() string { return fmt.Sprintf("(%s %s %s)", c.Left, c.Op, c.Right) }

// String returns |B|.
func (c *Cardinality) String() string { return "|" + c.Variable.Text + "|" }

// String returns the variable, or the constant in single quotes.
func (t Term) String() string {
	switch {
	case t.Constant:
		return Quote(t.Text)
	case t.Sum:
		return "+" + t.Text
	}
	return t.Text
}

// escaper writes what the lexer's escapes read. Other characters stand for themselves.
var escaper = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Quote returns text as a constant of the rule language.
func Quote(text string) string { return "'" + escaper.Replace(text) + "'" }

package syntax

// shape decides what kind of rule an expression is, and takes it apart accordingly.
func (p *parser) shape(rule *Rule, e Expr) {
	if p.failed {
		return
	}
	if b, ok := e.(*Binary); ok && b.Op.compares() {
		p.checkLinear(b.X)
		p.checkLinear(b.Y)
		rule.Arithmetic = &Arithmetic{Op: b.Op, Left: b.X, Right: b.Y}
		left, other := p.greedy(b.X)
		right, otherToo := p.greedy(b.Y)
		if other || otherToo {
			rule.Arithmetic.Greedy = &Arithmetic{Op: b.Op, Left: left, Right: right}
		}
		return
	}
	rule.Logical = p.clause(e)
}

// compares reports whether o is one of the comparators of arithmetic rules.
func (o Operator) compares() bool { return o == Equal || o == AtMost || o == AtLeast }

// clause takes a logical rule apart.
func (p *parser) clause(e Expr) *Logical {
	b, ok := e.(*Binary)
	switch {
	case ok && b.Op == Implies:
		return &Logical{Body: p.literals(nil, b.X, And), Head: p.literals(nil, b.Y, Or)}
	case ok && b.Op == Follows:
		return &Logical{Body: p.literals(nil, b.Y, And), Head: p.literals(nil, b.X, Or)}
	}
	return &Logical{Head: p.literals(nil, e, Or)}
}

// literals appends the operands of a chain of op.
func (p *parser) literals(list []Literal, e Expr, op Operator) []Literal {
	if b, ok := e.(*Binary); ok && b.Op == op {
		return p.literals(p.literals(list, b.X, op), b.Y, op)
	}
	return append(list, p.literal(e))
}

// literal turns an operand into a literal. negation has left at most one sign before it.
func (p *parser) literal(e Expr) Literal {
	l := Literal{Span: e.Place()}
	if u, ok := e.(*Unary); ok && u.Op == Not {
		l.Negated, e = true, u.X
	}
	switch x := e.(type) {
	case *Atom:
		l.Atom = x
	case *Comparison:
		l.Comparison = x
	default:
		p.rejectLiteral(e, l.Negated)
	}
	return l
}

// rejectLiteral explains why e cannot be a literal. A rule is one clause because one clause is one hinge; what would be
// several hinges has to be written as several rules, each with its weight.
func (p *parser) rejectLiteral(e Expr, negated bool) {
	op := None
	if b, ok := e.(*Binary); ok {
		op = b.Op
	}
	switch {
	case !isLogic(e):
		p.fail("mixed-rule", e.Place(), mixedHint(e), "arithmetic in a logical rule")
	case negated:
		p.fail("not-a-clause", e.Place(), "move the negation inwards: !(A & B) is !A | !B, and !(A | B) is !A & !B",
			"a negated group is not allowed")
	case op == And:
		hint := "write one rule for each part of the conjunction"
		if hasComparison(e) {
			hint = "comparisons of terms choose ground rules: write them before the arrow"
		}
		p.fail("not-a-clause", e.Place(), hint, "a conjunction can only be the body of a rule")
	case op == Or:
		p.fail("not-a-clause", e.Place(), "write one rule for each part of the disjunction",
			"a disjunction can only be the head of a rule")
	default:
		p.fail("not-a-clause", e.Place(), "", "a rule has only one arrow")
	}
}

// hasComparison tells whether an operand of e is a comparison of terms.
func hasComparison(e Expr) bool {
	switch e := e.(type) {
	case *Comparison:
		return true
	case *Binary:
		return hasComparison(e.X) || hasComparison(e.Y)
	}
	return false
}

// isLogic reports whether e is made of literals and logical operators.
func isLogic(e Expr) bool {
	switch e := e.(type) {
	case *Atom, *Comparison:
		return true
	case *Unary:
		return e.Op == Not && isLogic(e.X)
	case *Binary:
		return e.Op <= And && isLogic(e.X) && isLogic(e.Y)
	}
	return false
}

// mixedHint recognises a weight whose colon was forgotten, which reads as a coefficient, and signs for negation.
func mixedHint(e Expr) string {
	switch e := e.(type) {
	case *Unary:
		if e.Op == Negate && isLogic(e.X) {
			return "write ! for not"
		}
	case *Binary:
		n, ok := e.X.(*Number)
		switch {
		case ok && e.Op == Multiply:
			return "if " + n.Text + " is the rule's weight, put a colon after it"
		case ok && e.Op == Subtract && n.Value == 1 && isLogic(e.Y):
			return "write !P(X) for 1 - P(X)"
		}
	}
	return "arithmetic rules have =, <= or >= between their sides and no &, | or ->"
}

// checkLinear rejects logic inside an arithmetic expression. Whether the rest is linear is the compiler's question.
func (p *parser) checkLinear(e Expr) {
	switch x := e.(type) {
	case *Unary:
		if x.Op == Not {
			p.fail("mixed-rule", x.Span, "write 1 - P(X) for the value of !P(X)", "negation in an arithmetic rule")
		}
		p.checkLinear(x.X)
	case *Binary:
		if x.Op.compares() {
			p.fail("mixed-rule", x.Span, "write two rules", "an arithmetic rule has only one comparison")
		} else if x.Op <= And {
			p.fail("mixed-rule", x.Span, "arithmetic rules are made of +, -, * and /", "logic in an arithmetic rule")
		}
		p.checkLinear(x.X)
		p.checkLinear(x.Y)
	}
}

// checkFilter rejects arithmetic inside a filter.
func (p *parser) checkFilter(e Expr) {
	switch x := e.(type) {
	case *Number, *Cardinality:
		p.fail("mixed-rule", e.Place(), "", "a filter is made of atoms and comparisons of terms, with &, | and !")
	case *Unary:
		if x.Op == Negate {
			p.fail("mixed-rule", x.Span, "write ! for not", "arithmetic in a filter")
		}
		p.checkFilter(x.X)
	case *Binary:
		if x.Op != And && x.Op != Or {
			p.fail("mixed-rule", x.Span, "", "a filter is made of atoms and comparisons of terms, with &, | and !")
		}
		p.checkFilter(x.X)
		p.checkFilter(x.Y)
	}
}

// checkDerivation insists on the form Head(…) <- Body.
func (p *parser) checkDerivation(rule *Rule) {
	if p.failed {
		return
	}
	l := rule.Logical
	if l == nil || len(l.Body) == 0 || len(l.Head) != 1 || l.Head[0].Negated || l.Head[0].Atom == nil {
		p.fail("bad-derivation", rule.Span, "as in CiteP(A, B) <- Cite(A, C) & Cite(C, B) & (A != B)",
			"a derived relation is defined by one atom, an arrow and a conjunction")
	}
}

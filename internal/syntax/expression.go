package syntax

import "github.com/deeppsl/deeppsl/internal/source"

// maxDepth limits nesting, so that no text can exhaust the stack.
const maxDepth = 200

// expression reads operands joined by binary operators of at least the given precedence, all of which associate to the
// left. It reads logic and arithmetic alike; shape tells them apart afterwards, with the whole rule at hand for a
// better message than a grammar could give.
func (p *parser) expression(least int) Expr {
	x := p.operand()
	for {
		op := p.infix(x)
		if op == None || op.precedence() < least {
			return x
		}
		if _, explicit := infix[p.peek().kind]; explicit {
			p.take()
		}
		y := p.expression(op.precedence() + 1)
		x = &Binary{Span: join(x, y), Op: op, X: x, Y: y}
	}
}

// infix returns the operator between x and what follows, or None if nothing belonging to x follows. A coefficient
// directly before an atom or a group multiplies it, if both are on one line: on the next one, a new rule begins.
func (p *parser) infix(x Expr) Operator {
	t := p.peek()
	if t.firstOnRow && p.isWeight(p.pos) {
		return None
	}
	if op, ok := infix[t.kind]; ok {
		return op
	}
	group := t.kind == leftParen || t.kind == identifier && p.tokens[p.pos+1].kind == leftParen
	if group && !t.firstOnRow && isCoefficient(x) && !p.isWeight(p.pos) {
		return Multiply
	}
	return None
}

// isCoefficient reports whether x has a value without any atom, so that it can multiply one.
func isCoefficient(x Expr) bool {
	switch x := x.(type) {
	case *Number, *Cardinality:
		return true
	case *Unary:
		return x.Op == Negate && isCoefficient(x.X)
	case *Binary:
		return x.Op >= Add && isCoefficient(x.X) && isCoefficient(x.Y)
	}
	return false
}

// operand reads an expression without binary operators, or one in parentheses.
func (p *parser) operand() Expr {
	defer func() { p.depth-- }()
	if p.depth++; p.depth > maxDepth {
		p.fail("syntax", p.span(p.peek()), "", "this expression is nested more than %d deep", maxDepth)
	}
	first := p.peek()
	switch {
	case first.firstOnRow && p.isWeight(p.pos):
		p.unexpected("an operand") // the next rule has begun
		return &Number{}
	case first.kind == identifier && p.tokens[p.pos+1].kind == leftParen:
		return p.atom()
	}
	switch first.kind {
	case number:
		return p.number()
	case plus:
		p.take()
		return p.operand()
	case minus:
		p.take()
		x := p.operand()
		return &Unary{Span: p.spanFrom(first), Op: Negate, X: x}
	case not:
		p.take()
		x := p.operand()
		return negation(p.spanFrom(first), x)
	case leftParen:
		p.take()
		x := p.expression(1)
		p.expect(rightParen, "')'")
		p.grouped[x] = true
		return x
	case bar:
		return p.cardinality()
	case atMin, atMax:
		return p.extremum()
	case quoted, identifier:
		return p.comparison()
	}
	p.unexpected("an atom, a number or a comparison")
	return &Number{}
}

// negation returns !x, with double negations and comparisons that have an opposite simplified: so there is one way to
// write each literal, and no later stage needs to look through signs.
func negation(span source.Span, x Expr) Expr {
	switch x := x.(type) {
	case *Unary:
		if x.Op == Not {
			return x.X
		}
	case *Comparison:
		switch x.Op {
		case Same:
			return &Comparison{Span: span, Op: Different, Left: x.Left, Right: x.Right}
		case Different:
			return &Comparison{Span: span, Op: Same, Left: x.Left, Right: x.Right}
		}
	}
	return &Unary{Span: span, Op: Not, X: x}
}

// cardinality reads |B|.
func (p *parser) cardinality() Expr {
	first := p.take()
	variable := p.variable()
	p.expect(bar, "'|' after the variable")
	return &Cardinality{Span: p.spanFrom(first), Variable: variable}
}

// extremum reads @Min[x, y] or @Max[x, y], with brackets or parentheses.
func (p *parser) extremum() Expr {
	first := p.take()
	op, open, closing, name := Min, leftBracket, rightBracket, "']'"
	if first.kind == atMax {
		op = Max
	}
	if p.at(leftParen) {
		open, closing, name = leftParen, rightParen, "')'"
	}
	p.expect(open, "'['")
	x := p.expression(1)
	p.expect(comma, "',' and a second argument")
	y := p.expression(1)
	p.expect(closing, name)
	return &Binary{Span: p.spanFrom(first), Op: op, X: x, Y: y}
}

// comparison reads two terms with ==, != or % between them.
func (p *parser) comparison() Expr {
	first := p.peek()
	left := p.term()
	op, ok := relational[p.peek().kind]
	if !ok {
		p.unexpected("a comparison ==, != or % after the term " + left.Text)
		return &Number{}
	}
	p.take()
	right := p.term()
	return &Comparison{Span: p.spanFrom(first), Op: op, Left: left, Right: right}
}

// atom reads Name(term, ...).
func (p *parser) atom() *Atom {
	first := p.take()
	a := &Atom{Name: first.text}
	p.expect(leftParen, "'('")
	for more := !p.at(rightParen); more; more = p.accept(comma) {
		a.Args = append(a.Args, p.argument())
	}
	p.expect(rightParen, "',' or ')' in the atom's arguments")
	a.Span = p.spanFrom(first)
	return a
}

// argument reads a term, which may be a summation variable.
func (p *parser) argument() Term {
	first := p.peek()
	if first.kind != plus || p.tokens[p.pos+1].kind != identifier {
		return p.term()
	}
	p.take()
	t := p.variable()
	t.Sum, t.Span = true, p.spanFrom(first)
	return t
}

// term reads a variable or a constant.
func (p *parser) term() Term {
	switch t := p.peek(); t.kind {
	case identifier:
		return p.variable()
	case quoted:
		p.take()
		return Term{Span: p.span(t), Text: t.text, Constant: true}
	case number, minus, plus:
		return p.bareNumber()
	}
	p.unexpected("a variable or a constant")
	return Term{}
}

// bareNumber reads a number where a constant belongs, complains, and goes on: what was meant is clear, and the rule may
// have other errors. Numbers are not constants because 1, 1.0 and 01 would be the same or not, depending on the type.
func (p *parser) bareNumber() Term {
	first := p.take()
	if first.kind != number {
		p.expect(number, "a variable or a constant")
	}
	span := p.spanFrom(first)
	if !p.failed {
		p.errors++
		p.diags.Errorf("number-constant", span, "write '"+span.Text()+"'", "constants are quoted, numbers too")
	}
	return Term{Span: span, Text: span.Text(), Constant: true}
}

// variable reads a variable where nothing else will do.
func (p *parser) variable() Term {
	t := p.peek()
	p.expect(identifier, "a variable")
	return Term{Span: p.span(t), Text: t.text}
}

// join returns the span of two operands and what is between them.
func join(x, y Expr) source.Span { return x.Place().To(y.Place()) }

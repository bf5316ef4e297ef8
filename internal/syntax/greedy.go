package syntax

import "slices"

// Java PSL's grammar lets a coefficient take all numbers beside it, whatever the operators between them: there
// 1 - 0.5 * P(X) is (1 - 0.5) * P(X), P(X) / 2 + 0.5 is P(X) / (2 + 0.5), and P(X) - 0.1 + 0.2 is P(X) - (0.1 + 0.2).

// addend is an operand of a sum.
type addend struct {
	minus bool
	x     Expr
}

// greedy returns a side of an arithmetic rule as Java PSL's grammar reads it, and whether that is something else.
func (p *parser) greedy(e Expr) (read Expr, differs bool) {
	sum := p.addends(e)
	for k := range sum {
		if b, ok := sum[k].x.(*Binary); ok && p.grouped[b] {
			delete(p.grouped, b)
			inner, other := p.greedy(b)
			p.grouped[inner], sum[k].x, differs = true, inner, differs || other
		}
	}
	for len(sum) > 0 {
		operand, n, other := p.operandOf(sum)
		differs = differs || other
		if read == nil {
			read = operand
		} else {
			read = sumOf(read, addend{sum[0].minus, operand})
		}
		sum = sum[n:]
	}
	return read, differs
}

// addends takes a sum apart as far as it is not in parentheses of its own.
func (p *parser) addends(e Expr) []addend {
	b, ok := e.(*Binary)
	if !ok || b.Op != Add && b.Op != Subtract {
		return []addend{{x: e}}
	}
	last := addend{minus: b.Op == Subtract, x: b.Y}
	if p.grouped[b.X] {
		return []addend{{x: b.X}, last}
	}
	return append(p.addends(b.X), last)
}

// operandOf reads the first operand of a sum, which takes n addends: a coefficient with the numbers behind it and the
// atom that they lead to, or an atom, with all that it is divided by.
func (p *parser) operandOf(sum []addend) (operand Expr, n int, differs bool) {
	operand, n = sum[0].x, 1
	lead, atom, divisors, known := p.product(operand)
	if isCoefficient(operand) {
		operand, n = numbers(operand, sum[1:])
		differs = sum[0].minus && n > 1
		if n == len(sum) {
			return operand, n, differs
		}
		if lead, atom, divisors, known = p.product(sum[n].x); !known || lead == nil {
			return operand, n, differs
		}
		lead, differs = sumOf(operand, addend{sum[n].minus, lead}), true
		n++
	}
	if !known {
		return operand, n, differs
	}
	operand = atom
	if lead != nil {
		operand = &Binary{Span: join(lead, atom), Op: Multiply, X: lead, Y: atom}
	}
	if len(divisors) == 0 {
		return operand, n, differs
	}
	divisor := divisors[0].x
	for _, d := range divisors[1:] {
		divisor = &Binary{Span: join(divisor, d.x), Op: d.op, X: divisor, Y: d.x}
	}
	divisor, more := numbers(divisor, sum[n:])
	differs = differs || more > 1 || len(divisors) > 1
	return &Binary{Span: join(operand, divisor), Op: Divide, X: operand, Y: divisor}, n + more - 1, differs
}

// numbers adds the addends without atoms that follow to first; n counts first, too.
func numbers(first Expr, rest []addend) (sum Expr, n int) {
	for sum, n = first, 1; n <= len(rest) && isCoefficient(rest[n-1].x); n++ {
		sum = sumOf(sum, rest[n-1])
	}
	return sum, n
}

// sumOf adds an addend.
func sumOf(x Expr, y addend) Expr {
	op := Add
	if y.minus {
		op = Subtract
	}
	return &Binary{Span: join(x, y.x), Op: op, X: x, Y: y.x}
}

// factor is an operand of a product, with the operator before it.
type factor struct {
	op Operator
	x  Expr
}

// product takes apart lead * atom / divisors, of which the lead is nil if it is not there. Java PSL reads no other
// products with atoms.
func (p *parser) product(e Expr) (lead, atom Expr, divisors []factor, ok bool) {
	if _, binary := e.(*Binary); binary && p.grouped[e] {
		return nil, nil, nil, false
	}
	all := p.factors(e)
	at := slices.IndexFunc(all, func(f factor) bool { return !isCoefficient(f.x) })
	if at < 0 {
		return nil, nil, nil, false
	}
	for k, f := range all[:at] {
		if k == 0 {
			lead = f.x
		} else {
			lead = &Binary{Span: join(lead, f.x), Op: f.op, X: lead, Y: f.x}
		}
	}
	atom, ok = all[at].x.(*Atom)
	divisors = all[at+1:]
	for k, f := range divisors {
		ok = ok && isCoefficient(f.x) && (k > 0 || f.op == Divide)
	}
	return lead, atom, divisors, ok
}

// factors takes a product apart as far as it is not in parentheses of its own.
func (p *parser) factors(e Expr) []factor {
	b, ok := e.(*Binary)
	if !ok || b.Op != Multiply && b.Op != Divide {
		return []factor{{Multiply, e}}
	}
	last := factor{b.Op, b.Y}
	if p.grouped[b.X] {
		return []factor{{Multiply, b.X}, last}
	}
	return append(p.factors(b.X), last)
}

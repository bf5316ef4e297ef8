package syntax

import (
	"strconv"

	"github.com/deeppsl/deeppsl/internal/source"
)

// Parse reads all rules of a file. Rules with errors are left out and reported, each with its first error.
func Parse(file *source.File, diags *source.Diagnostics) []*Rule {
	p := newParser(file, diags)
	return p.rules()
}

// ParseRule reads a file that holds exactly one rule, such as one written inside a configuration. It returns nil if it
// reported an error.
func ParseRule(file *source.File, diags *source.Diagnostics) *Rule {
	p := newParser(file, diags)
	rules := p.rules()
	if p.errors > 0 {
		return nil
	}
	if len(rules) != 1 {
		diags.Errorf("syntax", file.Span(0, len(file.Text)), "", "expected exactly one rule, found %d", len(rules))
		return nil
	}
	return rules[0]
}

// ParseDerivation reads the definition of a relation, Head(…) <- Body & …, which has no weight. It returns nil if it
// reported an error.
func ParseDerivation(file *source.File, diags *source.Diagnostics) *Rule {
	p := newParser(file, diags)
	rule := &Rule{Exponent: 1, Derivation: true}
	if p.isWeight(0) {
		p.fail("bad-derivation", p.span(p.peek()), "leave it out", "the definition of a relation has no weight")
	}
	p.shape(rule, p.expression(1))
	p.accept(dot)
	rule.Span = p.spanFrom(p.tokens[0])
	if !p.at(end) {
		p.fail("bad-derivation", p.span(p.peek()), "write one definition at a time",
			"the definition of the relation ends before this")
	}
	p.checkDerivation(rule)
	if p.errors > 0 {
		return nil
	}
	return rule
}

// ParseAtom reads one ground atom, whose arguments need no quotes where they are names. It returns nil if it reported
// an error.
func ParseAtom(file *source.File, diags *source.Diagnostics) *Atom {
	p := newParser(file, diags)
	if !p.at(identifier) {
		p.unexpected("the name of a predicate")
		return nil
	}
	a := p.atom()
	if !p.at(end) {
		p.unexpected("the end of the atom")
	}
	if p.errors > 0 {
		return nil
	}
	return a
}

// parser is a recursive descent over the tokens of one file. After an error it sees only the end of the text, so that
// every production returns at once and reports nothing more, until recover moves on to the next rule.
type parser struct {
	file     *source.File
	diags    *source.Diagnostics
	tokens   []token
	comments []comment
	pos      int
	depth    int // of nested operands
	failed   bool
	errors   int // reported so far, the lexer's included
	// grouped holds the expressions in parentheses: only Java PSL's reading of a sum depends on them.
	grouped map[Expr]bool
}

// newParser reads the tokens of a file; the parser knows only of the errors found in this one.
func newParser(file *source.File, diags *source.Diagnostics) *parser {
	before := len(*diags)
	tokens, comments := lex(file, diags)
	return &parser{
		file: file, diags: diags, tokens: tokens, comments: comments, errors: len(*diags) - before,
		grouped: make(map[Expr]bool),
	}
}

// rules reads the whole file. A rule that has failed is not kept: half of it would mean something else.
func (p *parser) rules() []*Rule {
	var rules []*Rule
	for !p.at(end) {
		start := p.pos
		if rule := p.rule(); !p.failed {
			rules = append(rules, rule)
		}
		p.recover(start)
	}
	return rules
}

// rule reads [weight :] expression [^exponent] [.] {filter}..., and filters before the exponent or the full stop, too.
func (p *parser) rule() *Rule {
	first := p.peek()
	rule := &Rule{Exponent: 1}
	weighted := p.isWeight(p.pos)
	if weighted {
		rule.Weight = p.weight()
	}
	expression := p.expression(1)
	given := p.at(caret)
	rule.Exponent = p.exponent()
	hard := p.accept(dot)
	rule.Filters = p.filters()
	if !given && rule.Filters != nil {
		rule.Exponent = p.exponent()
	}
	hard = hard || p.accept(dot)
	rule.Span = p.spanFrom(first)
	p.checkEnd()
	p.shape(rule, expression)
	p.checkWeight(rule, weighted, hard)
	return rule
}

// checkEnd insists that rules which end without a sign of their own are followed by a weight or a new line.
func (p *parser) checkEnd() {
	next, last := p.peek(), p.last().kind
	if next.kind == end || next.firstOnRow || last == dot || last == rightBrace || p.isWeight(p.pos) {
		return
	}
	p.unexpected("an operator or the end of the rule")
}

// checkWeight insists on one of a weight and a full stop: guessing whether a soft or a hard rule was meant would be
// guessing the model.
func (p *parser) checkWeight(rule *Rule, weighted, hard bool) {
	switch {
	case weighted && hard:
		p.fail("weight-and-dot", rule.Weight.Span, "a full stop makes a hard rule; leave out one of the two",
			"a rule with a weight cannot end in a full stop")
	case !weighted && !hard:
		p.fail("missing-weight", rule.Span, "begin it with a weight, as in 1.0: ..., or end it with . to make it hard",
			"this rule has neither a weight nor a full stop")
	case hard:
		rule.Weight = Weight{Span: rule.Span, Hard: true}
	}
}

// isWeight reports whether the tokens from i on are [fixed] [number] [*] [atom] and a colon. Nothing else in a rule can
// be, which makes weights the landmarks by which the parser finds the ends of rules: the language has no separator.
func (p *parser) isWeight(i int) bool {
	start := i
	kindAt := func(i int) kind { return p.tokens[min(i, len(p.tokens)-1)].kind }
	if p.isFixed(i) {
		i++
		start++
	}
	if (kindAt(i) == plus || kindAt(i) == minus) && kindAt(i+1) == number {
		i++
	}
	if kindAt(i) == number {
		i++
		if kindAt(i) == times {
			i++
		}
	}
	if kindAt(i) == identifier && kindAt(i+1) == leftParen {
		for i += 2; inArguments(kindAt(i)); i++ {
		}
		if kindAt(i) == rightParen {
			i++
		}
	}
	return i > start && kindAt(i) == colon
}

// inArguments reports whether a token can stand between the parentheses of an atom. It keeps isWeight from running
// through a whole file after a parenthesis that is never closed.
func inArguments(k kind) bool {
	return k == identifier || k == quoted || k == number || k == comma || k == plus || k == minus
}

// isFixed reports whether token i is the word fixed, which is a word only before a weight.
func (p *parser) isFixed(i int) bool {
	return p.tokens[i].kind == identifier && p.tokens[i].text == "fixed" && p.tokens[i+1].kind != leftParen
}

// weight reads what isWeight has seen.
func (p *parser) weight() Weight {
	first := p.peek()
	w := Weight{Fixed: p.isFixed(p.pos), Number: Number{Value: 1}}
	if w.Fixed {
		p.take()
	}
	signed := p.peek()
	negative := p.accept(minus)
	if !negative {
		p.accept(plus)
	}
	if p.at(number) {
		w.Number = *p.number()
		w.Number.Span = p.spanFrom(signed)
		if negative {
			w.Number.Text, w.Number.Value = "-"+w.Number.Text, -w.Number.Value
		}
		p.accept(times)
	}
	if p.at(identifier) {
		w.Atom = p.atom()
	}
	w.Span = p.spanFrom(first)
	p.expect(colon, "':' after the weight")
	if w.Atom != nil && p.isProlog() {
		p.fail("syntax", p.span(p.last()), prologHint, "unknown operator :-")
	}
	return w
}

// isProlog tells whether what has been read is Head(X) :- of a clause of Prolog's, and not a weight before arithmetic
// that begins with a minus.
func (p *parser) isProlog() bool {
	if next := p.peek(); next.kind != minus || next.start != p.last().end {
		return false
	}
	for i := p.pos; p.tokens[i].kind != end && p.tokens[i].kind != dot && (i == p.pos || !p.tokens[i].firstOnRow); i++ {
		if k := p.tokens[i].kind; k == equal || k == atMost || k == atLeast {
			return false
		}
	}
	return true
}

const quantifierHint = "write Body(X) -> Head(X); a rule holds for all values of its variables"

const prologHint = "write Head(X) <- Body(X), with a weight before it"

// number reads a numeral without a sign.
func (p *parser) number() *Number {
	t := p.take()
	text := t.text
	if text[0] == '.' {
		text = "0" + text
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.fail("number-range", p.span(t), "", "the number %s is too large", t.text)
	}
	return &Number{Span: p.span(t), Text: text, Value: value}
}

// exponent reads ^1 or ^2, and is 1 if there is none.
func (p *parser) exponent() int {
	if !p.accept(caret) {
		return 1
	}
	t := p.peek()
	if t.firstOnRow || t.text != "1" && t.text != "2" {
		p.fail("bad-exponent", p.span(p.last()), "^1 is a linear penalty, ^2 a squared one", "an exponent is 1 or 2")
		return 1
	}
	p.take()
	return int(t.text[0] - '0')
}

// filters reads {B: condition}...
func (p *parser) filters() []Filter {
	var filters []Filter
	for p.at(leftBrace) {
		first := p.take()
		variable := p.variable()
		p.expect(colon, "':' after the filter's variable")
		where := p.expression(1)
		p.expect(rightBrace, "'}'")
		p.checkFilter(where)
		filters = append(filters, Filter{Span: p.spanFrom(first), Variable: variable, Where: where})
	}
	return filters
}

// peek returns the next token.
func (p *parser) peek() token {
	if p.failed {
		return token{kind: end}
	}
	return p.tokens[p.pos]
}

// at reports whether the next token is of kind k.
func (p *parser) at(k kind) bool { return p.peek().kind == k }

// take returns the next token and passes it.
func (p *parser) take() token {
	t := p.peek()
	if t.kind != end {
		p.pos++
	}
	return t
}

// accept passes the next token if it is of kind k.
func (p *parser) accept(k kind) bool {
	if !p.at(k) {
		return false
	}
	p.take()
	return true
}

// expect passes a token of kind k, or fails because what was wanted is not there.
func (p *parser) expect(k kind, what string) {
	if !p.accept(k) {
		p.unexpected(what)
	}
}

// last returns the token before the next one.
func (p *parser) last() token { return p.tokens[max(0, p.pos-1)] }

// span returns the place of a token.
func (p *parser) span(t token) source.Span { return p.file.Span(t.start, t.end) }

// spanFrom returns the span from first to the last token taken.
func (p *parser) spanFrom(first token) source.Span {
	return p.file.Span(first.start, max(first.start, p.last().end))
}

// fail reports the first error of a rule; what follows from it is of no interest.
func (p *parser) fail(id string, span source.Span, hint, format string, args ...any) {
	if !p.failed {
		p.diags.Errorf(id, span, hint, format, args...)
		p.errors++
	}
	p.failed = true
}

// unexpected fails because the next token is not what was wanted. A token on a later line is not to blame: then the
// mark goes to where the line ended.
func (p *parser) unexpected(wanted string) {
	t := p.tokens[p.pos]
	if p.failed || t.kind == illegal {
		p.failed = true
		return
	}
	span, found := p.span(t), "'"+t.text+"'"
	switch {
	case p.pos > 0 && (t.kind == end || t.firstOnRow):
		span, found = p.file.Span(p.last().end, p.last().end), "the end of the line"
	case t.kind == end:
		found = "the end of the text"
	}
	p.fail("syntax", span, p.unexpectedHint(t), "expected %s, found %s", wanted, found)
}

// unexpectedHint says what to write instead of words and signs that other languages have for operators.
func (p *parser) unexpectedHint(t token) string {
	switch p.last().text {
	case "not", "NOT", "Not":
		return "write ! for not"
	case "if", "IF", "If", "forall", "FORALL", "exists", "EXISTS":
		return quantifierHint
	case "true", "TRUE", "True":
		return "write the head alone, which is a rule by itself"
	case "false", "FALSE", "False":
		return "write what cannot all be true as in !A(X) | !B(X)"
	}
	if (t.kind == atMost || t.kind == atLeast) && isTerm(p.last().kind) {
		return orderHint
	}
	if t.kind == equal && isTerm(p.last().kind) {
		return "write == for terms that are equal"
	}
	next := p.tokens[min(p.pos+1, len(p.tokens)-1)]
	switch t.text {
	case "(", "[":
		if p.last().kind == identifier {
			return "write P(X, Y): arguments are variables and constants; P(+X) sums over all X"
		}
	case ",":
		if p.last().kind == number && next.kind == number {
			return "write " + p.last().text + "." + next.text
		}
		return "write & between the literals of a body, and | between those of a head"
	case ":":
		if next.kind == minus {
			return prologHint
		}
		return "a weight is a number, an observed atom, or number * Atom, before a colon"
	case "and", "AND":
		return "write & for and"
	case "or", "OR":
		return "write | for or"
	case "implies", "IMPLIES", "then", "THEN":
		return "write -> for implies"
	case "iff", "IFF":
		return "write two rules, one for each direction"
	case "==":
		return "write = between the sides of an arithmetic rule; == is for terms"
	case "!=", "~=":
		return "between the sides of an arithmetic rule stands =, <= or >=; != is for terms"
	case "not", "NOT":
		return "write ! for not"
	}
	return ""
}

// recover ends the handling of an error: it moves to where the next rule seems to begin. The failed rule began at
// token start, and at least one token is passed.
func (p *parser) recover(start int) {
	if !p.failed {
		return
	}
	p.failed, p.depth = false, 0
	if p.pos == start && !p.at(end) {
		p.pos++
	}
	for !p.at(end) && p.last().kind != dot && !p.startsRule() {
		p.pos++
	}
}

// startsRule guesses whether a rule begins at the next token: at a weight, or at an operand that begins a line which
// does not continue the one before.
func (p *parser) startsRule() bool {
	t := p.peek()
	if !t.firstOnRow {
		return false
	}
	if p.isWeight(p.pos) {
		return true
	}
	switch p.last().kind {
	case comma, leftParen, leftBracket, leftBrace, colon, not:
		return false
	}
	_, continued := infix[p.last().kind]
	return !continued && (t.kind == identifier || t.kind == number || t.kind == not || t.kind == leftParen)
}

// ReadAtom reads an atom that stands alone, as on a command line.
func ReadAtom(text string) (*Atom, error) {
	var diags source.Diagnostics
	atom := ParseAtom(&source.File{Name: "the atom", Text: text}, &diags)
	return atom, diags.Err()
}

// Package syntax reads and prints rules: a lexer, a recursive-descent parser that recovers at the end of each rule, the
// tree they make, and the canonical printer. It knows how a rule is written and not whether its names mean anything.
// The language is described in docs/language.md.
package syntax

import "github.com/deeppsl/deeppsl/internal/source"

// Rule is one rule as it was written. Exactly one of Logical and Arithmetic is set.
type Rule struct {
	Span       source.Span
	Weight     Weight
	Logical    *Logical
	Arithmetic *Arithmetic
	Exponent   int // 1 or 2
	Filters    []Filter
	// Derivation marks the definition of a relation, Head <- Body, which has no weight and is no constraint either.
	Derivation bool
}

// Weight is what precedes the colon, or the full stop of a hard rule.
type Weight struct {
	Span   source.Span
	Hard   bool
	Fixed  bool   // written "fixed": learning leaves it alone
	Number Number // an empty Text means that only the atom was written, and Value is 1
	Atom   *Atom  // the factor after the number, or nil
}

// Number is a numeral. Text is the numeral in canonical spelling, with the digits that the user wrote; Value is the
// float64 nearest to it.
type Number struct {
	Span  source.Span
	Text  string
	Value float64
}

// Logical is the clause Body[0] & … -> Head[0] | …; Body may be empty, Head has at least one literal.
type Logical struct {
	Body, Head []Literal
}

// Literal is an atom or a comparison of terms, possibly negated. Negated comparisons are rewritten where the language
// has the opposite one, so that only that of % can be negated.
type Literal struct {
	Span       source.Span
	Negated    bool
	Atom       *Atom       // nil if this is a comparison
	Comparison *Comparison // nil if this is an atom
}

// Arithmetic is the linear comparison Left Op Right, where Op is Equal, AtMost or AtLeast.
type Arithmetic struct {
	Op          Operator
	Left, Right Expr
	// Greedy is how Java PSL's grammar reads the same text, nil if it reads this.
	Greedy *Arithmetic
}

// Filter restricts the values of one summation variable: {Variable: Where}. Where is made of *Atom, *Comparison, and
// Not, And and Or over them.
type Filter struct {
	Span     source.Span
	Variable Term
	Where    Expr
}

// Expr is a node of an expression: *Number, *Atom, *Comparison, *Cardinality, *Unary or *Binary.
type Expr interface {
	// Place returns where the expression was written.
	Place() source.Span
}

// Atom is Name(Args...).
type Atom struct {
	Span source.Span
	Name string
	Args []Term
}

// NameSpan returns the place of the atom's name alone.
func (a *Atom) NameSpan() source.Span {
	return source.Span{File: a.Span.File, Start: a.Span.Start, End: a.Span.Start + len(a.Name)}
}

// Texts are the arguments as they are meant, without quotes.
func (a *Atom) Texts() []string {
	all := make([]string, len(a.Args))
	for k, arg := range a.Args {
		all[k] = arg.Text
	}
	return all
}

// Term is an argument: a variable, or a constant.
type Term struct {
	Span     source.Span
	Text     string // the variable's name, or the constant without quotes and escapes
	Constant bool
	Sum      bool // written +Name
}

// Comparison compares two terms; Op is Same, Different or Before.
type Comparison struct {
	Span        source.Span
	Op          Operator
	Left, Right Term
}

// Cardinality is |Variable|, the number of values that a summation variable takes.
type Cardinality struct {
	Span     source.Span
	Variable Term
}

// Unary is Op applied to X; Op is Negate or Not.
type Unary struct {
	Span source.Span
	Op   Operator
	X    Expr
}

// Binary is X Op Y.
type Binary struct {
	Span source.Span
	Op   Operator
	X, Y Expr
}

// Place implements Expr.
func (n *Number) Place() source.Span { return n.Span }

// Place implements Expr.
func (a *Atom) Place() source.Span { return a.Span }

// Place implements Expr.
func (c *Comparison) Place() source.Span { return c.Span }

// Place implements Expr.
func (c *Cardinality) Place() source.Span { return c.Span }

// Place implements Expr.
func (u *Unary) Place() source.Span { return u.Span }

// Place implements Expr.
func (b *Binary) Place() source.Span { return b.Span }

// Operator is an operator of the language, whatever its spelling.
type Operator uint8

// The operators, from the loosest binding to the tightest.
const (
	None     Operator = iota
	Implies           // body -> head
	Follows           // head <- body; the tree of a rule has Implies instead
	Or                // |
	And               // &
	Equal             // =
	AtMost            // <=
	AtLeast           // >=
	Add               // +
	Subtract          // -
	Multiply          // *
	Divide            // /
	Negate            // unary -
	Not               // !
	Min               // @Min[x, y]
	Max               // @Max[x, y]

	// The comparisons of terms, which never stand in a tree of other operators.
	Same      // ==
	Different // !=
	Before    // %
)

var spelling = [...]string{
	Implies: "->", Follows: "<-", Or: "|", And: "&", Equal: "=", AtMost: "<=", AtLeast: ">=", Add: "+", Subtract: "-",
	Multiply: "*", Divide: "/", Negate: "-", Not: "!", Min: "@Min", Max: "@Max", Same: "==", Different: "!=", Before: "%",
}

// String returns the operator's canonical spelling.
func (o Operator) String() string { return spelling[o] }

// precedence says how tightly binary operators bind; 0 means that o is none of them.
func (o Operator) precedence() int {
	switch o {
	case Implies, Follows:
		return 1
	case Or:
		return 2
	case And:
		return 3
	case Equal, AtMost, AtLeast:
		return 4
	case Add, Subtract:
		return 5
	case Multiply, Divide:
		return 6
	}
	return 0
}

// tightest is above the precedence of every binary operator.
const tightest = 7

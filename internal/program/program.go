// Package program turns the syntax of rules into what grounding needs: names resolved to predicates, variables
// numbered and proven safe, and every rule, logical or arithmetic, reduced to one linear template
//
//	weight : Σ_k Coef_k · Atom_k + Constant  {≤, =}  0
//
// A logical rule P1 & … & Pm -> N1 | … | Nn has the template Σ P - Σ N + 1 - m ≤ 0: its left side is the Łukasiewicz
// distance to satisfaction (Bach et al. 2017, section 5.1; the paper's toy example in appendix C).
package program

import (
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Type is the type of a predicate's argument: it decides how constants are read and ordered.
type Type uint8

const (
	// String constants are compared byte by byte.
	String Type = iota
	// Int constants are integers, written in any way that strconv.ParseInt reads; "01" is "1".
	Int
	// Float constants are numbers.
	Float
)

// Predicate declares the atoms of one name. Names are case-insensitive; Name is the spelling of the declaration.
type Predicate struct {
	Name  string
	Types []Type // one per argument; len(Types) is the arity
	// Closed says that all atoms are observed (or 0), so that the predicate may stand in filters and weights.
	Closed bool
	// Perceived says that a network gives the values, or, if it is Given, that they are given and may change.
	Perceived bool
	Given     bool
	// Functional says that a function computes the value of every atom from its arguments: there are no rows that a
	// grounding could be found by, so that other atoms have to bind the variables. Functional predicates are Closed.
	Functional bool
}

// Arity returns the number of arguments.
func (p *Predicate) Arity() int { return len(p.Types) }

// Program is a set of predicates and the rules over them.
type Program struct {
	Predicates []*Predicate
	Rules      []*Rule
}

// Rule is one compiled rule. Every index into Variables, and every Term, speaks of this rule's own variables.
type Rule struct {
	Index int         // position in Program.Rules
	Span  source.Span // where it was written
	// Written is the rule as it was read.
	Written *syntax.Rule
	Text    string // printed in the canonical form of `deeppsl fmt`
	// Inactive is a rule that has no ground rules, but keeps its number.
	Inactive bool
	// Added is a rule that came while the program lived.
	Added bool

	Variables  []Variable
	Atoms      []Atom      // the linear template's atoms, in the order they were written
	Conditions []Condition // comparisons of terms that every grounding must satisfy
	// Same holds what stands for the variables, by name, that comparisons have made one with another term.
	Same       map[string]Term
	Constant   Expr // the template's constant
	Comparator Comparator
	Form       Form
	Exponent   int // 1 or 2
	Weight     Weight

	// Logical says that the rule is a logical one: only atoms marked Generates are joined, the others are looked up.
	// In an arithmetic rule all atoms generate: a grounding exists only where every atom has a row.
	Logical bool
	// Sums describes the summation variables of an arithmetic rule.
	Sums []Sum
}

// Variable is a variable of a rule.
type Variable struct {
	Name      string
	Type      Type
	Summation bool // written +Name: all its values are summed within one ground rule
}

// Term is an argument: a variable of the rule, or a constant.
type Term struct {
	Variable int    // index into Rule.Variables, or -1 for a constant
	Constant string // the constant, unescaped and canonical for its type
}

// IsVariable tells variables from constants.
func (t Term) IsVariable() bool { return t.Variable >= 0 }

// Atom is one term Coef · Predicate(Args) of the linear template.
type Atom struct {
	Span      source.Span
	Predicate int // index into Program.Predicates
	Args      []Term
	Coef      Expr
	// Generates says that the grounder enumerates this atom's rows; if false, it looks the atom up.
	Generates bool
}

// Comparator relates the template to 0. A rule written with >= is negated into LessEqual.
type Comparator uint8

const (
	// LessEqual: template ≤ 0.
	LessEqual Comparator = iota
	// Equal: template = 0.
	Equal
)

// Form says which function of the template's value d a weighted rule minimises.
type Form uint8

const (
	// Hinge is max(0, d)^p.
	Hinge Form = iota
	// Absolute is |d|^p: a weighted equality.
	Absolute
	// Linear is d itself: a logical rule of exactly one literal, whose d cannot be negative in the box.
	Linear
)

// Weight is what a ground rule's potential is multiplied with: Value, times the value of Atom if there is one.
type Weight struct {
	Hard  bool // a constraint: no weight at all
	Value float64
	// Fixed weights are part of the model and are not learned.
	Fixed bool
	// Atom is an observed atom whose value multiplies Value in each grounding; nil if there is none. Its Coef is not used.
	Atom *Atom
}

// Condition compares two terms of a grounding.
type Condition struct {
	Span        source.Span
	Op          Relop
	Left, Right Term
	Type        Type // whose order % means
}

// Relop is a comparison of terms.
type Relop uint8

const (
	// Same is ==.
	Same Relop = iota
	// Different is !=.
	Different
	// Before is %, the strict order of the terms' type: each unordered pair once.
	Before
	// NotBefore is the opposite of Before: after it, or equal.
	NotBefore
)

// Sum says which values a summation variable takes: all of its column in the atom that has it, as far as the filter
// holds.
type Sum struct {
	Variable int // the summation variable
	Atom     int // index into Rule.Atoms of the only atom with it
	// Filter is a disjunction of conjunctions; a value is taken if one conjunction holds. Empty: every value is taken.
	Filter [][]Literal
}

// Literal is one conjunct of a filter: a closed atom, whose value must be above 0, or a condition on terms.
type Literal struct {
	Negated   bool
	Atom      *Atom      // nil if this is a condition
	Condition *Condition // nil if this is an atom
}

// Expr is a coefficient: a number, or an expression over the sizes |B| of the rule's sums. The zero value is 0.
type Expr struct {
	Op       Op
	Number   float64 // Op == Number
	Variable int     // Op == Cardinality: the summation variable
	Args     []Expr  // operands of the other operators
}

// Op is the operator of an Expr.
type Op uint8

const (
	// Number is a literal.
	Number Op = iota
	// Cardinality is |B|, how many values a summation variable took.
	Cardinality
	// Add, Subtract, Multiply and Divide are the binary operators.
	Add
	// Subtract is Args[0] - Args[1].
	Subtract
	// Multiply is Args[0] · Args[1].
	Multiply
	// Divide is Args[0] / Args[1].
	Divide
	// Min is @Min[Args[0], Args[1]].
	Min
	// Max is @Max[Args[0], Args[1]].
	Max
)

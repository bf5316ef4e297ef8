package deeppsl

import (
	"github.com/deeppsl/deeppsl/internal/declare"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/neural"
)

// Program is rules and what their predicates are. It is read-only: any number of sessions may share it.
type Program struct{ declared *declare.Program }

// Type is the type of a predicate's argument: it says how constants are compared.
type Type uint8

// The types: text, and numbers of which "1" and "01" are the same.
const (
	String Type = iota
	Int
	Float
)

// Types are numbered as those of compiled programs are.
var _, _ = [1]struct{}{}[Type(program.String)-String], [1]struct{}{}[Type(program.Float)-Float]

// Predicate declares what Parse cannot see in the rules. At most one of Function, Measure, Similar, Derive and Network
// is set: they say where the atoms and their values come from, if not from data.
type Predicate struct {
	Name string
	// Types are those of the arguments; by default they are strings, as many as the rules give it.
	Types []Type
	// Function computes the value in [0, 1] of each atom from its arguments. It must give the same value for the same
	// arguments, and any number of goroutines may call it at once. Rules look its atoms up: others bind the variables.
	Function func(arguments ...string) float64
	// Measure names a similarity of two strings that is such a function, such as "JaroWinkler"; see docs/similarity.md.
	Measure string
	// Similar makes atoms of all pairs of strings that are alike.
	Similar *Similar
	// Derive are rules that make the atoms from those of other predicates: "Pair(A, B) <- In(A, C) & In(B, C)".
	Derive []string
	// Network gives the values.
	Network *Network
	// Evaluators score the answers, the first one also while learning: "discrete", "continuous", "auc", "categorical".
	Evaluators []string
}

// Similar are the pairs of a column's strings that a measure finds at least as similar as the threshold, in (0, 1].
type Similar struct {
	Measure string
	// Column is an argument of a predicate, numbered from 0: "Name:1".
	Column    string
	Threshold float64
}

// Network gives the values of a predicate's atoms: of the rows of its features with each class, of derived pairs, or
// of the atoms that data give as targets.
type Network struct {
	// Spec is what the network is. By default its name is that of the predicate; Data.Features has its features.
	Spec neural.Spec
	// Classes are the constants of the second argument, of a network that classifies the first one; nil if it says
	// whether something holds of one thing, or of a pair.
	Classes []string
	// Atoms are rules that derive the atoms, as those of Derive do.
	Atoms []string
	// Teacher names the predicate whose inferred values the network imitates while it learns; "" if none does.
	Teacher string
}

// Parse reads rules. Predicates are what the rules mention and data, or declarations, say something about.
func Parse(rules string, predicates ...Predicate) (*Program, error) {
	p, err := declare.Parse(rules, declarations(predicates))
	if err != nil {
		return nil, explained(err)
	}
	return &Program{p}, nil
}

// String returns the rules in canonical form, one per line.
func (p *Program) String() string { return p.declared.String() }

// declarations are predicates as the engine has them.
func declarations(predicates []Predicate) []declare.Predicate {
	all := make([]declare.Predicate, len(predicates))
	for k, p := range predicates {
		all[k] = declare.Predicate{Name: p.Name, Function: p.Function, Measure: p.Measure, Derive: p.Derive,
			Similar: (*declare.Similar)(p.Similar), Network: (*declare.Network)(p.Network), Evaluators: p.Evaluators}
		for _, t := range p.Types {
			all[k].Types = append(all[k].Types, program.Type(min(t, Float)))
		}
	}
	return all
}

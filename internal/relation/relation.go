// Package relation holds the ground atoms of each predicate as columns of symbols, with the partition of those atoms
// that hinge-loss Markov random fields need: observed (a constant), target (a variable y) or perceived (an output x of
// a network).
package relation

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Role says what a ground atom's value is while a model is solved.
type Role uint8

const (
	// Observed atoms have a known, constant value; grounding folds them away.
	Observed Role = iota
	// Target atoms are the variables y that inference finds.
	Target
	// Perceived atoms are outputs x of a network: constant within one inference, different in the next.
	Perceived
)

// String returns the role's name as it is printed in plans and messages.
func (r Role) String() string { return [...]string{"observed", "target", "perceived"}[r] }

// Relation is the set of ground atoms of one predicate. Row r holds the atom Columns[0][r], …, Columns[Arity-1][r].
// Rows [0, Observed) are observations; the rows after them are all targets or all perceived, as Free says. A tuple
// occurs in one row only. A Relation is built once by Builder and is read-only and safe for concurrent use afterwards.
type Relation struct {
	Name    string
	Arity   int
	Columns [][]symbol.ID
	// Truth holds the value of each observed row; if it is empty, all are 1. For target rows it is not used.
	Truth Values
	// Given holds the values that the data give the free rows, from which inference may start; if it is empty, all are 1.
	Given Values
	// Observed counts the observed rows, which come first.
	Observed int
	// Free is the role of the rows from Observed on: Target or Perceived. Meaningless if there are none.
	Free Role
	// Open says that an atom without a row is unknown (asking for it is an error of the model); if false, the closed
	// world holds and such an atom is 0.
	Open bool
	// Without are constants of the column WithoutColumn whose atoms do not exist, not even as 0: a ground rule that asks
	// for one is left out. No row has one.
	Without       []symbol.ID
	WithoutColumn int
	// Base is the number of the first free row's variable (Target) or input (Perceived) in the ground model: free row
	// r is numbered Base + r - Observed. Number sets it.
	Base int32
	// Function, if not nil, computes the value of an atom, in [0, 1], from the names of its arguments. Such a relation is
	// closed and has no rows. Any number of goroutines may call it at once.
	Function func(args ...string) float64

	living *living // nil unless Living made the relation

	mu     sync.Mutex // guards known
	known  derived
	tuples atomic.Pointer[Index] // the index on all columns, once it is built
}

// Len returns the number of rows.
func (r *Relation) Len() int {
	if r.Arity == 0 {
		return r.Observed
	}
	return len(r.Columns[0])
}

// FreeLen returns the number of target or perceived rows.
func (r *Relation) FreeLen() int { return r.Len() - r.Observed }

// Role returns the role of row's atom.
func (r *Relation) Role(row int32) Role {
	if int(row) < r.Observed {
		return Observed
	}
	return r.Free
}

// Value returns the observed value of row, in [0, 1].
func (r *Relation) Value(row int32) float64 {
	return r.Truth.At(row)
}

// GivenValue returns the value that the data give a free row.
func (r *Relation) GivenValue(row int32) float64 {
	return r.Given.At(row - int32(r.Observed))
}

// Number returns the variable or input number of a free row.
func (r *Relation) Number(row int32) int32 { return r.Base + row - int32(r.Observed) }

// Tuple appends row's symbols to buf.
func (r *Relation) Tuple(buf []symbol.ID, row int32) []symbol.ID {
	for _, column := range r.Columns {
		buf = append(buf, column[row])
	}
	return buf
}

// Store is every relation of a program, indexed by the predicate's number there, over one symbol table.
type Store struct {
	Symbols   *symbol.Table
	Relations []*Relation
}

// Apart returns a store of what there is, with the same numbers, which stays as it is while this one changes.
func (s *Store) Apart() *Store {
	out := &Store{Symbols: s.Symbols.Copy()}
	for _, r := range s.Relations {
		out.Relations = append(out.Relations, r.Apart())
	}
	return out
}

// Number gives consecutive numbers to all target rows (variables) and to all perceived rows (inputs), in the order of
// the predicates, and returns how many there are of each. On a store that is numbered already it only reads.
func (s *Store) Number() (variables, inputs int) {
	for _, r := range s.Relations {
		switch r.Free {
		case Target:
			r.rebase(variables)
			variables += r.FreeLen()
		case Perceived:
			r.rebase(inputs)
			inputs += r.FreeLen()
		}
	}
	return variables, inputs
}

func (r *Relation) rebase(base int) {
	if r.Base != int32(base) {
		r.Base = int32(base)
	}
}

// Atom prints row of relation r as it would be written in a rule: Name('a', 'b').
func (s *Store) Atom(r *Relation, row int32) string {
	names := make([]string, len(r.Columns))
	for k, column := range r.Columns {
		names[k] = s.Symbols.Name(column[row])
	}
	return AtomText(r.Name, names)
}

// AtomText prints an atom as it would be written in a rule.
func AtomText(name string, arguments []string) string {
	quoted := make([]string, len(arguments))
	for k, argument := range arguments {
		quoted[k] = syntax.Quote(argument)
	}
	return name + "(" + strings.Join(quoted, ", ") + ")"
}

// Locate finds the atom behind a number that Number gave: a variable if role is Target, an input if it is Perceived. It
// panics if there is no such number.
func (s *Store) Locate(role Role, number int32) (r *Relation, row int32) {
	for _, r := range s.Relations {
		if at := number - r.Base; r.Free == role && at >= 0 && int(at) < r.FreeLen() {
			return r, at + int32(r.Observed)
		}
	}
	panic(fmt.Sprintf("relation: no %s atom has the number %d", role, number))
}

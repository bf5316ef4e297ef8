package ground

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// atom is what the inner loop needs to know of an atom of the template. Its relation is taken apart into plain fields:
// rows below observed have values in truth, rows from there on are variables or inputs, and row -1 is a missing atom.
type atom struct {
	coef      float64 // 0 if it depends on |B|
	expr      program.Expr
	truth     *relation.Values // nil if all are 1
	observed  int32            // rows from here on are free
	shift     int32            // a free row + shift is the number of its variable or input
	perceived bool
	open      bool // a missing row is an error
	sum       int  // its place among the sums; -1 if it is a plain atom
	function  *function
	without   []symbol.ID // see relation.Relation
	entity    int32       // the slot of the argument that could be one of these
}

// nonexistent tells whether an atom without a row is not even 0.
func (a *atom) nonexistent(m *machine) bool {
	return a.without != nil && slices.Contains(a.without, m.slots[a.entity])
}

// value returns the value of an observed row, or of what stands for the row of a function.
func (a *atom) value(row int32) float64 {
	switch {
	case a.truth != nil:
		return a.truth.At(row)
	case a.function != nil:
		return valueOf(row)
	}
	return 1
}

// slack returns by how much finding row lowers the largest value that the atom's term can have. Of a free atom nothing
// is known, nor of a missing one that ought to be a target; missing from a closed world means 0.
func (a *atom) slack(row int32) float64 {
	switch {
	case row >= a.observed || row < 0 && a.open:
		return 0
	case row < 0:
		return -max(a.coef, 0)
	}
	return a.coef*a.value(row) - max(a.coef, 0)
}

// truthOf returns a relation's values, or nil if all are 1.
func truthOf(rel *relation.Relation) *relation.Values {
	if rel.Truth.Ones() {
		return nil
	}
	return &rel.Truth
}

// positive tells whether row is an observed atom above 0, which is what filters call true.
func (a *atom) positive(row int32) bool { return row >= 0 && row < a.observed && a.value(row) > 0 }

// atom takes an atom's relation apart.
func (r *routine) atom(a *program.Atom) atom {
	rel := r.scope.store.Relations[a.Predicate]
	coef, varies := constant(a.Coef)
	r.varying = r.varying || varies
	if rel.Function != nil {
		return atom{coef: coef, expr: a.Coef, observed: math.MaxInt32, sum: -1, function: r.scope.function(rel)}
	}
	out := atom{
		coef: coef, expr: a.Coef, truth: truthOf(rel), observed: int32(rel.Observed), shift: rel.Base - int32(rel.Observed),
		perceived: rel.Free == relation.Perceived, open: rel.Open && rel.Free != relation.Perceived, sum: -1,
		without: rel.Without,
	}
	if rel.Without != nil {
		out.entity = r.slot(a.Args[rel.WithoutColumn])
	}
	return out
}

// constant returns the value of an expression without |B|, and 0 for one that varies.
func constant(e program.Expr) (value float64, varies bool) {
	if value, ok := e.Constant(); ok {
		return value, false
	}
	return 0, true
}

// repeats returns the pairs of atoms that some grounding could make equal: one predicate, no different constants.
func repeats(rule *program.Rule) (pairs [][2]int) {
	for i := range rule.Atoms {
		for j := range i {
			if unifiable(&rule.Atoms[j], &rule.Atoms[i]) {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	return pairs
}

// unifiable tells whether two atoms can become one. It does not see that P(A, B) and P(B, 'x') cannot if A is not 'x':
// a pair too many costs a comparison.
func unifiable(a, b *program.Atom) bool {
	if a.Predicate != b.Predicate {
		return false
	}
	for k := range a.Args {
		s, t := a.Args[k], b.Args[k]
		if !s.IsVariable() && !t.IsVariable() && s.Constant != t.Constant {
			return false
		}
	}
	return true
}

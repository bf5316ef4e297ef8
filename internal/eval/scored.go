package eval

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Scored is the atoms of a relation, each with what was inferred and what is true.
type Scored struct {
	// Atoms holds the atoms; nil if only the numbers are known, and then there are no categories.
	Atoms *relation.Relation
	// Rows are the rows of Atoms that are scored, parallel to the two slices below.
	Rows []int32
	// Prediction is the inferred value in [0, 1]. Truth is the known one, or NaN if it is not known.
	Prediction, Truth []float64
	// Unmatched counts the rows of the truth that are no atom of the relation, and so are not scored.
	Unmatched int
	// Decision is the value from which on the discrete evaluator takes a prediction to be true; 0 stands for the
	// threshold from which the truth is.
	Decision float64
}

// decision is Decision, given the threshold of the truth.
func (s *Scored) decision(threshold float64) float64 {
	if s.Decision != 0 {
		return s.Decision
	}
	return threshold
}

// Scope says which atoms Join scores; the zero value is PSL's default: free atoms with a known truth.
type Scope struct {
	// Observed scores the observed atoms too (PSL's eval.includeobs).
	Observed bool
	// Closed takes the truth of an atom without a row to be 0, not unknown (PSL's eval.closetruth).
	Closed bool
}

// Join matches atoms with truth, whose rows are all observed. value gives the inferred value of a free row. The result
// keeps the order of the rows, and the atoms whose truth is unknown: they compete for an object's category.
func Join(atoms, truth *relation.Relation, value func(row int32) float64, scope Scope) *Scored {
	s := &Scored{Atoms: atoms}
	matched := 0
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := range int32(atoms.Len()) {
		tuple = atoms.Tuple(tuple[:0], row)
		known, found := truth.Find(tuple...)
		if found {
			matched++
		}
		if atoms.Role(row) == relation.Observed && !scope.Observed {
			continue
		}
		s.Rows = append(s.Rows, row)
		s.Prediction = append(s.Prediction, inferred(atoms, row, value))
		s.Truth = append(s.Truth, trueValue(truth, known, found, scope))
	}
	s.Unmatched = truth.Len() - matched
	return s
}

// inferred is an atom's answer: what was inferred, or what was observed.
func inferred(atoms *relation.Relation, row int32, value func(row int32) float64) float64 {
	if atoms.Role(row) == relation.Observed {
		return atoms.Value(row)
	}
	return value(row)
}

// trueValue is an atom's truth, NaN if it is unknown.
func trueValue(truth *relation.Relation, row int32, found bool, scope Scope) float64 {
	switch {
	case found:
		return truth.Value(row)
	case scope.Closed:
		return 0
	}
	return math.NaN()
}

// arity is that of the atoms, 0 if there are only numbers.
func (s *Scored) arity() int {
	if s.Atoms == nil {
		return 0
	}
	return s.Atoms.Arity
}

// known calls visit for each atom whose truth is known, and returns how many there are.
func (s *Scored) known(visit func(prediction, truth float64)) int {
	n := 0
	for k, truth := range s.Truth {
		if !math.IsNaN(truth) {
			visit(s.Prediction[k], truth)
			n++
		}
	}
	return n
}

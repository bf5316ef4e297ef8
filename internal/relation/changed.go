package relation

import (
	"maps"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Changed returns a relation in which an observed row has another value. It shares all that does not depend on values.
func (r *Relation) Changed(row int32, value float64) *Relation {
	out, truths := r.sharing(), r.truths()
	truths[row] = value
	out.setTruths(truths)
	r.mu.Lock()
	defer r.mu.Unlock()
	out.known.indexes = maps.Clone(r.known.indexes)
	return out
}

// Removed returns a relation without an observed row. Free rows keep their numbers.
func (r *Relation) Removed(row int32) *Relation {
	out := r.sharing()
	for k, column := range r.Columns {
		out.Columns[k] = slices.Delete(slices.Clone(column), int(row), int(row)+1)
	}
	out.setTruths(slices.Delete(r.truths(), int(row), int(row)+1))
	return out
}

// Added returns a relation with one more observed row, behind the others, for an atom that has none. Free rows keep
// their numbers.
func (r *Relation) Added(value float64, tuple ...symbol.ID) *Relation {
	out := r.sharing()
	for k, column := range r.Columns {
		out.Columns[k] = slices.Insert(slices.Clone(column), r.Observed, tuple[k])
	}
	out.setTruths(append(r.truths(), value))
	return out
}

// truths are the values of the observed rows.
func (r *Relation) truths() []float64 {
	all := make([]float64, r.Observed)
	for row := range all {
		all[row] = r.Value(int32(row))
	}
	return all
}

// setTruths makes these the values of the observed rows, which there are as many of.
func (r *Relation) setTruths(values []float64) {
	r.Observed, r.Truth = len(values), Values{}
	for _, v := range values {
		r.Truth.Append(v)
	}
}

// Copy returns a relation of the same rows, which can be changed by who made it.
func (r *Relation) Copy() *Relation { return r.sharing() }

// sharing returns a relation with the same rows.
func (r *Relation) sharing() *Relation {
	return &Relation{Name: r.Name, Arity: r.Arity, Columns: slices.Clone(r.Columns), Truth: r.Truth, Given: r.Given,
		Observed: r.Observed, Free: r.Free, Open: r.Open, Without: r.Without, WithoutColumn: r.WithoutColumn, Base: r.Base,
		Function: r.Function}
}

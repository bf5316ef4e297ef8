package relation

import (
	"maps"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Changed returns a relation in which an observed row has another value. It shares all that does not depend on values.
func (r *Relation) Changed(row int32, value float64) *Relation {
	out := r.sharing()
	out.Truth = Values{}
	for k := range int32(r.Observed) {
		if k == row {
			out.Truth.Append(value)
		} else {
			out.Truth.Append(r.Value(k))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out.known.indexes = maps.Clone(r.known.indexes)
	return out
}

// Removed returns a relation without an observed row. Free rows keep their numbers.
func (r *Relation) Removed(row int32) *Relation {
	out := r.sharing()
	out.Observed--
	for k, column := range r.Columns {
		out.Columns[k] = slices.Delete(slices.Clone(column), int(row), int(row)+1)
	}
	out.Truth = Values{}
	for k := range int32(r.Observed) {
		if k != row {
			out.Truth.Append(r.Value(k))
		}
	}
	return out
}

// Added returns a relation with one more observed row, behind the others, for an atom that has none. Free rows keep
// their numbers.
func (r *Relation) Added(value float64, tuple ...symbol.ID) *Relation {
	out := r.sharing()
	for k, column := range r.Columns {
		out.Columns[k] = slices.Insert(slices.Clone(column), r.Observed, tuple[k])
	}
	out.Truth = Values{}
	for k := range int32(r.Observed) {
		out.Truth.Append(r.Value(k))
	}
	out.Truth.Append(value)
	out.Observed++
	return out
}

// Copy returns a relation of the same rows, which can be changed by who made it.
func (r *Relation) Copy() *Relation { return r.sharing() }

// sharing returns a relation with the same rows.
func (r *Relation) sharing() *Relation {
	return &Relation{Name: r.Name, Arity: r.Arity, Columns: slices.Clone(r.Columns), Truth: r.Truth, Given: r.Given,
		Observed: r.Observed, Free: r.Free, Open: r.Open, Without: r.Without, WithoutColumn: r.WithoutColumn, Base: r.Base,
		Function: r.Function}
}

package live

import (
	"slices"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Changes lists what is different in the tables of another grounding of the same project, which has been prepared alone
// (session.Prepare): what would make the one the other, rows of features included. What follows from other atoms is not
// listed. It is false if rules, predicates, networks or what these have learned differ, or rows of features are gone.
func Changes(before, after *session.Grounding) (all []change.Change, same bool) {
	alike := func(a, b *program.Rule) bool { return a.Text == b.Text }
	matching := func(a, b *relation.Relation) bool { return a.Name == b.Name && a.Arity == b.Arity }
	same = slices.EqualFunc(before.Program.Rules, after.Program.Rules, alike) &&
		slices.EqualFunc(before.Tables.Store.Relations, after.Tables.Store.Relations, matching)
	if !same {
		return nil, false
	}
	revised, same := before.Networks.Differences(after.Networks)
	if !same {
		return nil, false
	}
	for _, r := range revised {
		for _, row := range r.Rows {
			values := make([]float64, len(row.Values))
			for k, v := range row.Values {
				values[k] = float64(v)
			}
			all = append(all, change.Change{Kind: change.FeatureRow, Network: r.Network, Row: row.ID, Columns: row.Columns,
				Values: values})
		}
	}
	for k, old := range before.Raw {
		d := differ{before.Tables.Store, after.Tables.Store, old, after.Raw[k]}
		all = d.come(d.gone(all))
	}
	return all, true
}

// differ compares a relation of two stores.
type differ struct {
	before, after *relation.Store
	old, now      *relation.Relation
}

// names are those of a row's constants.
func names(s *relation.Store, r *relation.Relation, row int32) []string {
	tuple := make([]string, r.Arity)
	for k, column := range r.Columns {
		tuple[k] = s.Symbols.Name(column[row])
	}
	return tuple
}

// find returns the row of an atom of one store in another one; -1 if it is not there.
func find(s *relation.Store, r *relation.Relation, arguments []string) int32 {
	tuple := make([]symbol.ID, len(arguments))
	for k, argument := range arguments {
		id, known := s.Symbols.Lookup(argument)
		if !known {
			return -1
		}
		tuple[k] = id
	}
	if row, known := r.Find(tuple...); known {
		return row
	}
	return -1
}

// gone adds the atoms that are no more.
func (d *differ) gone(all []change.Change) []change.Change {
	for row := range int32(d.old.Len()) {
		if !d.old.Has(row) {
			continue
		}
		if arguments := names(d.before, d.old, row); find(d.after, d.now, arguments) < 0 {
			all = append(all, change.Remove(d.old.Name, arguments...))
		}
	}
	return all
}

// come adds the atoms that are new, have another value, or are observed where they were not.
func (d *differ) come(all []change.Change) []change.Change {
	for row := range int32(d.now.Len()) {
		arguments := names(d.after, d.now, row)
		was := find(d.before, d.old, arguments)
		role := d.now.Role(row)
		kept := was >= 0 && d.old.Role(was) == role
		switch {
		case role == relation.Observed && !(kept && d.old.Value(was) == d.now.Value(row)):
			all = append(all, change.Observe(d.now.Value(row), d.now.Name, arguments...))
		case role == relation.Target && !kept:
			all = append(all, change.Target(d.now.Name, arguments...))
		case role == relation.Perceived && !(kept && d.old.GivenValue(was) == d.now.GivenValue(row)):
			all = append(all, change.Give(d.now.GivenValue(row), d.now.Name, arguments...))
		}
	}
	return all
}

package relation

import "github.com/deeppsl/deeppsl/internal/symbol"

// WithPerceived adds perceived atoms to the ones that are known; a known one stays what it is.
func WithPerceived(known *Relation, columns [][]symbol.ID) *Relation {
	return withFree(known, columns, Perceived, false)
}

// WithTargets adds targets to the atoms that are known; a known one stays what it is.
func WithTargets(known *Relation, columns [][]symbol.ID) *Relation {
	return withFree(known, columns, Target, known.Open)
}

func withFree(known *Relation, columns [][]symbol.ID, role Role, open bool) *Relation {
	builder := NewBuilder(known.Name, known.Arity)
	tuple := make([]symbol.ID, known.Arity)
	for row := range int32(known.Len()) {
		tuple = known.Tuple(tuple[:0], row)
		truth := known.Value(row)
		if known.Role(row) != Observed {
			truth = known.GivenValue(row)
		}
		builder.MustAdd(tuple, truth, known.Role(row))
	}
	for row := range columns[0] {
		for k, column := range columns {
			tuple[k] = column[row]
		}
		if known.Len() > 0 {
			if _, exists := known.Find(tuple...); exists {
				continue
			}
		}
		builder.MustAdd(tuple, 1, role)
	}
	return builder.Relation(open)
}

// MustAdd adds a row that cannot be there already.
func (b *Builder) MustAdd(tuple []symbol.ID, truth float64, role Role) {
	if err := b.Add(tuple, truth, role, 0); err != nil {
		panic(err)
	}
}

package relation

import "github.com/deeppsl/deeppsl/internal/symbol"

// WithPerceived adds perceived atoms to the ones that are known; a known one stays what it is.
func WithPerceived(known *Relation, columns [][]symbol.ID) *Relation {
	builder := NewBuilder(known.Name, known.Arity)
	tuple := make([]symbol.ID, known.Arity)
	for row := range int32(known.Len()) {
		tuple = known.Tuple(tuple[:0], row)
		truth := 1.0
		if known.Role(row) == Observed {
			truth = known.Value(row)
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
		builder.MustAdd(tuple, 1, Perceived)
	}
	return builder.Relation(false)
}

// MustAdd adds a row that cannot be there already.
func (b *Builder) MustAdd(tuple []symbol.ID, truth float64, role Role) {
	if err := b.Add(tuple, truth, role, 0); err != nil {
		panic(err)
	}
}

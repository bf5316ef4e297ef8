package ties

import (
	"iter"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Matched visits the rows of a network's atoms that have a target of theirs, with its variable: by a link, or else that
// of the same arguments.
func (t *Ties) Matched(neural int, perceived, inferred *relation.Relation) iter.Seq2[int32, int32] {
	variables := t.linked(neural).variables
	if variables == nil {
		return inferredLike(perceived, inferred)
	}
	return func(visit func(row, variable int32) bool) {
		for row := int32(perceived.Observed); int(row) < perceived.Len(); row++ {
			if variable, tied := variables[perceived.Number(row)]; tied && !visit(row, variable) {
				return
			}
		}
	}
}

// inferredLike visits the rows of perceived atoms that targets have the arguments of, with the variables of these.
func inferredLike(perceived, inferred *relation.Relation) iter.Seq2[int32, int32] {
	return func(visit func(row, variable int32) bool) {
		tuple := make([]symbol.ID, 0, perceived.Arity)
		for row := int32(perceived.Observed); int(row) < perceived.Len(); row++ {
			tuple = perceived.Tuple(tuple[:0], row)
			target, ok := inferred.Find(tuple...)
			if ok && inferred.Role(target) == relation.Target && !visit(row, inferred.Number(target)) {
				return
			}
		}
	}
}

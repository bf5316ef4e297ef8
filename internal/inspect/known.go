package inspect

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Known is the truth about atoms, by their numbers, which stay theirs while a model lives: for the sites of one after
// the other of its versions, of which only the first looks each atom up.
type Known struct {
	of map[*relation.Relation]*truths
}

// truths are those about a predicate's free atoms; NaN where there is none.
type truths struct {
	from  *relation.Relation
	known []float64
}

// each visits the free rows of atoms whose truth is known.
func (k *Known) each(atoms, truth *relation.Relation, visit func(row int32, known float64)) {
	t := k.of[atoms]
	if t == nil || t.from != truth {
		t = &truths{from: truth}
		if k.of == nil {
			k.of = make(map[*relation.Relation]*truths)
		}
		k.of[atoms] = t
	}
	var tuple []symbol.ID
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		if !atoms.Has(row) {
			continue
		}
		at := int(atoms.Number(row) - atoms.Base)
		for at >= len(t.known) {
			t.known = append(t.known, notYet)
		}
		if t.known[at] == notYet {
			tuple = atoms.Tuple(tuple[:0], row)
			t.known[at] = math.NaN()
			if place, ok := truth.Find(tuple...); ok {
				t.known[at] = truth.Value(place)
			}
		}
		if known := t.known[at]; !math.IsNaN(known) {
			visit(row, known)
		}
	}
}

// notYet stands for a truth that has not been looked up.
const notYet = -1

package latent

import (
	"crypto/sha256"
	endian "encoding/binary"
	"hash"
	"math"
	"slices"
)

// form is groups of labels that differ in nothing but which things their ground rules speak of, such as examples with
// the same result: what these cost is worked out for the first one, and the others share its diagrams.
type form struct {
	inputs []int32 // of the first one's things
	scopes []*scope
	crowds []*crowd
}

// addAllScopes adds the scopes of all groups.
func (b *builder) addAllScopes() {
	forms, keys := make(map[[sha256.Size]byte]*form), make([][sha256.Size]byte, len(b.groups))
	for k, g := range b.groups {
		keys[k] = b.formOf(g)
		forms[keys[k]] = nil
	}
	b.forms = len(forms)
	for k, g := range b.groups {
		inputs := b.inputsOf(g)
		if f := forms[keys[k]]; f != nil {
			b.share(f, inputs)
			continue
		}
		scopes, crowds := len(b.latent.scopes), len(b.latent.crowds)
		b.addScopes(g)
		forms[keys[k]] = &form{inputs, b.latent.scopes[scopes:], b.latent.crowds[crowds:]}
	}
}

// share adds the scopes of a form for the inputs of other things.
func (b *builder) share(f *form, inputs []int32) {
	number := make(map[int32]int32, len(inputs))
	for k, i := range f.inputs {
		number[i] = inputs[k]
	}
	for _, s := range f.scopes {
		b.latent.scopes = append(b.latent.scopes, s.renumbered(number))
	}
	for _, c := range f.crowds {
		b.latent.crowds = append(b.latent.crowds, c.renumbered(number))
	}
}

// numbersOf returns those of all things that a group's ground rules speak of, ascending.
func numbersOf(g *labelGroup) (numbers []int) {
	for _, a := range g.parts {
		numbers = append(numbers, a.numbers...)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// inputsOf returns those of all things that a group's ground rules speak of, thing by thing.
func (b *builder) inputsOf(g *labelGroup) (inputs []int32) {
	for _, n := range numbersOf(g) {
		inputs = append(inputs, b.inputs(n)...)
	}
	return inputs
}

// formOf is a digest of all that tells the scopes of groups apart: what ground rules cost, by the classes of which
// things.
func (b *builder) formOf(g *labelGroup) (key [sha256.Size]byte) {
	digest, numbers := sha256.New(), numbersOf(g)
	writeNumbers(digest, g.free)
	for _, a := range g.parts {
		things := []float64{float64(len(a.numbers))}
		for t, n := range a.numbers {
			at, _ := slices.BinarySearch(numbers, n)
			kind := 0.0
			switch {
			case b.isHidden(n):
				kind = 2
			case a.scope.Alone[t]:
				kind = 1
			}
			things = append(things, float64(at), kind, float64(a.scope.Classes(t)))
		}
		writeNumbers(digest, things)
		for _, costs := range a.costs {
			writeNumbers(digest, costs)
		}
	}
	digest.Sum(key[:0])
	return key
}

// writeNumbers adds their bits to a digest, and how many they are.
func writeNumbers(digest hash.Hash, numbers []float64) {
	bits := make([]byte, 0, 8*len(numbers)+8)
	bits = endian.LittleEndian.AppendUint64(bits, uint64(len(numbers)))
	for _, number := range numbers {
		bits = endian.LittleEndian.AppendUint64(bits, math.Float64bits(number))
	}
	digest.Write(bits)
}

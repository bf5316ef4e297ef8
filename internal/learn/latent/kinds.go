package latent

import "slices"

// other is the kind of all classes of a thing that a ground rule does not name: it costs the same with each.
const other = -1

// kinds goes through the choices of a scope as far as a ground rule tells them apart: each thing is of a class that the
// rule names, or of another one.
type kinds struct {
	scope *scope
	named [][]int // of each thing, the classes that are named
	at    []int   // a class of each thing, or other
}

// newKinds begins with the first of them.
func newKinds(s *scope, literals []literal) *kinds {
	k := &kinds{scope: s, named: make([][]int, len(s.Things)), at: make([]int, len(s.Things))}
	for _, l := range literals {
		if !slices.Contains(k.named[l.thing], l.class) {
			k.named[l.thing] = append(k.named[l.thing], l.class)
		}
	}
	for t := range k.at {
		k.at[t] = k.named[t][0] // a ground rule names a class of each thing that it speaks of
	}
	return k
}

// next goes on to the next ones, and tells whether there are any.
func (k *kinds) next() bool {
	for t := len(k.at) - 1; t >= 0; t-- {
		named := k.named[t]
		switch at := slices.Index(named, k.at[t]); {
		case at >= 0 && at+1 < len(named):
			k.at[t] = named[at+1]
			return true
		case at >= 0 && len(named) < k.scope.Classes(t):
			k.at[t] = other
			return true
		}
		k.at[t] = named[0]
	}
	return false
}

// each calls a function with the number of each choice that is of these kinds; z is that of the first t things.
func (k *kinds) each(t, z int, do func(z int)) {
	if t == len(k.at) {
		do(z)
		return
	}
	classes := k.scope.Classes(t)
	if k.at[t] != other {
		k.each(t+1, z*classes+k.at[t], do)
		return
	}
	for class := range classes {
		if !slices.Contains(k.named[t], class) {
			k.each(t+1, z*classes+class, do)
		}
	}
}

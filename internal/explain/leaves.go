package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// leaves writes what a variable's value is the sum of.
func (s *State) leaves(ctx context.Context, e *Explanation, names Names, i int32) error {
	var p *piece
	if s.isFree(i) {
		p = s.pieceOf(i)
	}
	if !s.isFree(i) { // or not any more
		e.Leaves = append(e.Leaves, Leaf{Kind: leafBound, Name: e.Atom, Words: e.Words, Value: s.y[i], Contribution: s.y[i]})
		return nil
	}
	v, ok := p.direction(i)
	if !ok {
		low, high, err := s.interval(ctx, p, i)
		if err != nil {
			return err
		}
		e.Interval, e.Unique = []float64{low, high}, high-low <= 2*still
		if !e.Unique {
			return nil
		}
		if !s.inside(i) {
			e.Leaves = append(e.Leaves, Leaf{Kind: leafBound, Name: e.Atom, Words: e.Words, Value: s.y[i], Contribution: s.y[i]})
			return nil
		}
		p = s.weakPieceOf(i)
		if v, ok = p.direction(i); !ok {
			e.Unique = false // if by next to nothing: nothing says what the value is the sum of
			return nil
		}
	}
	t := tally{state: s, names: names, at: make(map[leafKey]int)}
	t.piece(p, v)
	if math.Abs(t.sum()-s.y[i]) > still {
		if s.stops(p) {
			return s.leaves(ctx, e, names, i)
		}
		// Potentials that say nearly the same have slacks that are as good as 0, and their multiples are not: nothing says
		// what the value is the sum of.
		e.Unique = false
		low, high, err := s.interval(ctx, p, i)
		e.Interval = []float64{low, high}
		return err
	}
	e.Leaves = t.sorted()
	return nil
}

// stops takes the variable of a piece that is furthest beyond a wall for one that the wall holds, though what pushes it
// there is next to nothing beside the pushes that it is the sum of. The piece has to be made again without it.
func (s *State) stops(p *piece) bool {
	if len(p.beyond) == 0 {
		return false
	}
	furthest := slices.MaxFunc(p.beyond, func(a, b overshot) int { return cmp.Compare(a.by, b.by) })
	s.dissolve(p)
	s.freedom[furthest.variable] = walled
	return true
}

// direction returns the v of K v = e_i, and whether there is one.
func (p *piece) direction(i int32) (v []float64, ok bool) {
	column, _ := slices.BinarySearch(p.variables, i)
	right := make([]float64, len(p.variables)+len(p.tights))
	right[column] = 1
	return p.solve(right)
}

// The kinds of leaves.
const (
	leafFact  = "fact"
	leafPrior = "prior"
	leafRule  = "rule"
	leafBound = "bound"
)

// tally adds up leaves by their names.
type tally struct {
	state  *State
	names  Names
	leaves []Leaf
	at     map[leafKey]int
}

// leafKey is one of a variable, an input, a rule, or a fact by its name.
type leafKey struct {
	kind   string
	name   string
	number int32
}

// piece adds what all potentials contribute to v·(the piece's variables).
func (t *tally) piece(p *piece, v []float64) {
	n := len(p.variables)
	for k := range p.squares {
		r := &p.squares[k]
		t.constant(p, r.place, -r.h*r.dot(v))
	}
	for k := range p.tights {
		t.constant(p, p.tights[k].place, -v[n+k])
	}
	for _, place := range p.fixed {
		at, pull := t.state.look(int(place)), 0.0 // v·a
		for k, i := range at.ids {
			if column, in := slices.BinarySearch(p.variables, i); in {
				pull += at.coef[k] * v[column]
			}
		}
		t.rule(&at, -at.mu*pull)
	}
}

// little is what a potential's part may have for every atom of it that it is not worth naming them.
const little = 1e-9

// constant adds a multiple of what a potential has besides the variables of a piece, atom by atom.
func (t *tally) constant(p *piece, place int, weight float64) {
	if weight == 0 {
		return
	}
	s := t.state
	at := s.look(place)
	rest := at.d // the constant, after all that is named
	for k, i := range at.ids {
		rest -= at.coef[k] * s.y[i]
	}
	size := math.Abs(rest)
	for k, i := range at.ids {
		if _, in := slices.BinarySearch(p.variables, i); !in {
			size = max(size, math.Abs(at.coef[k]))
			if s.y[i] != 0 {
				t.add(leafKey{kind: leafBound, number: i}, s.y[i], weight*at.coef[k])
			}
		}
	}
	for k, i := range at.block.InputRow(at.j) {
		x, coef := s.field.Inputs()[i], at.block.InputCoefficient(at.j, k)
		rest -= coef * x
		t.add(leafKey{kind: RoleNetwork, number: i}, x, weight*coef)
	}
	if math.Abs(weight)*max(1, size) <= little {
		t.rule(&at, weight*rest)
		return
	}
	for _, term := range s.facts(t.names, &at) {
		rest -= term.Coef * term.Value
		leaf := t.add(leafKey{kind: leafFact, name: term.Atom.Atom}, term.Value, weight*term.Coef)
		leaf.Fact, leaf.Words = term.Atom, term.Words
	}
	t.rule(&at, weight*rest)
}

// remembered is for how many ground rules State keeps the observed atoms.
const remembered = 100_000

// facts lists the observed atoms of a ground rule. One that has as many free atoms as its rule has atoms has none.
func (s *State) facts(names Names, at *potential) []Term {
	if len(at.ids)+len(at.block.InputRow(at.j)) == names.Atoms(at.block.Rule) {
		return nil
	}
	if known, is := s.known[at.at]; is {
		return known
	}
	if len(s.known) >= remembered {
		clear(s.known)
	}
	s.recall(names, at.at)
	return s.known[at.at]
}

// recall remembers the observed atoms of a ground rule, and of all others with the same free atoms: what finds one goes
// through all of them.
func (s *State) recall(names Names, place int) {
	places := slices.Collect(s.index.Alike(place))
	for k, in := range s.together(names, places) {
		var facts []Term
		if in != nil {
			facts = slices.DeleteFunc(in.Terms, func(t Term) bool { return t.Free })
		}
		s.known[places[k]] = slices.Clip(facts)
	}
}

// rule adds what a rule itself asks for.
func (t *tally) rule(at *potential, contribution float64) {
	if contribution != 0 {
		key := leafKey{kind: leafRule, number: int32(at.block.Rule)}
		t.leaf(key, t.state.field.Weights()[at.block.Rule]).Contribution += contribution
	}
}

// add adds an atom's part.
func (t *tally) add(key leafKey, value, slope float64) *Leaf {
	leaf := t.leaf(key, value)
	leaf.Slope += slope
	leaf.Contribution += slope * value
	return leaf
}

// leaf returns that of a key.
func (t *tally) leaf(key leafKey, value float64) *Leaf {
	k, known := t.at[key]
	if !known {
		k = len(t.leaves)
		t.at[key] = k
		leaf := Leaf{Kind: key.kind, Name: key.name, Value: value}
		switch key.kind {
		case leafBound:
			atom := t.names.Variable(key.number)
			leaf.Name, leaf.Words = atom.Atom, atom.Words
		case RoleNetwork:
			input := t.names.Input(key.number)
			leaf.Kind, leaf.Name, leaf.Words = input.Role, input.Atom, input.Words
		case leafRule:
			prior := false
			if leaf.Name, prior = t.names.Rule(int(key.number)); prior {
				leaf.Kind = leafPrior
			}
		}
		t.leaves = append(t.leaves, leaf)
	}
	return &t.leaves[k]
}

// sum is what the leaves add up to.
func (t *tally) sum() (sum float64) {
	for k := range t.leaves {
		sum += t.leaves[k].Contribution
	}
	return sum
}

// rounding is the part of all leaves that one of a rule may have and is left out: no atom says that it is more.
const rounding = 1e-14

// sorted returns the leaves, the largest first.
func (t *tally) sorted() []Leaf {
	all := 0.0
	for k := range t.leaves {
		all += math.Abs(t.leaves[k].Contribution)
	}
	t.leaves = slices.DeleteFunc(t.leaves, func(l Leaf) bool {
		return (l.Kind == leafRule || l.Kind == leafPrior) && math.Abs(l.Contribution) <= rounding*all
	})
	slices.SortStableFunc(t.leaves, func(a, b Leaf) int {
		return cmp.Or(bySize(a.Contribution, b.Contribution), cmp.Compare(a.Name, b.Name))
	})
	return t.leaves
}

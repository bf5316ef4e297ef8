package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Options say how much of an explanation is wanted.
type Options struct {
	// Shown is how many ground rules of each rule are shown one by one; 0 means 5, and less than that all.
	Shown int
	// Balance leaves out the leaves.
	Balance bool
	// Depth is how many steps to go on with the atoms that push.
	Depth int
	// Drawn is for a drawing of these: how many ground rules of each rule are named of them, and no leaves; 0 means that
	// they are explained as the atom itself is.
	Drawn int
	// Within, if not 0, is in how many ground rules the atoms may be that are tied to one for the whole explanation of it,
	// those of each counted: of more, which takes seconds, there are the pushes alone, as the last inference left them.
	Within int
}

const defaultShown = 5

// Explain says why variable i has its value.
func (s *State) Explain(ctx context.Context, names Names, i int32, o Options) (*Explanation, error) {
	if o.Shown == 0 {
		o.Shown = defaultShown
	}
	if o.Within > 0 && s.wide(i, o.Within) {
		e, _ := s.pushes(names, i, o)
		e.Wide = true
		return e, nil
	}
	if err := s.sharpen(ctx, i); err != nil {
		return nil, err
	}
	e, shown := s.pushes(names, i, o)
	if !o.Balance {
		if err := s.leaves(ctx, e, names, i); err != nil {
			return nil, err
		}
	}
	var err error
	if o.Depth > 0 {
		err = s.because(ctx, e, names, i, shown, o)
	}
	return e, err
}

// tolerable is the part of the pushes' sizes that may be left unexplained.
const tolerable = 1e-7

// pushes begins an explanation with the balance, and returns the places of the ground rules that are shown.
func (s *State) pushes(names Names, i int32, o Options) (*Explanation, []int) {
	atom := names.Variable(i)
	e := &Explanation{Atom: atom.Atom, Words: atom.Words, Value: s.y[i], Unique: true, Interval: []float64{s.y[i], s.y[i]},
		Number: i, Pushes: []Push{}, Leaves: []Leaf{}, Counterfactuals: []Counterfactual{}}
	return e, s.balance(e, names, i, o.Shown)
}

// force is what a potential does to a variable.
type force struct {
	place    int
	coef, mu float64
}

func (f *force) push() float64 { return 0 - f.coef*f.mu }

// bySize puts the larger one first. What differs by rounding alone, as two pushes that hold each other may, stays in
// the order that it has.
func bySize(a, b float64) int { return -cmp.Compare(float32(math.Abs(a)), float32(math.Abs(b))) }

// balance writes the pushes on a variable, and returns the places of those that are shown.
func (s *State) balance(e *Explanation, names Names, i int32, shown int) (places []int) {
	byRule := make(map[int][]force)
	push, unit := 0.0, s.field.Unit()
	for _, place := range s.index.Of(i, nil) {
		p := s.look(place)
		f := force{place, p.coefficient(i), p.mu}
		push += f.push()
		e.Sizes += math.Abs(f.push())
		if math.Abs(f.mu)*max(1, math.Abs(f.coef)) <= silent*max(p.w, unit) {
			continue // not worth showing, but several of them may hold each other
		}
		byRule[p.block.Rule] = append(byRule[p.block.Rule], f)
	}
	for _, rule := range sortedKeys(byRule) {
		places = append(places, s.pushesOf(e, names, rule, byRule[rule], shown)...)
	}
	slices.SortStableFunc(e.Pushes, func(a, b Push) int { return bySize(a.Push, b.Push) })
	slices.SortStableFunc(e.Rules, func(a, b RulePush) int { return bySize(a.Push, b.Push) })
	e.Unexplained, e.BoundForce = s.remainder(i, push)
	return places
}

// remainder is what is left of the pushes on a variable, unexplained or held by a wall.
func (s *State) remainder(i int32, push float64) (unexplained, wall float64) {
	switch {
	case math.Abs(push) <= silent*s.field.Unit():
		return 0, 0
	case s.isFree(i):
		return push, 0
	}
	return 0, 0 - push
}

// pushesOf writes the forces of one rule, the strongest ones by themselves.
func (s *State) pushesOf(e *Explanation, names Names, rule int, forces []force, shown int) (places []int) {
	slices.SortStableFunc(forces, func(a, b force) int { return bySize(a.push(), b.push()) })
	text, _ := names.Rule(rule)
	sum := RulePush{Rule: text, Index: rule, Count: len(forces)}
	rest := Push{Rule: sum.Rule, Atoms: []Atom{}}
	for k, f := range forces {
		sum.Push += f.push()
		if shown > 0 && k >= shown && len(forces) > shown+1 {
			rest.Push += f.push()
			rest.Count++
			continue
		}
		places = append(places, f.place)
	}
	instances := s.instances(names, places)
	for k, f := range forces[:len(places)] {
		e.Pushes = append(e.Pushes, s.named(instances[k], f, sum.Rule))
	}
	if rest.Count > 0 {
		e.Pushes = append(e.Pushes, rest)
	}
	e.Rules = append(e.Rules, sum)
	return places
}

// named is a force with the names of all that is in it.
func (s *State) named(in *Instance, f force, rule string) Push {
	out := Push{Rule: rule, Place: f.place, Multiplier: f.mu, Coefficient: f.coef, Push: f.push(), Atoms: []Atom{}}
	if in != nil {
		out.GroundRule = in.Text()
		for _, t := range in.Terms {
			out.Atoms = append(out.Atoms, s.valued(&t))
		}
	}
	return out
}

// valued is a term's atom with its value in the state.
func (s *State) valued(t *Term) Atom {
	a := t.Atom
	a.coef = t.Coef
	switch {
	case !t.Free:
	case a.Role == RoleTarget:
		a.Value = s.y[t.Number]
	default:
		a.Value = s.field.Inputs()[t.Number]
	}
	return a
}

// The roles of atoms.
const (
	RoleObserved = "observed"
	RoleTarget   = "target"
	RoleNetwork  = "network"
	RoleGiven    = "given"
	RoleComputed = "computed"
	RoleAbsent   = "absent"
)

// instance returns the ground rule at a place. Equal ground rules of one block are told apart by their order.
func (s *State) instance(names Names, place int) *Instance {
	block, j := s.index.Locate(place)
	return names.Instance(block, j, s.index.Twins(place))
}

// several is how many ground rules are found together, since each may take as long as all.
const several = 8

// instances returns the ground rules at places, of one rule.
func (s *State) instances(names Names, places []int) []*Instance {
	found := make(map[int]*Instance)
	out := make([]*Instance, len(places))
	for k, place := range places {
		if _, known := found[place]; !known && len(places) < several {
			found[place] = s.instance(names, place)
		} else if !known {
			alike := slices.Collect(s.index.Alike(place))
			for l, in := range s.together(names, alike) {
				found[alike[l]] = in
			}
		}
		out[k] = found[place]
	}
	return out
}

// together returns the ground rules at all places that are alike.
func (s *State) together(names Names, places []int) []*Instance {
	blocks, rows := make([]int, len(places)), make([]int, len(places))
	for k, place := range places {
		blocks[k], rows[k] = s.index.Locate(place)
	}
	out := names.Instances(blocks, rows)
	for k, in := range out {
		if in == nil {
			out[k] = s.instance(names, places[k])
		}
	}
	return out
}

// because goes on with the atoms of the ground rules that push, but for those that have been explained on the way.
func (s *State) because(ctx context.Context, e *Explanation, names Names, i int32, places []int, o Options) error {
	asked := map[int32]bool{i: true}
	var level func(e *Explanation, places []int, depth int) error
	level = func(e *Explanation, places []int, depth int) error {
		for _, place := range places {
			for _, k := range slices.Clone(s.look(place).ids) {
				if asked[k] {
					continue
				}
				asked[k] = true
				next := o
				next.Depth = 0
				if o.Drawn > 0 {
					next.Shown, next.Balance = o.Drawn, true
				}
				below, err := s.Explain(ctx, names, k, next)
				if err != nil {
					return err
				}
				e.Because = append(e.Because, below)
				if depth > 1 {
					if err := level(below, s.strongest(k, o.Shown), depth-1); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	return level(e, places, o.Depth)
}

// strongest lists the places of the potentials that push a variable most.
func (s *State) strongest(i int32, shown int) (places []int) {
	var forces []force
	for _, place := range s.index.Of(i, nil) {
		p := s.look(place)
		if f := (force{place, p.coefficient(i), p.mu}); f.push() != 0 {
			forces = append(forces, f)
		}
	}
	slices.SortStableFunc(forces, func(a, b force) int { return bySize(a.push(), b.push()) })
	for _, f := range forces[:min(len(forces), max(shown, 1))] {
		places = append(places, f.place)
	}
	return places
}

// sortedKeys returns a map's keys in order.
func sortedKeys[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

package mrf

// Packed numbers the variables anew, in the order in which the potentials of several variables meet them, those that
// have only potentials of their own behind, and leaves out those that have none. It returns the field with these
// numbers, and the number that each of its variables had. Sweeps then go through vectors that fit caches, where the
// tables have their atoms in another order than the ground rules, or many atoms in between that have a prior alone. It
// returns nil where that would not pay. The potentials keep their order, and the blocks share all but their variables.
func (f *Field) Packed() (packed *Field, variables []int32) {
	if f.Model.Variables < leastPacked || f.Model.Paged() != nil {
		return nil, nil
	}
	to, variables := f.met()
	if !f.closer(to) {
		return nil, nil
	}
	m := &Model{Variables: len(variables), Inputs: f.Model.Inputs, Rules: f.Model.Rules}
	for _, b := range f.Model.Blocks {
		m.Blocks = append(m.Blocks, b.Renumbered(to, nil, f.Threads))
	}
	packed = NewFieldOn(m, f.Threads)
	packed.Follow(f)
	return packed, variables
}

// leastPacked is how many variables a model has whose vectors a core's own cache has no room for.
const leastPacked = 1 << 16

// unmet is the new number of a variable that was not met.
const unmet = -1

// met returns the new number of each variable, and the variables by their new numbers.
func (f *Field) met() (to, variables []int32) {
	to, variables = make([]int32, f.Model.Variables), make([]int32, 0, f.Model.Variables)
	for i := range to {
		to[i] = unmet
	}
	for _, alone := range []bool{false, true} {
		for k := range f.terms {
			t := &f.terms[k]
			if alone != (t.uniformArity() == 1) {
				continue
			}
			for _, i := range t.Numbers() {
				if to[i] == unmet {
					to[i] = int32(len(variables))
					variables = append(variables, i)
				}
			}
		}
	}
	return to, variables
}

// lineLen is how many numbers of a vector a line of a cache has, sampledSpans how many spans are looked at at most, and
// fewer how many times fewer lines a span has to meet.
const lineLen, sampledSpans, fewer = 8, 16, 2

// closer tells whether the spans of potentials of several variables touch much fewer lines of a vector with the new
// numbers.
func (f *Field) closer(to []int32) bool {
	before, after := 0, 0
	now, then := make(map[int32]bool), make(map[int32]bool)
	stride := max(1, len(f.spans)/sampledSpans)
	for n := stride / 2; n < len(f.spans); n += stride {
		s := f.spans[n]
		if s.term.uniformArity() == 1 {
			continue
		}
		for j := s.lo; j < s.hi; j++ {
			for _, i := range s.term.vars.row(j) {
				now[i/lineLen], then[to[i]/lineLen] = true, true
			}
		}
		before, after = before+len(now), after+len(then)
		clear(now)
		clear(then)
	}
	return before > fewer*after
}

package eval

import "math"

// Suited names the evaluator for truth that nobody has named one for: continuous if some of it is neither 0 nor 1,
// categorical if each object of which something is known has one true category among several, and discrete otherwise;
// "" if nothing is known.
func Suited(s *Scored) string {
	continuous := false
	known := s.known(func(_, truth float64) { continuous = continuous || truth > 0 && truth < 1 })
	switch {
	case known == 0:
		return ""
	case continuous:
		return "continuous"
	case s.arity() > 1 && s.chooses():
		return "categorical"
	}
	return "discrete"
}

// chooses tells whether each object, all arguments but the last one, has one true category of at least two, if anything
// is known of it, and something is known of several.
func (s *Scored) chooses() bool {
	type object struct {
		atoms, known, right int
	}
	numbers, objects := newGroups(), []object(nil)
	for k, truth := range s.Truth {
		n := numbers.number(s.pick(k, func(argument int) bool { return argument < s.arity()-1 }))
		if n == len(objects) {
			objects = append(objects, object{})
		}
		o := &objects[n]
		o.atoms++
		o.known += bit(!math.IsNaN(truth))
		if o.right += bit(truth == 1); o.right > 1 {
			return false
		}
	}
	known := 0
	for _, o := range objects {
		known += bit(o.known > 0)
		if o.known > 0 && (o.right == 0 || o.atoms == 1) {
			return false
		}
	}
	return known > 1
}

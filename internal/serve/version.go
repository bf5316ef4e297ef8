package serve

import (
	"maps"

	"github.com/deeppsl/deeppsl/change"
)

// This file is about reading one atom while changes are made: the answer of a version never changes, but its grounding
// is the writer's, who changes rows. So the writer first keeps the values of the atoms that changes are about, and
// whoever has read one looks at these afterwards.

// keep notes the values of atoms before they change.
func (v *Version) keep(changes []change.Change) {
	kept := make(map[string]*float64)
	if before := v.kept.Load(); before != nil {
		maps.Copy(kept, *before)
	}
	for k := range changes {
		c := &changes[k]
		key := v.grounding.Key(c.Predicate, c.Arguments)
		if _, known := kept[key]; key == "" || known {
			continue
		}
		kept[key] = nil
		if value, ok := v.grounding.Value(v.Answer, c.Predicate, c.Arguments...); ok {
			kept[key] = &value
		}
	}
	v.kept.Store(&kept)
}

// value is an atom's in a version, for the writer when nothing is being changed; nil if there is none.
func (v *Version) value(predicate string, arguments []string) *float64 {
	if value, ok := v.grounding.Value(v.Answer, predicate, arguments...); ok {
		return &value
	}
	return nil
}

// Value returns the value that an atom has in the last version, and which that is; nil if there is no such atom.
func (s *Service) Value(predicate string, arguments []string) (value *float64, v *Version) {
	for {
		v = s.Current()
		value = v.value(predicate, arguments)
		if kept := v.kept.Load(); kept != nil {
			if before, changing := (*kept)[v.grounding.Key(predicate, arguments)]; changing {
				return before, v
			}
		}
		if s.Current() == v { // or else more than what was kept may have changed
			return value, v
		}
	}
}

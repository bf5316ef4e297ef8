package learn

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// Seen returns what a scene's labels say of what networks see, where each says of which class a thing is, by a rule
// that equates the two, and the network gives shares of one. It is nil where some labels say anything else.
func (s *Scene) Seen() *label.Labels {
	perception, ok := s.Perception.(perception.Distributed)
	if s.Counterparts == nil || !ok {
		return nil
	}
	truth := make(map[int32]float64, len(s.Labels.Variables))
	for k, i := range s.Labels.Variables {
		truth[i] = s.Labels.Truth[k]
	}
	shares := make(map[int32]int)
	for _, inputs := range perception.Distributions() {
		shares[inputs[0]] = len(inputs)
	}
	seen := new(label.Labels)
	for thing, group := range s.Counterparts.Groups {
		known, total := 0, 0.0
		for c, i := range group.Variables {
			value, ok := truth[i]
			if !ok {
				continue
			}
			known++
			total += value
			seen.Variables, seen.Truth = append(seen.Variables, group.Inputs[c]), append(seen.Truth, value)
			seen.Entities, seen.Classes = append(seen.Entities, int32(thing)), append(seen.Classes, int32(c))
		}
		if known > 0 && (known != shares[slices.Min(group.Inputs)] || total != 1) {
			return nil
		}
	}
	if len(seen.Variables) == 0 || len(seen.Variables) < len(truth) {
		return nil
	}
	return seen
}

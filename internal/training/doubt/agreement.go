package doubt

import (
	"cmp"
	"math"
	"slices"
)

// unlabelled is the truth of what has no label.
const unlabelled = -1

// agreement is the evidence of labels that are tied to each other. Each pair counts once, by how probably the first has
// the label that it has, given that of the second.
func (v *view) agreement(ties []tie, alike float64) (f finding) {
	variance := 0.0
	share := v.shares()
	for _, t := range v.pairs(ties) {
		one, other := v.truth[int(t.a)*v.classes+int(t.class)], v.truth[int(t.b)*v.classes+int(t.class)]
		chance := share[t.class]
		if other == 0 {
			chance = 1 - chance
		}
		held, way := alike+(1-alike)*chance, 1.0
		if t.by < 0 {
			held, way = (1-alike)*chance, -1
		}
		f.expected += way * (held - chance)
		variance += chance * (1 - chance)
		if one == other {
			f.found += way * (1 - chance)
			f.chance += math.Log(chance / held)
		} else {
			f.found -= way * chance
			f.chance += math.Log((1 - chance) / (1 - held))
		}
	}
	if variance == 0 {
		return finding{}
	}
	f.found, f.expected = f.found/math.Sqrt(variance), f.expected/math.Sqrt(variance)
	return f
}

// shares are how common classes are among labels, with one more for each answer.
func (v *view) shares() (share []float64) {
	for class := range v.classes {
		is, of := 1.0, 2.0
		for at := class; at < len(v.truth); at += v.classes {
			if v.truth[at] != unlabelled {
				is, of = is+v.truth[at], of+1
			}
		}
		share = append(share, is/of)
	}
	return share
}

// pairs returns those of ties whose things both have a label, each once: where things have one class, by that of the
// second.
func (v *view) pairs(ties []tie) (pairs []tie) {
	for _, t := range ties {
		if t.a < t.b {
			t.a, t.b = t.b, t.a
		}
		t.by = math.Copysign(1, t.by)
		one, other := v.truth[int(t.a)*v.classes+int(t.class)], v.truth[int(t.b)*v.classes+int(t.class)]
		if one == unlabelled || other == unlabelled || v.exclusive && other == 0 {
			continue
		}
		pairs = append(pairs, t)
	}
	slices.SortFunc(pairs, func(s, t tie) int {
		return cmp.Or(cmp.Compare(s.a, t.a), cmp.Compare(s.b, t.b), cmp.Compare(s.class, t.class), cmp.Compare(s.by, t.by))
	})
	return slices.Compact(pairs)
}

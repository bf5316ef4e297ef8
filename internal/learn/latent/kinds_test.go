package latent

import "testing"

// All kinds together are each choice of a scope once, and each is of the classes that its kinds say.
func TestKindsAreAllChoices(t *testing.T) {
	s := &scope{Choices: Choices{[][]int32{{0, 1, 2, 3}, {4}, {5, 6, 7}}, []bool{false, true, false}}}
	literals := []literal{{thing: 0, class: 2}, {thing: 0, class: 0}, {thing: 1, class: 0}, {thing: 2, class: 1},
		{thing: 2, class: 0}, {thing: 2, class: 2}, {thing: 2, class: 1}}
	choices := make([][]int, 0, s.Count())
	for at := make([]int, len(s.Things)); len(choices) < cap(choices); s.Next(at) {
		choices = append(choices, append([]int(nil), at...))
	}
	seen := make([]int, len(choices))
	for k, more := newKinds(s, literals), true; more; more = k.next() {
		k.each(0, 0, func(z int) {
			seen[z]++
			for _, l := range literals {
				if (k.at[l.thing] == l.class) != (choices[z][l.thing] == l.class) {
					t.Errorf("choice %v is of kinds %v", choices[z], k.at)
				}
			}
		})
	}
	for z, times := range seen {
		if times != 1 {
			t.Errorf("choice %v is there %d times", choices[z], times)
		}
	}
}

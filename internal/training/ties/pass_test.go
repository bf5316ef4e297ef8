package ties

import (
	"slices"
	"testing"
)

// What a network sees of a thing is passed on by a rule and its other half, which says what is not so: neither relates
// things, nor do both of pairs that have rows of features. Other rules do, also what holds one network's things back.
func TestRulesThatPassOn(t *testing.T) {
	for name, test := range map[string]struct {
		rules    string
		relating []int
	}{
		"of a thing": {`"1: Sees(A) -> Good(A) ^2", "1: !Sees(A) -> !Good(A) ^2",
			"1: Link(A, B) & Good(A) -> Good(B) ^2", "1: Link(A, B) & !Good(A) -> !Good(B) ^2"`, []int{2, 3}},
		"under a condition": {`"1: Sees(A) -> Good(A)", "1: Kind(A) & !Sees(A) -> !Good(A)"`, nil},
		"one half alone":    {`"1: !Sees(A) -> !Good(A) ^2"`, []int{0}},
		"of what is tied":   {`"1: Sees(A) -> Good(A)", "1: Link(A, B) & !Sees(A) -> !Good(B)"`, []int{1}},
		"of pairs": {`"1: Row(P, A, B) & Sees(P) -> Same(A, B) ^2",
			"1: Row(P, A, B) & !Sees(P) -> !Same(A, B) ^2",
			"1: Same(A, B) & Same(B, C) & (A != C) -> Same(A, C) ^2"`, []int{2}},
		"of other pairs": {`"1: Row(P, A, B) & Sees(P) -> Same(A, B) ^2",
			"1: Row(P, B, A) & !Sees(P) -> !Same(A, B) ^2"`, []int{1}},
	} {
		ties := of(t, test.rules, `"Sees/1": {"neural": {"network": "n"}}, "Kind/1": {"observations": [["a"]]},
    "Link/2": {"observations": [["a", "b"], ["b", "c"]]},
    "Row/3": {"observations": [["a", "x", "y"], ["b", "y", "z"], ["c", "y", "x"]]},
    "Good/1": {"targets": [["a"], ["b"], ["c"]], "truth": {"learn": [["a"]]}},
    "Same/2": {"targets": [["x", "y"], ["y", "z"], ["y", "x"], ["x", "z"]], "truth": {"learn": [["x", "y"]]}}`)
		var relating []int
		for r, rule := range ties.g.Program.Rules {
			if ties.Relates(rule) {
				relating = append(relating, r)
			}
		}
		if !slices.Equal(relating, test.relating) {
			t.Errorf("%s: rules %v relate things, want %v", name, relating, test.relating)
		}
	}
}

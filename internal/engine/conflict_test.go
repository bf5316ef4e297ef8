package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/project"
)

// TestConflict checks which hard ground rules are named, and how: as written, with constants for variables, and with
// the linear form where observed atoms have a part in it.
func TestConflict(t *testing.T) {
	for _, c := range []struct {
		name, rules, predicates string
		want                    []string
	}{
		{
			"the user's comparison", `"T(X) >= 0.8 .", "T(X) <= 0.2 ."`, `"T/1": {"targets": [["a"]]}`,
			[]string{"T('a') >= 0.8 .", "T('a') <= 0.2 ."},
		},
		{
			"observed atoms", `"Buys(A, X) & Near(A, B) -> Likes(B, X) .", "Likes(A, X) <= 0.5 ."`,
			`"Near/2": {"observations": [["a", "b"]]}, "Buys/2": {"observations": [["a", "x", 0.75]]},
			"Likes/2": {"targets": [["b", "x"], ["b", "y"], ["a", "y"]]}`,
			[]string{
				"Buys('a', 'x') & Near('a', 'b') -> Likes('b', 'x') .  [-1.0 * Likes('b', 'x') <= -0.75 .]",
				"Likes('b', 'x') <= 0.5 .",
			},
		},
		{
			"sums and their filters", `"T(X, +Y) = 1 . {Y: C(Y) & (Y != X)}", "T(X, Y) <= 0.3 ."`,
			`"C/1": {"observations": [["y"], ["z"]]}, "T/2": {"targets": [["x", "y"], ["x", "z"], ["x", "q"]]}`,
			[]string{
				"T('x', +Y) = 1 . {Y: C(Y) & (Y != 'x')}", "T('x', 'y') <= 0.3 .", "T('x', 'z') <= 0.3 .",
			},
		},
		{
			"few of many, in both orders", `"T(A, B) = T(B, A) .", "T('a', B) >= 0.9 .", "T(A, 'a') <= 0.1 ."`,
			`"T/2": {"targets": [["a", "b"], ["b", "a"], ["a", "c"], ["c", "a"], ["c", "b"], ["b", "c"]]}`,
			[]string{"T('a', 'b') = T('b', 'a') .", "T('a', 'b') >= 0.9 .", "T('b', 'a') <= 0.1 ."},
		},
		{
			"a chain, most of it far from its ends", `"A('x') = 1 .", "A(X) & Next(X, Y) -> A(Y) .", "A('z') = 0 ."`,
			`"Next/2": {"observations": [["y", "z"], ["x", "y"], ["y", "w"]]},
			"A/1": {"targets": [["x"], ["y"], ["z"], ["w"]]}`,
			[]string{
				"A('x') = 1 .", "A('z') = 0 .",
				"A('y') & Next('y', 'z') -> A('z') .  [1.0 * A('y') - 1.0 * A('z') <= 0.0 .]",
				"A('x') & Next('x', 'y') -> A('y') .  [1.0 * A('x') - 1.0 * A('y') <= 0.0 .]",
			},
		},
		{
			"a sum before its atoms", `"T(X) >= 0.4 .", "T(+X) <= 1 ."`, `"T/1": {"targets": [["a"], ["b"], ["c"], ["d"]]}`,
			[]string{"T(+X) <= 1 .", "T('a') >= 0.4 .", "T('b') >= 0.4 .", "T('c') >= 0.4 ."},
		},
	} {
		p, _ := model(t, `{"rules": [`+c.rules+`], "predicates": {`+c.predicates+`}}`, project.Options{})
		if diff := cmp.Diff(c.want, run(t, p, Stages{}).Conflict); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Everything is solved again from near where that ended only while next to nothing is different: more takes more steps
// from there than from multipliers alone.
func TestBeginsNearTheLast(t *testing.T) {
	s := livingThings(t, "1: O(X) -> T(X)", "0.5: !T(X)")
	s.last.schedule = solve.Schedule{Steepness: 100, Pull: 0.01}
	var many []change.Change
	for k := range 100 {
		many = append(many, change.Observe(0.5, "O", fmt.Sprint(k+1)))
	}
	for _, step := range []struct {
		changes []change.Change
		near    bool
	}{
		{nil, true},
		{many[:1], true},
		{[]change.Change{change.Weight(1, 0.75)}, false},
		{[]change.Change{change.Weight(1, 0.5)}, true},
		{many, false},
	} {
		if _, err := s.Apply(t.Context(), step.changes); err != nil {
			t.Fatal(err)
		}
		if near := s.schedule(s.state.Gather()).Steepness > 0; near != step.near {
			t.Errorf("after %d changes: %v", len(step.changes), near)
		}
	}
}

// A problem of which presolving leaves next to nothing is presolved again where everything has to be solved: with its
// multipliers it would be solved as it is.
func TestSimpleWholesArePresolved(t *testing.T) {
	for _, c := range []struct {
		rule   string
		simple bool
	}{{"O(X) = T(X) .", true}, {"T(+X) <= 700 .", false}} {
		s := livingThings(t, c.rule, "1: !T(X)", "2: T(X) = 0.7 ^2")
		for range 2 { // from the first answer, and from that of everything
			answer, adopt, err := s.whole(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if presolved := answer.Presolve != nil; presolved != c.simple || answer.Status != solve.Optimal.String() {
				t.Errorf("%s: %s, presolved %v", c.rule, answer.Status, presolved)
			}
			if err := adopt(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// livingThings is a session of rules about 2,000 things, whose observed values rise.
func livingThings(t *testing.T, rules ...string) *Session {
	t.Helper()
	observed, targets := rising(2000)
	g, err := groundIn(t.TempDir(), rules, map[string]any{
		"O/1": map[string]any{"observations": observed}, "T/1": map[string]any{"targets": targets},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := living(g)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

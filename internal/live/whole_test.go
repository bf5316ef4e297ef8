package live

import (
	"fmt"
	"testing"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Everything is solved again from near where that ended only while next to nothing is different: more takes more steps
// from there than from multipliers alone.
func TestBeginsNearTheLast(t *testing.T) {
	const things = 2000
	observed, targets := rising(things)
	g, err := groundIn(t.TempDir(), []string{"1: O(X) -> T(X)", "0.5: !T(X)"}, map[string]any{
		"O/1": map[string]any{"observations": observed}, "T/1": map[string]any{"targets": targets},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := living(g)
	if err != nil {
		t.Fatal(err)
	}
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

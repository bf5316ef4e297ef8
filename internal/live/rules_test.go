package live

import (
	"context"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/change"
)

// Of rules that are the same, a run over files counts the first alone. A session has no use for the other either.
func TestRulesThatRepeat(t *testing.T) {
	g, err := groundIn(t.TempDir(), []string{"1: O(X) -> T(X)", "0.5: !T(X)", "1: U(X) -> T(X)"}, map[string]any{
		"O/1": map[string]any{"observations": [][]any{{"a", 1}, {"b", 0.5}}},
		"T/1": map[string]any{"targets": [][]any{{"a"}, {"b"}}},
		"U/1": map[string]any{"observations": [][]any{{"a", 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := g.InferAgain(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(g, answer)
	if err != nil {
		t.Fatal(err)
	}
	again := change.Rule("3: !T(X) | !O(X)")
	for _, step := range []struct {
		changes []change.Change
		refused bool
	}{
		{[]change.Change{change.Rule("2: !O(X) | T(X)")}, true},                          // a clause is a set of literals
		{[]change.Change{change.Target("U", "b"), change.Rule("2: O(X) -> T(X)")}, true}, // all is ground anew
		{[]change.Change{change.Rule("2: O(X) -> T(X)"), change.Deactivate(0)}, false},   // in the place of the first
		{[]change.Change{change.Activate(0)}, true},                                      // which is back too soon
		{[]change.Change{change.Activate(0), change.Deactivate(3)}, false},
		{[]change.Change{again, again}, true},
		{[]change.Change{again}, false},
		{[]change.Change{change.Weight(0, 2), change.Deactivate(1)}, false},
	} {
		_, _, asked := s.WhatIf(context.Background(), step.changes)
		rules := len(s.Rules())
		_, err := s.Apply(context.Background(), step.changes)
		if (err != nil) != step.refused || (asked != nil) != step.refused {
			t.Errorf("%v: %v, and %v if it is asked first", step.changes, err, asked)
		}
		if err != nil && (len(s.Rules()) != rules || !strings.Contains(err.Error(), "is the same as rule")) {
			t.Errorf("%v: %d rules, before %d", err, len(s.Rules()), rules)
		}
	}
}

package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
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

// rising are things whose observed values rise from 0 to 1, and the targets about them.
func rising(things int) (observed, targets [][]any) {
	for k := range things {
		observed = append(observed, []any{fmt.Sprint(k), float64(k) / float64(things)})
		targets = append(targets, []any{fmt.Sprint(k)})
	}
	return observed, targets
}

// Where a rule has many ground rules, they do not come and go one by one: all is ground anew, to the same answer.
func TestLargeRules(t *testing.T) {
	const things = 12_000
	observed, targets := rising(things)
	g, err := groundIn(t.TempDir(), []string{"1: O(X) -> T(X) ^2", "0.5: !T(X) ^2", "1: F(X) -> !T(X) ^2"}, map[string]any{
		"O/1": map[string]any{"observations": observed}, "T/1": map[string]any{"targets": targets},
		"F/1": map[string]any{"observations": [][]any{{"11999", 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := living(g)
	if err != nil {
		t.Fatal(err)
	}
	first, last := s.state.Certificate().Objective, float64(things-1)/things
	without := last * last * (1.5/2.5 - 0.5/1.5) // the minima of (O - T)² + 1.5·T² and (O - T)² + 0.5·T²
	for _, step := range []struct {
		change    change.Change
		anew      bool
		objective float64
	}{
		{change.Deactivate(2), false, first - without},
		{change.Activate(2), false, first},
		{change.Deactivate(0), true, 0},
		{change.Activate(0), true, first},
		{change.Rule("1: T(X) -> O(X) ^2"), true, first}, // which no value breaks
	} {
		asked, _, err := s.WhatIf(t.Context(), []change.Change{step.change})
		if err != nil {
			t.Fatal(err)
		}
		applied, err := s.Apply(t.Context(), []change.Change{step.change})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Infer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if applied.Anew != step.anew {
			t.Errorf("%v: all ground anew: %v", step.change, applied.Anew)
		}
		for _, want := range []float64{step.objective, asked.Objective} {
			if by := math.Abs(answer.Objective - want); by > 1e-5*first {
				t.Errorf("%v: %v, want %v", step.change, answer.Objective, want)
			}
		}
	}
}

// A snapshot is of a program, whose rules it has all: where the file has one rule less by now, that would come back as
// one that was added.
func TestSnapshotsAreOfTheirRules(t *testing.T) {
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	predicates := map[string]any{"T/1": map[string]any{"targets": [][]any{{"a"}}}}
	rules := []string{"1: T(X)", "2: !T(X) ^2", "3: T('a') = 0.2"}
	g, err := groundIn(dir, rules, predicates)
	if err != nil {
		t.Fatal(err)
	}
	s, err := living(g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), []change.Change{change.Rule("4: T('a') = 0.4")}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also of a session that began with a snapshot
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		journal, history, err := OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		defer journal.Close()
		for _, n := range []int{2, 4} {
			other, err := groundIn(dir, append(rules, "5: T('a') = 0.6")[:n], predicates)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := history.Restore(t.Context(), other); !errors.Is(err, errStranger) {
				t.Errorf("of %d rules, 3 at the time: %v", n, err)
			}
		}
		same, err := history.Restore(t.Context(), g)
		if err != nil || len(same.Program.Rules) != 4 {
			t.Fatalf("of the same rules: %v", err)
		}
		if s, err = living(same); err != nil {
			t.Fatal(err)
		}
	}
}

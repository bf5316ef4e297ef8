package live

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// following has rules over atoms that follow from others: D and E are derived, M has the similar pairs of N's strings,
// the targets of X follow from O, and U has targets or none.
var following = []string{
	"2: D(A, B) & T(A) -> T(B) ^2",
	"3: E(A) & T(A) -> X(A)",
	"1: M(A, B) & T(A) -> T(B) ^2",
	"0.7: T(A) & O(A) -> X(A) ^2",
	"1: U(A) & O(A) -> T(A)",
	"0.3: D(A, B) & U(B) -> T(A) ^2",
	"0.1: !T(A) ^2",
	"0.2: !X(A) ^2",
}

var similar = []string{"aab", "aac", "abb", "bbb"}

// world is what a cold run reads of them.
type world struct {
	rules             []string
	observed, targets map[string]float64
}

func (w *world) clone() *world {
	return &world{w.rules, maps.Clone(w.observed), maps.Clone(w.targets)}
}

func (w *world) cold(dir string) (*session.Grounding, error) {
	rows := func(atoms map[string]float64, predicate string, valued bool) (rows [][]any) {
		rows = [][]any{}
		for _, atom := range slices.Sorted(maps.Keys(atoms)) {
			if atom[:1] != predicate {
				continue
			}
			if valued {
				rows = append(rows, append(row(atom), atoms[atom]))
			} else {
				rows = append(rows, row(atom))
			}
		}
		return rows
	}
	predicates := map[string]any{
		"D/2": map[string]any{"derive": "D(A, B) <- P(A, C) & P(C, B)", "value": "inverse-count"},
		"E/1": map[string]any{"derive": []string{"E(A) <- D(A, B) & O(B)", "E(A) <- P(A, A)"}},
		"M/2": map[string]any{"similarity": map[string]any{"measure": "Levenshtein", "over": "N:0", "threshold": 0.3}},
		"X/1": map[string]any{"targets": "X(A) <- O(A)", "observations": rows(w.observed, "X", true)},
		"T/1": map[string]any{"targets": rows(w.targets, "T", false), "observations": rows(w.observed, "T", true)},
	}
	for _, name := range []string{"O/1", "P/2", "N/1", "U/1"} {
		declared := map[string]any{"observations": rows(w.observed, name[:1], true)}
		if targets := rows(w.targets, name[:1], false); len(targets) > 0 {
			declared["targets"] = targets
		}
		predicates[name] = declared
	}
	return groundIn(dir, w.rules, predicates)
}

// draw draws a change, and makes it in the tables.
func (w *world) draw(r *rapid.T) change.Change {
	value := rapid.SampledFrom([]float64{0, 0.25, 0.6, 1}).Draw(r, "value")
	name := rapid.SampledFrom([]string{"O", "O", "P", "P", "P", "N", "T", "X", "U"}).Draw(r, "predicate")
	drawn := []string{rapid.SampledFrom(similar).Draw(r, "argument")}
	if name == "P" {
		drawn = append(drawn, rapid.SampledFrom(similar).Draw(r, "argument"))
	}
	atom := name + "(" + strings.Join(drawn, ",") + ")"
	switch {
	case (name == "T" || name == "U") && rapid.Bool().Draw(r, "target"):
		delete(w.observed, atom)
		w.targets[atom] = 1
		return change.Target(name, arguments(atom)...)
	case atom != "T(aab)" && name != "U" && rapid.Bool().Draw(r, "gone"):
		_, observed := w.observed[atom]
		_, target := w.targets[atom]
		if observed || target {
			delete(w.observed, atom)
			delete(w.targets, atom)
			return change.Remove(name, arguments(atom)...)
		}
	}
	if atom == "T(aab)" || name == "U" && w.targets[atom] > 0 {
		atom = "O(aab)" // the last target of a predicate stays
	}
	delete(w.targets, atom)
	w.observed[atom] = value
	return change.Observe(value, atom[:1], arguments(atom)...)
}

// Whatever follows from changes, be it derived, similar, or a predicate that gets targets, must be what follows in a
// cold run.
func TestWhatFollowsIsThatOfColdRuns(t *testing.T) {
	dir := t.TempDir()
	derived, anew, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		now := &world{observed: map[string]float64{"O(aab)": 1}, targets: map[string]float64{"T(aab)": 1}}
		for range rapid.IntRange(2, 6).Draw(t, "rules") {
			if rule := rapid.SampledFrom(following).Draw(t, "rule"); !slices.Contains(now.rules, rule) {
				now.rules = append(now.rules, rule)
			}
		}
		for range rapid.IntRange(3, 15).Draw(t, "atoms") {
			now.draw(t)
		}
		g, err := now.cold(dir)
		s, answer := begin(t, g, err)
		var made []Record
		around, way := detours{first: g, path: filepath.Join(dir, "journal")}, rapid.IntRange(0, 10).Draw(t, "way")
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			next := now.clone()
			var changes []change.Change
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				changes = append(changes, next.draw(t))
			}
			cold, coldErr := next.cold(dir)
			if rapid.IntRange(0, 3).Draw(t, "what if") == 0 {
				before := lines(s.grounding.Tables.Store, s.state.Each, nil)
				answer, _, err := s.WhatIf(context.Background(), changes)
				checkAgainst(t, changes, cold, coldErr, answer, err)
				if after := lines(s.grounding.Tables.Store, s.state.Each, nil); !slices.Equal(before, after) {
					t.Fatal("a question leaves a trace")
				}
				continue
			}
			applied, err := s.Apply(context.Background(), changes)
			if (err != nil) != (coldErr != nil) {
				t.Fatalf("%v: error %v, a cold run's %v", changes, err, coldErr)
			}
			if coldErr != nil {
				refused++
				if cold, coldErr = now.cold(dir); coldErr != nil {
					t.Fatal(coldErr)
				}
			} else {
				now, made = next, append(made, Record{Changes: changes})
				if applied.Anew {
					anew++
				}
				derived += len(applied.Derived)
			}
			for range rapid.IntRange(0, 3).Draw(t, "detours") {
				if s, err = around.take(s, way); err != nil {
					t.Fatalf("%v: way %d: %v", changes, way, err)
				}
				way++
			}
			checkRules(t, s, cold, nil)
			answer, err := s.Infer(context.Background())
			checkAgainst(t, changes, cold, nil, answer, err)
		}
		checkReplay(t, g, answer, made, s)
	})
	if derived == 0 || anew == 0 || refused == 0 {
		t.Errorf("atoms were derived %d times, all ground anew %d times, %d changes refused", derived, anew, refused)
	}
}

// checkReplay makes changes in another session of a grounding, all together, and compares it with one that has them.
func checkReplay(t *rapid.T, g *session.Grounding, answer *session.Answer, made []Record, s *Session) {
	again, err := New(g, answer)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Replay(context.Background(), made); err != nil {
		t.Fatalf("%v: %v", made, err)
	}
	checkSame(t, "made again", made, again, s)
	h := &History{Records: made}
	restored, err := h.Begin(context.Background(), func(h *History) (*Session, error) {
		restored, err := h.Restore(context.Background(), g)
		if err != nil {
			return nil, err
		}
		answer, err := restored.Infer(context.Background())
		if err != nil {
			return nil, err
		}
		return New(restored, answer)
	})
	if err != nil {
		t.Fatalf("%v: %v", made, err)
	}
	checkSame(t, "in the tables", made, restored, s)
	first, err := s.Infer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Infer(context.Background())
	checkAnswer(t, first.Status == solve.Infeasible.String(), first, second, err)
}

// checkSame compares the ground rules of two sessions that have the same changes.
func checkSame(t *rapid.T, how string, made []Record, a, b *Session) {
	got, want := lines(a.grounding.Tables.Store, a.state.Each, nil), lines(b.grounding.Tables.Store, b.state.Each, nil)
	if !slices.Equal(got, want) {
		t.Fatalf("%s, %v has the ground rules\n%s\nwant\n%s", how, made, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// checkAgainst compares an answer with that of a cold run.
func checkAgainst(t *rapid.T, changes []change.Change, cold *session.Grounding, coldErr error, answer *session.Answer,
	err error) {
	if coldErr != nil {
		if err == nil {
			t.Fatalf("%v: no error, where a cold run has %v", changes, coldErr)
		}
		return
	}
	want, coldErr := cold.Infer(context.Background())
	if coldErr != nil {
		t.Fatal(coldErr)
	}
	checkAnswer(t, false, want, answer, err)
}

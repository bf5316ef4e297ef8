package live

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// A session that lives long must not drift: after ten thousand changes, whatever it goes through beside them, it has
// the ground rules and the objective of a cold run, and refuses what that refuses.
func TestTenThousandChanges(t *testing.T) {
	const many, often, asking = 10_000, 97, 7
	dir := t.TempDir()
	now := &tables{observed: make(map[string]float64), targets: map[string]bool{"T(a)": true, "S(a,b)": true},
		rules: make([]stated, len(pool))}
	for k, text := range pool {
		now.rules[k].text = text
	}
	for seed := range 15 {
		rapid.Custom(now.drawRow).Example(seed)
	}
	cold, err := now.cold(dir)
	for seed := 15; err != nil; seed++ { // until the rules have a meaning
		rapid.Custom(now.drawRow).Example(seed)
		cold, err = now.cold(dir)
	}
	s, err := living(cold)
	if err != nil {
		t.Fatal(err)
	}
	around := detours{first: cold, path: filepath.Join(dir, "journal")}
	applied, refused := 0, 0
	for k := range many {
		next := now.clone()
		c := rapid.Custom(next.draw).Example(1000 + k)
		var would *session.Answer
		var wouldBe error
		if k%asking == 0 {
			would, wouldBe = ask(t, s, c)
		}
		_, err := s.Apply(context.Background(), []change.Change{c})
		if k%asking == 0 {
			agree(t, s, would, wouldBe, err)
		}
		if err != nil {
			refused++
			if k%often == 0 {
				if cold, coldErr := next.cold(dir); coldErr == nil {
					if answer, err := cold.Infer(context.Background()); err != nil || answer.Status != solve.Infeasible.String() {
						t.Fatalf("%v: %v, and a cold run has an answer", c, err)
					}
				}
			}
		} else {
			applied, now = applied+1, next
		}
		if s, err = around.take(s, k); err != nil {
			t.Fatalf("after %d changes: %v", k, err)
		}
		if k%often != 0 && k != many-1 {
			continue
		}
		if cold, err = now.cold(dir); err != nil {
			t.Fatal(err)
		}
		_, numbers := now.active()
		had := lines(cold.Tables.Store, potentials(cold.Model), numbers)
		has := lines(s.grounding.Tables.Store, s.state.Each, nil)
		if !slices.Equal(had, has) {
			t.Fatalf("after %d changes the ground rules are\n%s\nand of a cold run\n%s", k, has, had)
		}
		want, err := cold.Infer(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Infer(context.Background())
		if err != nil || got.Status != want.Status ||
			!(math.Abs(got.Objective-want.Objective) <= 2e-5*max(1, math.Abs(want.Objective))+1e-5) {
			t.Fatalf("after %d changes: %s, objective %v; a cold run: %s, %v (%v)", k, got.Status, got.Objective, want.Status,
				want.Objective, err)
		}
	}
	if applied < many/10 || refused < many/100 {
		t.Errorf("%d applied and %d refused", applied, refused)
	}
	t.Logf("%d applied and %d refused", applied, refused)
}

// ask asks what a change would do, which leaves no trace.
func ask(t *testing.T, s *Session, c change.Change) (answer *session.Answer, refused error) {
	t.Helper()
	values, multipliers := slices.Clone(s.state.Values()), slices.Clone(s.state.Multipliers())
	proof, was := s.state.Certificate(), lines(s.grounding.Tables.Store, s.state.Each, nil)
	answer, _, refused = s.WhatIf(context.Background(), []change.Change{c})
	if !slices.Equal(values, s.state.Values()) || !slices.Equal(multipliers, s.state.Multipliers()) ||
		proof != s.state.Certificate() || !slices.Equal(was, lines(s.grounding.Tables.Store, s.state.Each, nil)) {
		t.Fatalf("asking what %v would do has left a trace", c)
	}
	return answer, refused
}

// agree finds out whether what a change would do, or why it would be refused, is what it has come to.
func agree(t *testing.T, s *Session, would *session.Answer, wouldBe, refused error) {
	t.Helper()
	infeasible := wouldBe == nil && would.Status == solve.Infeasible.String()
	switch {
	case refused != nil && wouldBe == nil && !infeasible, refused == nil && wouldBe != nil:
		t.Fatalf("it is refused: %v; it would be: %v", refused, wouldBe)
	case refused != nil || would.Status != solve.Optimal.String():
		return
	}
	now, err := s.Infer(context.Background())
	if err != nil || now.Status != would.Status ||
		!(math.Abs(now.Objective-would.Objective) <= 2e-5*max(1, math.Abs(now.Objective))+1e-5) {
		t.Fatalf("%s, objective %v (%v); it would be %s, %v", now.Status, now.Objective, err, would.Status, would.Objective)
	}
}

package live

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// A session that lives long must not drift: after ten thousand changes, whatever it goes through beside them, it has
// the ground rules and the objective of a cold run, and refuses what that refuses.
func TestTenThousandChanges(t *testing.T) {
	const many, often = 10_000, 97
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
		if _, err := s.Apply(context.Background(), []change.Change{c}); err != nil {
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

package live

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestChangesOfTables draws the tables of a program twice: the changes between them make the first what the second is.
func TestChangesOfTables(t *testing.T) {
	dir, made := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		first := drawTables(r)
		second := first.clone()
		for range rapid.IntRange(0, 8).Draw(r, "changes") {
			second.drawRow(r)
		}
		before, err := first.cold(dir)
		if err != nil {
			r.Skip(err)
		}
		after, err := second.cold(dir)
		if err != nil {
			r.Skip(err)
		}
		changes, same := Changes(before, after)
		if !same {
			r.Fatal("the rules are said to differ")
		}
		answer, err := before.InferAgain(context.Background(), nil)
		if err != nil || answer.Status != "optimal" {
			r.Skip("there is no answer")
		}
		want, err := after.InferAgain(context.Background(), nil)
		if err != nil || want.Status != "optimal" {
			r.Skip("there is no answer")
		}
		s, err := New(before, answer)
		if err != nil {
			r.Fatal(err)
		}
		if _, err := s.Apply(context.Background(), changes); err != nil {
			r.Skip(err) // what a living model cannot
		}
		got, err := s.Infer(context.Background())
		if err != nil {
			r.Fatal(err)
		}
		made++
		if math.Abs(got.Objective-want.Objective) > 1e-3*max(1, want.Objective) {
			r.Fatalf("objective %v, want %v after %v", got.Objective, want.Objective, changes)
		}
		if again, same := Changes(after, after); !same || len(again) > 0 {
			r.Fatalf("nothing changed, and these did: %v", again)
		}
	})
	if made == 0 {
		t.Error("no changes were made")
	}
}

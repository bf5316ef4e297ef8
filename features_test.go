package deeppsl_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/killtest"
	"github.com/deeppsl/deeppsl/neural"
)

// looking begins a session whose network has learned.
func looking(t *testing.T) *deeppsl.Session {
	t.Helper()
	p, data := perceiving(t, neural.Spec{Hidden: []int{4}})
	s := begin(t, p, data, deeppsl.Options{Seed: 2})
	if _, err := s.Learn(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// arrival is an item that comes with its features.
func arrival(k int) []change.Change {
	name := fmt.Sprintf("late%d", k)
	return []change.Change{change.Features("Looks", name, float64(k%7)/2, 1, float64(k%3)),
		change.Target("Is", name, "round"), change.Target("Is", name, "square")}
}

// valueOf is the value of an atom; NaN if there is none.
func valueOf(a *deeppsl.Answer, predicate string, arguments ...string) float64 {
	if v, ok := a.Value(predicate, arguments...); ok {
		return v
	}
	return math.NaN()
}

// Features of a network that there is not are told of the one that may be meant.
func TestFeaturesOfNoNetwork(t *testing.T) {
	p, data := perceiving(t, neural.Spec{Hidden: []int{4}})
	data.Features("Lokos", nil)
	_, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	if err == nil || !strings.Contains(err.Error(), "no network Lokos that has features of its own; did you mean Looks?") {
		t.Error(err)
	}
}

// Items that come with their features are inferred like others, and explained; they stay when the session grounds anew,
// learns, and is saved. What they are refused for leaves no trace.
func TestFeaturesArrive(t *testing.T) {
	s := looking(t)
	before := infer(t, s)
	bad := map[string]change.Change{
		"has 2 values":         change.Features("Looks", "late0", 1, 2),
		"finite numbers":       change.Features("Looks", "late0", 1, 2, math.NaN()),
		"has column 7":         change.SparseFeatures("Looks", "late0", []int32{7}, []float64{1}),
		"there is no network":  change.Features("Sounds", "late0", 1, 2, 3),
		"neither observed nor": change.Features("Looks", "late0", 1, 2, 3),
		"have no row for":      change.Target("Looks", "late0", "round"),
	}
	for want, c := range bad {
		if _, err := s.Apply(ctx, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
	then, err := s.WhatIf(ctx, arrival(0)...)
	if err != nil {
		t.Fatal(err)
	}
	same := infer(t, s)
	if v := valueOf(same, "Looks", "late0", "round"); v == v || math.Abs(same.Objective-before.Objective) > 1e-4 {
		t.Errorf("a question leaves late0 at %v, objective %v, was %v", v, same.Objective, before.Objective)
	}
	applied, err := s.Apply(ctx, arrival(0)...)
	if err != nil || applied.Anew || applied.Perceived != 2 {
		t.Fatal(applied, err)
	}
	now := infer(t, s)
	seen := valueOf(now, "Looks", "late0", "round")
	if !(seen > 0 && seen < 1) || math.Abs(now.Objective-then.Objective) > 2e-4*now.Objective {
		t.Errorf("late0 looks %v round; objective %v, expected %v", seen, now.Objective, then.Objective)
	}
	was := valueOf(now, "Looks", "item3", "round")
	if applied, err = s.Apply(ctx, change.Features("Looks", "item3", 3, -2, 0)); err != nil || applied.Perceived != 2 {
		t.Fatal(applied, err)
	}
	if changed := valueOf(infer(t, s), "Looks", "item3", "round"); changed == was {
		t.Errorf("item3 has other features, and still looks %v round", was)
	}
	if v := valueOf(now, "Looks", "item3", "round"); v != was {
		t.Errorf("an answer of before says %v, and said %v", v, was)
	}
	e, err := s.Explain(ctx, deeppsl.Details{}, "Is", "late0", "round")
	if err != nil || math.Abs(e.Unexplained) > 1e-6 {
		t.Errorf("%+v, %v", e, err)
	}
	if v := valueOf(infer(t, s), "Looks", "late0", "round"); v != seen {
		t.Errorf("ground anew, late0 looks %v round, and was %v", v, seen)
	}
	path := filepath.Join(t.TempDir(), "saved")
	if err := s.Save(ctx, path); err != nil {
		t.Fatal(err)
	}
	again := looking(t)
	if _, err := again.Journal(ctx, path); err != nil {
		t.Fatal(err)
	}
	if v := valueOf(infer(t, again), "Looks", "late0", "round"); math.Abs(v-seen) > 1e-6 {
		t.Errorf("saved, late0 looks %v round, and was %v", v, seen)
	}
	if _, err := s.Learn(ctx); err != nil {
		t.Fatal(err)
	}
	if v := valueOf(infer(t, s), "Looks", "late0", "round"); v != v {
		t.Error("late0 is gone after learning")
	}
}

// arrive lets items come, one after the other, until it is killed.
func arrive(t *testing.T, path string) {
	s := looking(t)
	begun, err := s.Journal(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for k := begun; ; k++ {
		if _, err := s.Apply(ctx, arrival(k)...); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", k+1)
	}
}

// No item may be lost that a session has said has come, whenever the process is killed.
func TestFeaturesOutliveTheirProcess(t *testing.T) {
	if path := killtest.Path(); path != "" {
		arrive(t, path)
	}
	path, last := filepath.Join(t.TempDir(), "journal"), 0
	for round := range 8 {
		last = killtest.Kill(t, path, 1+round%3, time.Duration(round)*time.Millisecond/4)
	}
	s := looking(t)
	n, err := s.Journal(ctx, path)
	if err != nil || last == 0 || n < last {
		t.Fatalf("%d items of %d: %v", n, last, err)
	}
	answer := infer(t, s)
	whole := looking(t)
	var all []change.Change
	for k := range n {
		all = append(all, arrival(k)...)
	}
	slices.Reverse(all)
	if _, err := whole.Apply(ctx, all...); err != nil {
		t.Fatal(err)
	}
	want := infer(t, whole)
	for k := range n {
		name := fmt.Sprintf("late%d", k)
		if a, b := valueOf(answer, "Looks", name, "round"), valueOf(want, "Looks", name, "round"); !(math.Abs(a-b) <= 1e-6) {
			t.Errorf("%s looks %v round, and %v in another session", name, a, b)
		}
	}
	if math.Abs(answer.Objective-want.Objective) > 2e-4*want.Objective {
		t.Errorf("objective %v, want %v", answer.Objective, want.Objective)
	}
}

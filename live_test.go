package deeppsl_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/killtest"
)

// journaled changes a session again and again, and says when each change is made, until it is killed.
func journaled(t *testing.T, path string) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 10, func(int) float64 { return 0.5 }), deeppsl.Options{})
	applied, err := s.Journal(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for k := applied; ; k++ {
		if _, err := s.Apply(ctx, change.Observe(float64(k%7)/7, "Next", room(k%10), room((k+1+k/10)%10))); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", k+1)
	}
}

// A session that is killed, however often, must lose no change that was made; what is damaged must be told.
func TestKilledSessionsLoseNothing(t *testing.T) {
	if path := killtest.Path(); path != "" {
		journaled(t, path)
	}
	path, last := filepath.Join(t.TempDir(), "journal"), 0
	for round := range 20 {
		last = killtest.Kill(t, path, 1+round%4, 0)
		if round%3 == 0 { // as if a line had not been written to its end
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, append(text, text[:len(text)/2]...)[:len(text)+20], 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 10, func(int) float64 { return 0.5 }), deeppsl.Options{})
	applied, err := s.Journal(ctx, path)
	if err != nil || applied < last || applied < 20 {
		t.Fatalf("%d changes, %d were applied: %v", applied, last, err)
	}
	answer := infer(t, s)
	for k := applied - 7; k < applied; k++ {
		if v, ok := answer.Value("Next", room(k%10), room((k+1+k/10)%10)); !ok || v != float64(k%7)/7 {
			t.Errorf("change %d is lost: %v", k, v)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err == nil {
		text[len(text)/2] ^= 1
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	s = begin(t, p, rooms(p, 10, func(int) float64 { return 0.5 }), deeppsl.Options{})
	if _, err := s.Journal(ctx, path); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a damaged journal: %v", err)
	}
}

// Answers may be read while the session changes, and what else a session can do goes on from the changes.
func TestAnswersAreReadWhileTheSessionChanges(t *testing.T) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 40, func(room int) float64 { return float64(room%5) / 5 }), deeppsl.Options{})
	first := infer(t, s)
	if _, err := s.Apply(ctx, change.Give(1, "Reports", room(1))); err != nil {
		t.Fatal(err)
	}
	second := infer(t, s)
	var readers sync.WaitGroup
	done := make(chan struct{})
	for _, answer := range []*deeppsl.Answer{first, second} {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for a := range answer.Atoms("Fire") {
					if v, ok := answer.Value(a.Predicate, a.Arguments...); !ok || v != a.Value {
						panic(fmt.Sprint(a, v, ok))
					}
				}
			}
		})
	}
	for k := range 60 {
		name := fmt.Sprintf("new%d", k)
		changes := []change.Change{change.Target("Fire", name), change.Target("Safe", name),
			change.Observe(1, "Next", room(k%40), name), change.Give(0.5, "Reports", room(k%7))}
		if k%20 == 10 { // all is ground anew
			changes = append(changes, change.Give(0.7, "Reports", name))
		}
		if k%20 == 11 {
			changes = append(changes, change.Remove("Reports", fmt.Sprintf("new%d", k-1)))
		}
		if k%2 == 1 {
			changes = append(changes, change.Remove("Fire", fmt.Sprintf("new%d", k-1)),
				change.Remove("Next", room((k-1)%40), fmt.Sprintf("new%d", k-1)),
				change.Remove("Safe", fmt.Sprintf("new%d", k-1)))
		}
		if _, err := s.Apply(ctx, changes...); err != nil {
			t.Fatal(err)
		}
		infer(t, s)
	}
	close(done)
	readers.Wait()
	last := infer(t, s)
	var text strings.Builder
	if err := s.WriteGround(&text, 0); err != nil { // the session settles
		t.Fatal(err)
	}
	settled := infer(t, s)
	if math.Abs(settled.Objective-last.Objective) > 1e-4*last.Objective || !strings.Contains(text.String(), "new59") {
		t.Fatalf("objective %v, and %v settled", last.Objective, settled.Objective)
	}
}

// What has no meaning, or no state, is refused, and leaves everything as it was; deadlines end an inference.
func TestChangesAreRefused(t *testing.T) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 5, func(int) float64 { return 0.5 }), deeppsl.Options{})
	before := infer(t, s)
	fire, safe := change.Observe(1, "Fire", room(1)), change.Observe(1, "Safe", room(1))
	for want, changes := range map[string][]change.Change{
		"no predicate":              {change.Observe(1, "Smoke", "a")},
		"not in [0, 1]":             {change.Observe(2, "Fire", room(1))},
		"has 1 arguments":           {fire, change.Remove("Fire", "a", "b")},
		"there is no atom":          {fire, change.Remove("Fire", "cellar")},
		"is not given":              {change.Give(1, "Fire", room(1))},
		"give them values":          {change.Target("Reports", room(1))},
		"there is no rule 9":        {fire, change.Weight(9, 1)},
		"is hard and has no weight": {change.Weight(3, 1)},
		"no kind of change":         {{Kind: "turn"}},
		"violate":                   {fire, safe},
		"cannot hold together":      {fire, change.Rule("Fire(R) & Next(R, S) -> Safe(R) .")},
		"neither observed nor":      {change.Observe(1, "Next", room(1), "attic")},
		"unknown predicate":         {change.Rule("1: Smoke(A) -> Fire(A)")},
		"the text has no rule":      {fire, change.Rule("# later")},
	} {
		if _, err := s.Apply(ctx, changes...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", changes, err, want)
		}
	}
	if after := infer(t, s); math.Abs(after.Objective-before.Objective) > 1e-5 || len(s.Rules()) != 5 {
		t.Errorf("objective %v, was %v", after.Objective, before.Objective)
	}
	_, err := s.Apply(ctx, change.Deactivate(3), fire, safe, change.Weight(0, 9), change.Rule("2: Fire(R) ^2"))
	if err != nil {
		t.Fatal(err)
	}
	rules := s.Rules()
	if !rules[3].Inactive || rules[3].Ground != 0 || rules[5].Ground != 4 || rules[0].Weight != 9 {
		t.Errorf("%+v", rules)
	}
	if answer := infer(t, s); answer.Status != deeppsl.Optimal {
		t.Errorf("%+v", answer)
	}
	short, cancel := context.WithTimeout(ctx, time.Nanosecond)
	defer cancel()
	if _, err := s.Apply(ctx, change.Give(1, "Reports", room(2))); err != nil {
		t.Fatal(err)
	}
	if answer, err := s.Infer(short); err != nil || answer.Status != deeppsl.TimeLimit {
		t.Errorf("%v, %v", answer, err)
	}
	if answer := infer(t, s); answer.Status != deeppsl.Optimal {
		t.Errorf("%+v", answer)
	}
}

// What reaches further than ground rules is what a new session makes of it, and the journal keeps it.
func TestChangesThatGroundAnew(t *testing.T) {
	p := parse(t, alarms)
	report := func(r int) float64 { return float64(r%4) / 3 }
	s := begin(t, p, rooms(p, 5, report), deeppsl.Options{})
	path := filepath.Join(t.TempDir(), "journal")
	if _, err := s.Journal(ctx, path); err != nil {
		t.Fatal(err)
	}
	before := infer(t, s)
	value, _ := before.Value("Fire", room(1))
	want := infer(t, begin(t, p, rooms(p, 6, report), deeppsl.Options{})).Objective
	near := func(what string, answer *deeppsl.Answer, want float64) {
		t.Helper()
		if answer.Status != deeppsl.Optimal || math.Abs(answer.Objective-want) > 2e-4*want {
			t.Errorf("%s: %s, objective %v, want %v", what, answer.Status, answer.Objective, want)
		}
	}
	another := []change.Change{change.Give(report(5), "Reports", room(5)), change.Target("Fire", room(5)),
		change.Target("Safe", room(5)), change.Observe(1, "Next", room(4), room(5))}
	then, err := s.WhatIf(ctx, another...)
	if err != nil {
		t.Fatal(err)
	}
	near("what if", then, want)
	near("no trace", infer(t, s), before.Objective)
	applied, err := s.Apply(ctx, another...)
	if err != nil || applied.Anew {
		t.Fatal(applied, err) // given atoms have room for others
	}
	near("another room", infer(t, s), want)
	e, err := s.Explain(ctx, deeppsl.Details{}, "Fire", room(5))
	if err != nil || len(e.Pushes) == 0 || math.Abs(e.Unexplained) > 1e-6 {
		t.Errorf("%+v, %v", e, err)
	}
	near("after an explanation", infer(t, s), want)
	if again, known := before.Value("Fire", room(1)); !known || again != value {
		t.Errorf("an answer of before says %v, and said %v", again, value)
	}
	for what, c := range map[string]change.Change{"observed where given": change.Observe(report(2), "Reports", room(2)),
		"given where observed": change.Give(report(2), "Reports", room(2))} {
		if _, err := s.Apply(ctx, c); err != nil {
			t.Fatal(err)
		}
		near(what, infer(t, s), want)
	}
	if err := s.SetValue(1, "Reports", room(5)); err != nil {
		t.Fatal(err)
	}
	applied, err = s.Apply(ctx, change.Target("Next", room(1), room(3)), change.Weight(0, 3))
	if err != nil || !applied.Anew {
		t.Fatal(applied, err)
	}
	last := infer(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = begin(t, p, rooms(p, 5, report), deeppsl.Options{})
	if n, err := s.Journal(ctx, path); err != nil || n != 5 {
		t.Fatal(n, err)
	}
	near("from the journal", infer(t, s), last.Objective)
}

// What is saved begins a session that is the same, whatever the data say; what does not fit is told.
func TestSavedSessions(t *testing.T) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 5, func(r int) float64 { return float64(r) / 4 }), deeppsl.Options{})
	folder := t.TempDir()
	path := filepath.Join(folder, "saved")
	for _, c := range [][]change.Change{
		{change.Give(0.3, "Reports", room(5)), change.Target("Fire", room(5)), change.Target("Safe", room(5))},
		{change.Weight(1, 3), change.Rule("0.7: Next(R, S) & Safe(S) -> Safe(R) ^2"), change.Deactivate(4)},
		{change.Remove("Next", room(0), room(1)), change.Observe(0.2, "Fire", room(3)), change.Observe(0.8, "Safe", room(3))},
		{change.Give(0.123456789, "Reports", room(2))},
	} {
		if _, err := s.Apply(ctx, c...); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Save(ctx, path); err != nil {
		t.Fatal(err)
	}
	again := begin(t, p, rooms(p, 2, func(int) float64 { return 0 }), deeppsl.Options{})
	if n, err := again.Journal(ctx, path); err != nil || n != 0 {
		t.Fatal(n, err)
	}
	for range 2 {
		want, got := infer(t, s), infer(t, again)
		if got.Status != deeppsl.Optimal || math.Abs(got.Objective-want.Objective) > 2e-4*want.Objective {
			t.Errorf("%s, objective %v, want %v", got.Status, got.Objective, want.Objective)
		}
		if fmt.Sprint(s.Rules()) != fmt.Sprint(again.Rules()) {
			t.Errorf("rules %v, want %v", again.Rules(), s.Rules())
		}
		for _, one := range []*deeppsl.Session{s, again} {
			if _, err := one.Apply(ctx, change.Activate(4), change.Observe(1, "Next", room(4), room(5))); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, damaged := range map[string]string{
		"damaged": strings.Replace(string(text), room(3), room(4), 1),
		"parts":   string(text[:strings.IndexByte(string(text), '\n')+1]),
	} {
		at := filepath.Join(folder, what)
		if err := os.WriteFile(at, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		s := begin(t, p, rooms(p, 2, func(int) float64 { return 0 }), deeppsl.Options{})
		if _, err := s.Journal(ctx, at); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	other := parse(t, strings.Replace(alarms, "4: Reports", "5: Reports", 1))
	stranger := begin(t, other, rooms(other, 2, func(int) float64 { return 0 }), deeppsl.Options{})
	if _, err := stranger.Journal(ctx, path); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Error(err)
	}
}

// saved changes a session again and again and saves it now and then, until it is killed.
func saved(t *testing.T, path string) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 10, func(int) float64 { return 0.5 }), deeppsl.Options{})
	if _, err := s.Journal(ctx, path); err != nil {
		t.Fatal(err)
	}
	done, _ := infer(t, s).Value("Next", room(0), room(1))
	for k := int(math.Round(done*1000)) % 1000; ; k++ {
		if _, err := s.Apply(ctx, change.Observe(float64(k+1)/1000, "Next", room(0), room(1))); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", k+1)
		if k%3 == 0 {
			if err := s.Save(ctx, path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Saving must not lose a change either, whenever the process is killed.
func TestSessionsKilledWhileSaving(t *testing.T) {
	if path := killtest.Path(); path != "" {
		saved(t, path)
	}
	path, last := filepath.Join(t.TempDir(), "journal"), 0
	for round := range 20 {
		was := last
		if last = killtest.Kill(t, path, 1+round%5, time.Duration(round)*time.Millisecond/4); last < was {
			t.Fatalf("%d after %d", last, was)
		}
	}
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 10, func(int) float64 { return 0.5 }), deeppsl.Options{})
	if _, err := s.Journal(ctx, path); err != nil {
		t.Fatal(err)
	}
	if value, _ := infer(t, s).Value("Next", room(0), room(1)); last == 0 || value < float64(last)/1000 {
		t.Errorf("the value is %v after %d changes", value, last)
	}
}

// What would not fit is refused before it is there.
func TestChangesThatDoNotFitAreRefused(t *testing.T) {
	p := parse(t, alarms)
	s := begin(t, p, rooms(p, 300, func(int) float64 { return 0.5 }), deeppsl.Options{Memory: 64 << 20})
	before := infer(t, s)
	_, err := s.Apply(ctx, change.Rule("1: Fire(A) & Fire(B) & Fire(C) -> Safe(A)"))
	if err == nil || !strings.Contains(err.Error(), "of memory, and") || !strings.Contains(err.Error(), "this rule has") {
		t.Fatal(err)
	}
	if after := infer(t, s); math.Abs(after.Objective-before.Objective) > 1e-4*before.Objective {
		t.Errorf("objective %v, was %v", after.Objective, before.Objective)
	}
}

// A fact that has come in the place of one of a table is in no line of it, and those that stay keep theirs.
func TestExplainAfterChanges(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"facts.tsv": "ann\tbob\nbob\tcid\n",
		"model.json": `{"rules": ["1: Met(A, B) -> Knows(A, B) ^2", "1: !Knows(A, B) ^2"], "predicates": {
			"Met/2": {"observations": ["facts.tsv"]},
			"Knows/2": {"targets": [["ann", "bob"], ["bob", "cid"], ["cid", "ann"]]}}}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, data, err := deeppsl.Open(filepath.Join(folder, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := deeppsl.NewSession(t.Context(), p, data, deeppsl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Apply(t.Context(), change.Remove("Met", "ann", "bob"), change.Observe(1, "Met", "cid", "ann"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Explain(t.Context(), deeppsl.Details{WhyNot: 2}, "Knows", "bob", "cid"); err == nil {
		t.Error("there is no other side of 2")
	}
	for from, want := range map[string]int{"bob": 2, "cid": 0} {
		to := map[string]string{"bob": "cid", "cid": "ann"}[from]
		e, err := s.Explain(t.Context(), deeppsl.Details{}, "Knows", from, to)
		if err != nil {
			t.Fatal(err)
		}
		for _, push := range e.Pushes {
			for _, a := range push.Atoms {
				if a.Role == "observed" && a.Line != want {
					t.Errorf("%s is in line %d of %q, and not %d", a.Atom, a.Line, a.File, want)
				}
			}
		}
	}
}

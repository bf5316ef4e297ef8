package serve

import (
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/change"
)

// TestJournal begins again with what was there, whether the service ended in order or not, and knows its keys.
func TestJournal(t *testing.T) {
	model, path := newModel(t), filepath.Join(t.TempDir(), "journal")
	s, stop := start(t, model, path)
	changes := []change.Change{change.Observe(1, "Likes", "bob", "jazz"), change.Observe(0.5, "Knows", "cy", "ann")}
	for k, key := range []string{"a", "b", "a"} {
		if _, err := s.Update(t.Context(), key, changes[min(k, 1):min(k, 1)+1]); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Current().Updates; n != 2 {
		t.Errorf("%d updates, want 2: the third has the key of the first", n)
	}
	killed := filepath.Join(t.TempDir(), "killed")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(killed, append(text, "12345678 {\"chan"...), 0o666); err != nil {
		t.Fatal(err)
	}
	want := s.Current().Answer.Objective
	stop()
	if _, err := s.Update(t.Context(), "", changes); err == nil {
		t.Error("an update of what has ended was made")
	}
	for _, path := range []string{path, killed} {
		again, stop := start(t, model, path)
		if got := again.Current(); got.Updates != 2 || math.Abs(got.Answer.Objective-want) > 1e-4*want {
			t.Errorf("%d updates with the objective %v, want 2 and %v", got.Updates, got.Answer.Objective, want)
		}
		if _, err := again.Update(t.Context(), "b", changes[1:]); err != nil || again.Current().Updates != 2 {
			t.Errorf("the key of an update is not known: %v", err)
		}
		if before, after, err := again.Snapshot(t.Context()); err != nil || after <= 0 || before <= 0 {
			t.Errorf("%d bytes, %d after: %v", before, after, err)
		}
		stop()
		again, stop = start(t, model, path)
		if got := again.Current().Answer.Objective; math.Abs(got-want) > 1e-4*want {
			t.Errorf("after a snapshot the objective is %v, want %v", got, want)
		}
		if _, err := again.Update(t.Context(), "b", changes[1:]); err != nil || again.Current().Updates > 4 {
			t.Errorf("after a snapshot the key of an update is not known: %v", err)
		}
		stop()
	}
}

// TestUnwritable lets the disk be full for a moment: what could not be written is not there, what was before is, and
// updates go on when there is room again.
func TestUnwritable(t *testing.T) {
	if os.Getenv("DEEPPSL_TEST_UNWRITABLE") == "" { // in a process of its own, whose files alone are bounded
		child := exec.Command(os.Args[0], "-test.run=^TestUnwritable$")
		child.Env = append(os.Environ(), "DEEPPSL_TEST_UNWRITABLE=yes")
		if out, err := child.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	s, _ := start(t, newModel(t), filepath.Join(t.TempDir(), "journal"))
	likes := func(value float64) error {
		_, err := s.Update(t.Context(), fmt.Sprint(value), []change.Change{change.Observe(value, "Likes", "bob", "jazz")})
		return err
	}
	if err := likes(0.25); err != nil {
		t.Fatal(err)
	}
	restore := noRoom(t, s.journal.Size())
	err := likes(0.5)
	restore()
	if err == nil {
		t.Fatal("an update that was not written was made")
	}
	value := func() float64 { v, _ := s.Value("Likes", []string{"bob", "jazz"}); return *v }
	if got := value(); got != 0.25 {
		t.Errorf("the value is %v, want that which was written", got)
	}
	if err := likes(0.75); err != nil || value() != 0.75 {
		t.Errorf("the next update: %v, %v", value(), err)
	}
	if err := likes(0.25); err != nil || value() != 0.75 {
		t.Errorf("the key of the first is not known: %v, %v", value(), err)
	}
}

// TestSnapshots makes random changes with snapshots between them, by request or because the journal is long, and begins
// again with the journal: the answer is the same, the keys are known, and updates go on being counted.
func TestSnapshots(t *testing.T) {
	model, folder := newModel(t), t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		path := filepath.Join(folder, rand.Text())
		eager := rapid.Bool().Draw(r, "eager")
		s, stop := run(r, model, path, eager)
		defer func() { stop() }()
		made, last := 0, ""
		for k := range rapid.IntRange(1, 12).Draw(r, "updates") {
			key := fmt.Sprint("key", k)
			if _, err := s.Update(r.Context(), key, []change.Change{drawChange(r)}); err == nil {
				made, last = made+1, key
			}
			if rapid.IntRange(0, 4).Draw(r, "ask") == 0 {
				if before, after, err := s.Snapshot(r.Context()); err != nil || after == 0 || made > 0 && before == 0 {
					r.Fatalf("%d bytes, and %d after: %v", before, after, err)
				}
			}
			if rapid.IntRange(0, 4).Draw(r, "again") == 0 {
				stop()
				s, stop = run(r, model, path, eager)
			}
		}
		if err := s.Infer(r.Context()); err != nil {
			r.Fatal(err)
		}
		want, rules := s.Current(), s.Rules()
		stop()
		s, stop = run(r, model, path, eager)
		got := s.Current()
		if got.Updates != made {
			r.Fatalf("%d updates, want %d", got.Updates, made)
		}
		if now := s.Rules(); !reflect.DeepEqual(now, rules) {
			r.Fatalf("rules %v, want %v", now, rules)
		}
		if last != "" {
			if _, err := s.Update(r.Context(), last, []change.Change{drawChange(r)}); err != nil || s.Current().Updates != made {
				r.Fatalf("the key %s is not known: %v", last, err)
			}
		}
		if proven := want.Answer.Status == "optimal" && got.Answer.Status == "optimal"; !proven {
			r.Skip("one of them ends at a limit")
		}
		if math.Abs(want.Answer.Objective-got.Answer.Objective) > 1e-4*max(1, want.Answer.Objective) {
			r.Fatalf("objective %v, want %v", got.Answer.Objective, want.Answer.Objective)
		}
	})
}

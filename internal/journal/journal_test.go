package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/killtest"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

func open(t *testing.T, path string, want int) *Journal {
	t.Helper()
	j, records, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for k, record := range records {
		if string(record) != fmt.Sprint(k) {
			t.Errorf("record %d is %s", k, record)
		}
	}
	if len(records) != want {
		t.Errorf("%d records, want %d", len(records), want)
	}
	return j
}

func TestRecordsAreThereAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, 0)
	for k := range 10 {
		if err := j.Append(k); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Append(10, 11); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a second writer got %v", err)
	}
	if err := j.Append(func() {}); err == nil {
		t.Error("what is no JSON was written")
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = open(t, path, 12)
	if err := j.Replace(0, 1); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(2); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path); !errors.Is(err, ErrLocked) {
		t.Errorf("after Replace, a second writer got %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path, 3).Close()
}

// TestDamage cuts and changes a journal anywhere: what is returned is a beginning of what was written, and only the
// last record may be gone without a word.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	j := open(t, path, 0)
	if err := j.Append(0, 1, 2, 3, 4); err != nil {
		t.Fatal(err)
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := append([]byte(nil), whole...)
		changed := rapid.Bool().Draw(t, "changed")
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		if changed {
			text[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		} else {
			text = text[:at]
		}
		path := filepath.Join(dir, "damaged")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		j, records, err := Open(path)
		var damage *Damage
		if errors.As(err, &damage) {
			if !changed {
				t.Fatalf("a journal that was cut is damaged: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		for k, record := range records {
			if string(record) != fmt.Sprint(k) {
				t.Fatalf("record %d is %q", k, record)
			}
		}
		if lines := strings.Count(string(text), "\n"); len(records) != lines || changed && at < len(text)-1 {
			t.Fatalf("%d records of %d lines", len(records), lines)
		}
		if err := j.Append(len(records)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestMissing takes a record out of the middle.
func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := open(t, path, 0)
	if err := j.Append(0, 1, 2, 3, 4); err != nil {
		t.Fatal(err)
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	if err := os.WriteFile(path, []byte(lines[0]+lines[1]+lines[3]+lines[4]), 0o666); err != nil {
		t.Fatal(err)
	}
	var damage *Damage
	if _, _, err := Open(path); !errors.As(err, &damage) || damage.Line != 3 {
		t.Errorf("without its third record, a journal is opened with %v", err)
	}
}

// TestKill kills a process that writes: all that it was told was written is there.
func TestKill(t *testing.T) {
	if path := killtest.Path(); path != "" {
		j, _, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; ; k++ {
			if err := j.Append(k); err != nil {
				t.Fatal(err)
			}
			fmt.Println("done", k)
		}
	}
	for round := range 5 {
		path := filepath.Join(t.TempDir(), "journal")
		told := killtest.Kill(t, path, 4+7*round, 0)
		j, records, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
		if len(records) <= told {
			t.Errorf("%d records, where %d had been written", len(records), told+1)
		}
		var last int
		if err := json.Unmarshal(records[len(records)-1], &last); err != nil || last != len(records)-1 {
			t.Errorf("the last record is %s, %v", records[len(records)-1], err)
		}
	}
}

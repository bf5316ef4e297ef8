package report

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestQuietProgressIsSilent(t *testing.T) {
	var b bytes.Buffer
	task := NewProgress(&b, true).Start("work", 2, "items")
	task.Add(2)
	task.Done()
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}

func TestPlainProgress(t *testing.T) {
	now := time.Unix(0, 0)
	var b bytes.Buffer
	progress := &lines{w: &b, now: func() time.Time { return now }, every: 5 * time.Second}

	short := progress.Start("short", 10, "items")
	short.Add(10)
	short.Done()

	long := progress.Start("mnist", 2_000_000, Bytes)
	for range 8 {
		now = now.Add(2 * time.Second)
		long.Add(200_000)
	}
	long.Done()
	long.Done()
	long.Add(1)

	open := progress.Start("epochs", -1, "steps")
	now = now.Add(10 * time.Second)
	open.Add(25)

	slow := progress.Start("runs", 20, "runs")
	now = now.Add(12 * time.Second)
	slow.Add(3)

	const want = `mnist: 600 kB of 2 MB (30 %), 100 kB/s, 14s left
mnist: 1.2 MB of 2 MB (60 %), 100 kB/s, 8s left
mnist: 1.6 MB of 2 MB (80 %), 100 kB/s, 4s left
epochs: 25 steps, 2.5 steps/s
runs: 3 runs of 20 runs (15 %), 0.25 runs/s, 1m8s left
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestProgressIsSafeForManyGoroutines(t *testing.T) {
	var b bytes.Buffer
	for _, progress := range []Progress{&lines{w: &b, now: time.Now, redrawn: true}, &lines{w: &b, now: time.Now}} {
		task := progress.Start("work", 100, "items")
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 25 {
					task.Add(1)
				}
			})
		}
		group.Wait()
		task.Done()
	}
	if !strings.Contains(b.String(), "work: 100 items of 100 items (100 %)") {
		t.Errorf("the last line is missing in %q", b.String())
	}
}

// On a terminal the line is redrawn in place, cut to the terminal's width, and gone at the end.
func TestBar(t *testing.T) {
	now := time.Unix(0, 0)
	var b bytes.Buffer
	progress := &lines{w: &b, now: func() time.Time { return now }, every: 100 * time.Millisecond, redrawn: true,
		columns: 60}
	task := progress.Start("grounding", 12, "rules")
	task.Add(1) // too early for a line
	now = now.Add(time.Second)
	task.Add(3)
	task.Done()
	task.Done()
	short := progress.Start("short", 1, "rules")
	short.Add(1)
	short.Done()
	const want = "\r\x1b[K████████░░░░░░░░░░░░░░░░ grounding: 4 rules of 12 rules (33\r\x1b[K"
	if got := b.String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 999_700: "1 MB", 3.2e13: "32 TB"} {
		if got := FormatBytes(n); got != want {
			t.Errorf("FormatBytes(%g) = %q, want %q", n, got, want)
		}
	}
}

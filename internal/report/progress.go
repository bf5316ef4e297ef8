package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress shows how far long work is.
type Progress interface {
	// Start begins a task of total items (negative: unknown). Unit names the items in the plural, "bytes" being shown as
	// kB and MB. One task runs at a time.
	Start(name string, total int64, unit string) Task
}

// Task is one piece of work under way. Its methods may be called by any number of goroutines.
type Task interface {
	// Add says that n more items are done.
	Add(n int64)
	// Done ends the task, finished or not. Calls after the first do nothing.
	Done()
}

// Bytes is the unit that is shown with decimal prefixes.
const Bytes = "bytes"

// NewProgress returns what suits w: nothing at all if quiet, a line with a bar, rate and time left that is redrawn if w
// is a terminal, and otherwise, in logs and pipes, a plain line every few seconds.
func NewProgress(w io.Writer, quiet bool) Progress {
	switch {
	case quiet:
		return silent{}
	case IsTerminal(w):
		return &lines{w: w, now: time.Now, every: 100 * time.Millisecond, redrawn: true, columns: Columns(w)}
	}
	return &lines{w: w, now: time.Now, every: 5 * time.Second}
}

// IsTerminal tells whether w is a terminal, whose user can watch a bar and see colours.
func IsTerminal(w io.Writer) bool {
	file, ok := fileOf(w)
	return ok && term.IsTerminal(int(file.Fd()))
}

// fileOf returns the file that w writes to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	if screen, ok := w.(*Screen); ok {
		w = screen.w
	}
	file, ok := w.(*os.File)
	return file, ok
}

// Columns returns the columns of the terminal that w is, or 0 if it is none.
func Columns(w io.Writer) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// silent shows nothing; it is its own task.
type silent struct{}

func (silent) Start(string, int64, string) Task { return silent{} }
func (silent) Add(int64)                        {}
func (silent) Done()                            {}

// lines writes a line when a task has run for a while, then at most one per interval, and one at its end if any was
// written before: short work stays silent.
type lines struct {
	w     io.Writer
	now   func() time.Time
	every time.Duration
	// redrawn lines begin with a bar, take the place of the one before, and go at the end; they are cut to the columns
	// of the terminal, unless these are 0.
	redrawn bool
	columns int
}

func (p *lines) Start(name string, total int64, unit string) Task {
	now := p.now()
	return &lineTask{progress: p, name: name, total: total, unit: unit, start: now, last: now}
}

type lineTask struct {
	progress *lines
	name     string
	total    int64
	unit     string

	mu    sync.Mutex
	done  int64
	start time.Time
	last  time.Time // of the last line, or the start
	ended bool
}

func (t *lineTask) Add(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	if now := t.progress.now(); !t.ended && now.Sub(t.last) >= t.progress.every {
		t.print(now)
	}
}

func (t *lineTask) Done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch drawn := t.last.After(t.start); {
	case t.ended || !drawn:
	case t.progress.redrawn:
		t.write(eraseLine)
	default:
		t.print(t.progress.now())
	}
	t.ended = true
}

// eraseLine goes to the beginning of a terminal's line and erases it.
const eraseLine = "\r\x1b[K"

// barWidth is that of a bar in columns.
const barWidth = 24

// print writes one line: how many items of how many, the rate, and the time left if it can be told.
func (t *lineTask) print(now time.Time) {
	t.last = now
	rate := float64(t.done) / now.Sub(t.start).Seconds()
	line := fmt.Sprintf("%s: %s", t.name, t.amount(float64(t.done)))
	if t.total > 0 {
		line = fmt.Sprintf("%s of %s (%d %%)", line, t.amount(float64(t.total)), 100*t.done/t.total)
	}
	line += fmt.Sprintf(", %s/s", t.pace(rate))
	if left := t.total - t.done; left > 0 && rate > 0 {
		line += fmt.Sprintf(", %s left", time.Duration(float64(left)/rate*1e9).Round(time.Second))
	}
	if !t.progress.redrawn {
		t.write(line + "\n")
		return
	}
	if t.total > 0 {
		filled := int(barWidth * min(t.done, t.total) / t.total)
		line = strings.Repeat("█", filled) + strings.Repeat("░", barWidth-filled) + " " + line
	}
	t.write(eraseLine + cutTo(line, t.progress.columns))
}

// write shows text. What goes wrong is the terminal's: losing a line must not fail the work.
func (t *lineTask) write(text string) { _, _ = io.WriteString(t.progress.w, text) }

// amount prints a number of the task's items.
func (t *lineTask) amount(n float64) string {
	if t.unit == Bytes {
		return FormatBytes(n)
	}
	return fmt.Sprintf("%.0f %s", n, t.unit)
}

// pace prints how many items a second takes, also where it is a part of one.
func (t *lineTask) pace(rate float64) string {
	if t.unit == Bytes || rate >= 10 {
		return t.amount(rate)
	}
	return fmt.Sprintf("%.2g %s", rate, t.unit)
}

// FormatBytes prints a number of bytes with a decimal prefix: 1.5 MB.
func FormatBytes(n float64) string {
	for _, prefix := range []string{"", "k", "M", "G", "T"} {
		if n < 999.5 || prefix == "T" {
			return fmt.Sprintf("%.3g %sB", n, prefix)
		}
		n /= 1000
	}
	panic("unreachable")
}

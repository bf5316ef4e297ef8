package report

import (
	"io"
	"sync"
)

// Screen is a terminal with a line at its end that is redrawn: what is written otherwise takes its place.
type Screen struct {
	w     io.Writer
	mu    sync.Mutex
	drawn bool
}

// OnScreen returns a *Screen of w if w is a terminal, and else w.
func OnScreen(w io.Writer) io.Writer {
	if IsTerminal(w) {
		return &Screen{w: w}
	}
	return w
}

// Show draws a line in place of the one before, cut to the columns that there are.
func (s *Screen) Show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// What goes wrong is the terminal's: losing a line must not fail the work.
	_, _ = io.WriteString(s.w, eraseLine+cutTo(line, Columns(s.w)))
	s.drawn = true
}

// Clear takes the line away.
func (s *Screen) Clear() { _, _ = s.Write(nil) }

// Write writes what stays.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		s.drawn = false
		if _, err := io.WriteString(s.w, eraseLine); err != nil {
			return 0, err
		}
	}
	return s.w.Write(p)
}

// cutTo cuts a line so that it does not go on in the next one; 0 columns are any number.
func cutTo(line string, columns int) string {
	if runes := []rune(line); columns > 0 && len(runes) >= columns {
		return string(runes[:columns-1])
	}
	return line
}

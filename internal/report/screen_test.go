package report

import (
	"bytes"
	"fmt"
	"testing"
)

// A line is redrawn in its place, and what is written takes it: nothing is left of a line that was shown.
func TestScreen(t *testing.T) {
	var b bytes.Buffer
	s := &Screen{w: &b}
	fmt.Fprint(s, "before\n")
	s.Show("epoch 1")
	s.Show("epoch 2")
	fmt.Fprint(s, "a warning\n")
	fmt.Fprint(s, "of two lines\n")
	s.Show("epoch 3")
	s.Clear()
	s.Clear()
	want := "before\n" + eraseLine + "epoch 1" + eraseLine + "epoch 2" + eraseLine + "a warning\nof two lines\n" +
		eraseLine + "epoch 3" + eraseLine
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if OnScreen(&b) != &b {
		t.Error("a buffer is no terminal")
	}
	for line, want := range map[string]string{"größer": "größe", "klein": "klein"} {
		if got := cutTo(line, 6); got != want {
			t.Errorf("%q is cut to %q", line, got)
		}
	}
}

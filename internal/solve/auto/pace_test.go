package auto

import (
	"math"
	"testing"
)

// A method that has proven nothing yet is not nearly there, however long it works for its first proof.
func TestNothingProvenIsFarOff(t *testing.T) {
	p := newPace(true)
	off := p.see(math.Inf(1))
	if !math.IsInf(off, 1) || !math.IsInf(p.expected(1, off), 1) {
		t.Errorf("%g off, %g expected", off, p.expected(1, off))
	}
	if off = p.see(30); off != 30 {
		t.Errorf("%g off after the first proof", off)
	}
}

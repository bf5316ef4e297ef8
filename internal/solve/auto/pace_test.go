package auto

import (
	"math"
	"testing"
)

// A method that has proven nothing yet is not nearly there, however long it works for its first proof.
func TestNothingProvenIsFarOff(t *testing.T) {
	p := newPace(true)
	off := p.see(1, math.Inf(1))
	if !math.IsInf(off, 1) || !math.IsInf(p.left(1, off), 1) {
		t.Errorf("%g off, %g left", off, p.left(1, off))
	}
	if off = p.see(2, 30); off != 30 {
		t.Errorf("%g off after the first proof", off)
	}
}

// Where the work for each digit grows, what is left is taken for so many times as much.
func TestDigitsThatTakeEverLonger(t *testing.T) {
	p := newPace(true)
	end, off := 1000.0, 0.0
	for work := 1.0; work <= end/4; work *= 1.1 {
		off = p.see(work, math.Pow(end/work, 2))
		if left := p.left(work, off); off <= nearly && math.Abs(left/max(work, counted*(end-work))-1) > 0.05 {
			t.Errorf("%g left after %g", left, work)
		}
	}
	if off > nearly {
		t.Fatal("never nearly there")
	}
	for work := end / 4; work <= 2*end; work *= 1.1 {
		off = p.see(work, off)
	}
	if !math.IsInf(p.left(2*end, off), 1) {
		t.Error("expected to end though it stands still")
	}
}

package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
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

// Newton's method on Cora's 200,000 linear ground rules and 2,500 equations takes 4.2e8 to 1e-6 where factorisations
// take 1.8e9: it must not be given up there while it is far off, but must where it stands still.
func TestSteadyPace(t *testing.T) {
	h := &hybrid{equations: true, warm: 1, patient: patience}
	p := newPace(true)
	work, off := 0.0, 0.0
	for _, at := range []place{{9.1e5, math.Inf(1)}, {1.03e7, 7.42e6}, {2.88e7, 1.51e6}, {4.89e7, 4.69e5},
		{6.53e7, 3.62e5}, {8.8e7, 2.14e5}, {1.07e8, 9.13e4}} {
		work, off = at.work, p.see(at.work, at.off)
		if waits := h.patience(&p, off); work > 8e7 && waits != patience {
			t.Errorf("after %g, %g off, it waits for %g of the other's work", work, off, waits)
		}
	}
	p = newPace(true)
	for work = 1e6; work < 1e9; work *= 1.1 {
		off = p.see(work, 1e6-work/1e4)
	}
	if waits := h.patience(&p, off); waits != impatience {
		t.Errorf("without gain it waits for %g of the other's work", waits)
	}
}

// Where Newton's method gets nowhere, what tries did that have ended for good counts as if it had worked; where it
// gains something, it does not, nor while they may still end.
func TestTriesThatEndCount(t *testing.T) {
	h := &hybrid{equations: true, warm: 1, patient: patience, tries: tries{tired: true}, passed: 1e8, ahead: 1}
	h.cost.Work = 1.2e9
	p := newPace(true)
	if off := p.see(2.4e7, 1.7e6); !h.due(&p, 2.4e7, off) {
		t.Error("factorisations wait for Newton's method, which gets nowhere")
	}
	if h.tired = false; h.due(&p, 2.4e7, 1.7e6) {
		t.Error("factorisations do not wait for tries")
	}
	if h.tired = true; h.due(&p, 2.4e7, far/2) {
		t.Error("factorisations do not wait for Newton's method, which gains something")
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

// A try goes on for as long as its end is near, or much of it is done; it ends where that is far, and where it seems
// done twice and has no proof.
func TestTriesEnd(t *testing.T) {
	const work = 10
	proof := new(solve.Result)
	for name, c := range map[string]struct {
		left  []float64 // after each try; the last one stays
		proof bool      // the last one has it
		tries int
		tired bool
	}{
		"no proof":    {left: []float64{0}, tries: 2, tired: true},
		"nearer":      {left: []float64{25, 5, 0}, proof: true, tries: 3},
		"a late one":  {left: []float64{0, 5, 0}, proof: true, tries: 3},
		"far":         {left: []float64{20, promising*work + 1}, tries: 2},
		"half of it":  {left: []float64{100, 200, 0}, proof: true, tries: 3},
		"over":        {left: []float64{20, math.Inf(1)}, tries: 2, tired: true},
		"no progress": {left: []float64{5, 0}, tries: 3, tired: true},
	} {
		h, tries, last := &tries{budget: 1}, 0, 0.0
		h.persist(work, func(budget float64) (*solve.Result, float64) {
			if tries++; tries > 9 || budget <= last {
				t.Fatalf("%s: try %d, for %g", name, tries, budget)
			}
			last = budget
			if c.proof && tries == len(c.left) {
				return proof, 0
			}
			return nil, c.left[min(tries, len(c.left))-1]
		})
		if tries != c.tries || h.tired != c.tired || (h.tried != nil) != c.proof {
			t.Errorf("%s: %d tries, tired: %v, solved: %v", name, tries, h.tired, h.tried != nil)
		}
	}
}

// Where tries have ended for good, factorisations wait for no more than what they would take from there.
func TestFactorisationsGoOnFromTries(t *testing.T) {
	field := mrftest.Cover{Variables: 2000, Terms: 6, Times: 1, Cost: (*rand.Rand).Float64}.Field()
	h, before := newHybrid(field, solve.Settings{Threads: 1}), 1.0
	h.analyse()
	h.tired = true
	for budget, p := h.cost.Early/16, newPace(true); ; budget *= 2 {
		r, _ := h.interior.Try(t.Context(), budget)
		if r != nil {
			break
		}
		h.ahead = h.interior.Ahead()
		wait := h.patience(&p, far) * h.ahead * h.cost.Work
		if h.ahead >= before || h.due(&p, 0.99*wait, far) || !h.due(&p, 1.01*wait, far) {
			t.Errorf("they do not wait for %.3g of %.3g", h.ahead, h.cost.Work)
		}
		before = h.ahead
	}
	if before == 1 {
		t.Error("no try ended")
	}
}

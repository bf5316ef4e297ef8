package local

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// A whole that is solved elsewhere while potentials come and go must leave totals that are those of everything, and the
// next Solve must prove what a cold solver finds.
func TestLent(t *testing.T) {
	for seed := range uint64(24) {
		forms := [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All}[seed%3]
		l := start(t, seed, forms)
		proven := 0
		for range 12 {
			l.change()
			w := l.Lend()
			if !l.Lent(w) {
				t.Fatal("what was lent is not")
			}
			field := mrf.NewFieldOn(w.Model, 1)
			field.SetWeights(l.theta)
			field.SetInputs(l.x)
			result := l.cold(w.Model)
			l.meanwhile()
			if result.Status == solve.Infeasible || l.rng.IntN(5) == 0 {
				l.Return(w)
			} else {
				w.Solved(field, result)
				var err error
				if l.State, err = l.Adopt(w); err != nil {
					t.Fatal(err)
				}
			}
			if l.Lent(w) {
				t.Fatal("what was adopted is lent")
			}
			l.check(Outcome{Status: solve.Stalled})
			out, err := l.Solve(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			l.check(out)
			if out.Status == solve.Optimal {
				proven++
			}
		}
		if proven < 6 {
			t.Errorf("seed %d: only %d of 12 are proven in the end", seed, proven)
		}
	}
}

// While a whole is lent, rules and variables may come that no potential has yet: the state must know them once it is
// adopted, also where it is made anew.
func TestLentWhileRulesCome(t *testing.T) {
	l := start(t, 3, mrftest.Soft)
	for range 30 {
		l.change() // so much that it is made anew
	}
	if _, err := l.Solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := l.Lend()
	field := mrf.NewFieldOn(w.Model, 1)
	field.SetWeights(l.theta)
	field.SetInputs(l.x)
	w.Solved(field, l.cold(w.Model))
	rule, variable := len(l.theta), int32(len(l.y))
	l.theta = append(slices.Clone(l.theta), 2)
	l.AddRule(2)
	l.Grow(len(l.y) + 3)
	var err error
	if l.State, err = l.Adopt(w); err != nil {
		t.Fatal(err)
	}
	l.Add(&mrf.Potential{Rule: rule, Kind: mrf.Hinge, Exponent: 2, Vars: []int32{variable, 1}, Coef: []float64{-1, 1},
		Constant: 0.5, Scale: 1})
	out, err := l.Solve(t.Context())
	if err != nil || out.Status != solve.Optimal {
		t.Fatalf("%+v, %v", out, err)
	}
	l.check(out)
}

// solveSomehow solves all, or what is near, with time or without.
func (l *living) solveSomehow() (Outcome, error) {
	limited, done := context.WithTimeout(context.Background(), time.Duration(l.rng.IntN(2))*time.Hour)
	defer done()
	if l.rng.IntN(2) == 0 {
		return l.Near(limited)
	}
	return l.Solve(limited)
}

// What Near leaves is for Solve.
func TestNear(t *testing.T) {
	proven := 0
	for seed := range uint64(12) {
		l := start(t, seed, mrftest.Soft)
		for range 8 {
			for range l.rng.IntN(4) {
				l.change()
				if _, err := l.solveSomehow(); err != nil {
					t.Fatal(err)
				}
				l.check(Outcome{Status: solve.Stalled})
			}
			out, err := l.Solve(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			l.check(out)
			if out.Status == solve.Optimal {
				proven++
			}
		}
	}
	if proven < 80 {
		t.Errorf("%d of 96 are proven", proven)
	}
}

// What is pushed by a part that Near had to leave is not forgotten, whatever the next Solve finds around that part.
func TestWhatIsLeftIsKnown(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	left := 0
	for seed := range uint64(40) {
		l := start(t, seed, mrftest.Soft)
		before := make([]float64, len(l.y))
		for i := range l.y {
			before[i] = l.rest(int32(i))
		}
		for range 3 {
			l.change()
			if _, err := l.Near(ended); err != nil {
				t.Fatal(err)
			}
		}
		for i := range l.y {
			rest := l.rest(int32(i))
			if rest <= max(l.negligible(), 1.01*before[i]) {
				continue
			}
			left++
			i := int32(i)
			noted := func(a pressure) bool { return a.i == i }
			if !slices.Contains(l.left, i) && !slices.ContainsFunc(l.pressed.heap, noted) {
				t.Errorf("seed %d: variable %d is left with %v, and not noted", seed, i, rest)
			}
		}
	}
	if left < 100 {
		t.Errorf("only %d variables are left with anything", left)
	}
}

// meanwhile makes some changes, solves near them, and takes others back.
func (l *living) meanwhile() {
	for range l.rng.IntN(4) {
		l.Begin()
		there, theta := slices.Clone(l.there), l.theta
		l.change()
		if _, err := l.solveSomehow(); err != nil {
			l.t.Fatal(err)
		}
		if l.rng.IntN(3) == 0 {
			l.Rollback()
			l.there, l.theta = there, theta
		} else {
			l.Commit()
		}
		l.check(Outcome{Status: solve.Stalled})
	}
}

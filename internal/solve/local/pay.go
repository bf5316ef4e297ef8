package local

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// A change may leave what the gap has room for, and mostly leaves that in the multipliers around what it has solved. As
// more changes do so, the room gets small: then parts grow until hardly anything is left around them, and to take in
// what others have left there presses what is behind it. It goes where all is solved together that potentials which
// count tie to each other, mostly some hundreds of variables that nothing around them holds. So a change that has taken
// little pays for some of what others have left, while that is much of what may be.

const (
	// owed is the part of the gap that is let be.
	owed = 0.4
	// easy is how many coefficients the rounds of a change have gone through at most that pays for others.
	easy = 6_000
	// allowance is how many times as many coefficients may be gone through to pay as to solve changes.
	allowance = 2
	// payable is how many variables are solved then at most, or a few more, and searched in how many potentials of theirs
	// others are looked for.
	payable, searched = 500, 100_000
)

// Update is Solve for changes that stay, one after the other: so that later ones have room in the gap, it may solve
// some of what earlier ones have left of it, too.
func (s *State) Update(ctx context.Context) (Outcome, error) {
	changed := len(s.pending)+len(s.left) > 0
	out, err := s.Solve(ctx)
	if err != nil || !changed || out.Status != solve.Optimal || s.lent != nil {
		return out, err
	}
	paid, err := s.pay(ctx, out.work)
	if !s.proven() {
		out.Status = paid.Status
	}
	return out, err
}

// pay solves what is around the variable that earlier changes have left with most of the gap, after a change that has
// gone through so many coefficients.
func (s *State) pay(ctx context.Context, work int) (Outcome, error) {
	paid := Outcome{Status: solve.Optimal}
	s.credit += allowance * work
	if s.credit <= 0 || work > easy || s.gap.Value() <= owed*s.settings.Gap*s.worth() {
		return paid, nil
	}
	for s.pressed.len() > 0 && s.paid() {
	}
	if s.pressed.len() == 0 {
		return paid, nil
	}
	first := s.pressed.heap[0]
	s.pressed.drop()
	s.markAll()
	s.pending, s.paying = s.tie([]int32{first.i}, payable, searched), true
	defer func() { s.paying = false }()
	paid, err := s.prove(ctx, false)
	s.credit -= min(paid.work, s.size)
	if s.proven() {
		s.pending = nil // what has not been paid is not for the next change, which would take all that is tied
	}
	if rest := s.rest(first.i); rest > s.negligible() && rest < first.rest/2 { // or else it would be for nothing again
		s.pressBy(first.i, rest)
	}
	return paid, err
}

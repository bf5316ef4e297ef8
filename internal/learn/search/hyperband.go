package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// hyperband runs brackets that trade the number of draws for the budget of each.
func (r *run) hyperband() error {
	if draws := r.draws(r.Brackets - 1); draws > mostDraws {
		return fmt.Errorf("%d brackets that keep one of %d would begin with %.3g draws, more than %d", r.Brackets,
			r.Survival, draws, mostDraws)
	}
	for s := r.Brackets - 1; s >= 0; s-- {
		candidates := make([]candidate, int(r.draws(s)))
		for k := range candidates {
			candidates[k].sought = r.draw()
		}
		if err := r.halve(candidates, s); err != nil {
			return err
		}
	}
	return nil
}

// mostDraws bounds a bracket: more trials than that are a mistake.
const mostDraws = 1_000_000

// draws is how many bracket s begins with.
func (r *run) draws(s int) float64 {
	return math.Ceil(float64(r.Base) / float64(s+1) * math.Pow(float64(r.Survival), float64(s)))
}

// candidate is a draw with the score that it had at its last budget.
type candidate struct {
	sought []float64
	score  float64
}

// halve is successive halving: all candidates get the budget, the better ones survive and get more. The last rung is
// the full budget.
func (r *run) halve(candidates []candidate, rungs int) (err error) {
	for rung := rungs; rung >= 0; rung-- {
		budget := math.Pow(float64(r.Survival), -float64(rung))
		for k := range candidates {
			c := &candidates[k]
			if c.score, err = r.try(r.all(c.sought), budget); err != nil {
				return err
			}
		}
		slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
		candidates = candidates[:max(1, len(candidates)/r.Survival)]
	}
	return nil
}

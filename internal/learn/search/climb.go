package search

import "slices"

// factors are what climb multiplies and divides weights by, one after another.
var factors = []float64{8, 4, 2, 1.5, 1.2}

// worthwhile is the least gain that a weight is changed for. Smaller ones say nothing, and are there nearly always:
// once a rule is nearly hard, each larger weight brings a little, and takes inference longer.
const worthwhile = 1e-4

// climb multiplies and divides each weight in turn as long as that gains, by smaller and smaller factors. It needs no
// idea of where good weights lie: those it begins with are good but for their balance, such as after a descent.
func (r *run) climb() error {
	at, best := slices.Clone(r.Start), rank(r.trials[0].Score)
	for k := 0; k < len(factors) && len(r.trials) < r.limit(100); {
		gained, err := r.round(at, best, factors[k])
		if err != nil {
			return err
		}
		if gained == best {
			k++
		}
		best = gained
	}
	return nil
}

// round tries each weight with a factor, keeps what gains most, and returns the best score.
func (r *run) round(at []float64, best, factor float64) (float64, error) {
	for _, rule := range r.free {
		was := at[rule]
		kept := was
		for _, by := range []float64{1 / factor, factor} {
			if len(r.trials) >= r.limit(100) {
				break
			}
			at[rule] = max(was, r.lo) * by
			score, err := r.try(at, 1)
			if err != nil {
				return best, err
			}
			if score > best+worthwhile {
				best, kept = score, at[rule]
			}
		}
		at[rule] = kept
	}
	return best, nil
}

package search

import "math"

const (
	// explorations are trials before the process has anything to say.
	explorations = 5
	// pool is how many candidates compete for a trial, and neighbours how many of them are near the best one so far.
	pool, neighbours = 600, 200
	// spread is the standard deviation of a neighbour's log weights.
	spread = 0.5
	// hopeless is the expected improvement, in standard deviations of the scores, below which the search ends.
	hopeless = 1e-4
)

// bayes lets a Gaussian process choose the trials.
func (r *run) bayes() error {
	limit := r.limit(25)
	for len(r.trials) < limit && len(r.trials) <= explorations {
		if _, err := r.try(r.all(r.logUniform()), 1); err != nil {
			return err
		}
	}
	for len(r.trials) < limit {
		sought, improvement := r.promising()
		if improvement < hopeless {
			return nil
		}
		if _, err := r.try(r.all(sought), 1); err != nil {
			return err
		}
	}
	return nil
}

// promising returns the candidate of the greatest expected improvement.
func (r *run) promising() (sought []float64, improvement float64) {
	points, scores := r.evidence()
	p := fit(points, scores)
	best := Best(r.trials)
	for k := range pool {
		candidate := r.logUniform()
		if k < neighbours {
			candidate = r.near(best)
		}
		if expected := p.improvement(r.place(candidate)); sought == nil || expected > improvement {
			sought, improvement = candidate, expected
		}
	}
	return sought, improvement
}

// evidence is what the trials say. Undefined scores count as the worst that was defined.
func (r *run) evidence() (points [][]float64, scores []float64) {
	worst := math.Inf(1)
	for _, trial := range r.trials {
		if !math.IsNaN(trial.Score) {
			worst = math.Min(worst, trial.Score)
		}
	}
	for _, trial := range r.trials {
		sought := make([]float64, len(r.free))
		for k, rule := range r.free {
			sought[k] = trial.Weights[rule]
		}
		score := trial.Score
		if math.IsNaN(score) {
			score = worst
		}
		if math.IsInf(score, 0) {
			score = 0
		}
		points, scores = append(points, r.place(sought)), append(scores, score)
	}
	return points, scores
}

// place is where weights lie for the process: their logarithms, less the mean of these if ratios are all that matters.
func (r *run) place(sought []float64) []float64 {
	point := make([]float64, len(sought))
	mean := 0.0
	for k, w := range sought {
		point[k] = math.Log(math.Max(w, r.lo*1e-3))
		mean += point[k] / float64(len(sought))
	}
	if r.Relative {
		for k := range point {
			point[k] -= mean
		}
	}
	return point
}

// near draws weights around a trial's.
func (r *run) near(trial Trial) []float64 {
	sought := make([]float64, len(r.free))
	for k, rule := range r.free {
		sought[k] = math.Max(trial.Weights[rule], r.lo) * math.Exp(spread*r.generate.NormFloat64())
	}
	return sought
}

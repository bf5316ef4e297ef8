// Package search finds weights of rules by trying them: each trial infers with some weights and scores the answer with
// the evaluator that matters in the end, which need not have a derivative. Five methods choose what to try:
//
//	grid       combinations of a list of weights, as PSL's GridSearch; in random order if there are too many
//	random     draws from the simplex or log-uniform ones (Bergstra & Bengio 2012)
//	bayes      a Gaussian process over log weights chooses by expected improvement (Jones et al. 1998; for PSL,
//	           Srinivasan et al. 2020)
//	hyperband  many draws with a small budget, more of it for the better ones (Li et al. 2018)
//	climb      the weights as they are, each in turn larger or smaller by a factor as long as that gains
//
// A MAP state depends on the ratios of the weights only, as long as none is fixed; hard rules do not count, they hold
// at any weight. Trials are deterministic functions of the seed, made one after another, so that each inference can
// start from the one before.
package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/deeppsl/deeppsl/internal/learn"
)

// Problem is a score to maximise over weights.
type Problem struct {
	// Start holds the weights as written, one per rule. They are the first trial, and stay if none is better.
	Start []float64
	// Learned tells which weights may change.
	Learned []bool
	// Relative says that the ratios of the learned weights are all that matters.
	Relative bool
	// Score infers with the weights and scores the answer; higher is better, and NaN is worse than everything. The
	// budget, in (0,1], is the share of a full inference's effort. The weights are the caller's to keep only until it
	// returns.
	Score func(ctx context.Context, weights []float64, budget float64) (float64, error)
}

// Settings are the knobs of the searches. The zero value of a field means its default.
type Settings struct {
	// Trials bounds the number of trials of grid (default 150), random (250), bayes (25) and climb (100).
	Trials int
	// Levels are the weights that grid combines, and the smallest and the largest of them bound what the others draw.
	// Default: 0.001, 0.01, 0.1, 1, 10.
	Levels []float64
	// Sampling says how random and hyperband draw.
	Sampling Sampling
	// Concentration is the parameter of the Dirichlet distribution that Simplex draws from. Default 1: uniform.
	Concentration float64
	// Brackets (default 4), Base (10) and Survival (4) shape hyperband: bracket s of s = Brackets-1, …, 0 begins with
	// Base/(s+1)·Survivalˢ draws at the budget Survival⁻ˢ, and keeps one of Survival of them each time it multiplies
	// the budget by Survival.
	Brackets, Base, Survival int
	Seed                     uint64
	// OnTrial, if set, is called after every trial.
	OnTrial func(Trial)
}

// Trial is a line of the results' table.
type Trial struct {
	Number int `json:"trial"`
	// Weights holds one weight per rule.
	Weights []float64 `json:"weights"`
	// Score is the evaluator's, higher being better; NaN if it was undefined.
	Score float64 `json:"score"`
	// Budget is the share of a full inference's effort that went into it.
	Budget float64 `json:"budget"`
}

// Run searches with one of the methods that do. It returns the trials in order; on an error those before it.
func Run(ctx context.Context, method learn.Method, problem Problem, settings Settings) ([]Trial, error) {
	r := newRun(ctx, problem, settings)
	if len(r.free) == 0 {
		return nil, errors.New("no rule has a weight to learn")
	}
	if _, err := r.try(problem.Start, 1); err != nil {
		return r.trials, err
	}
	seek := seekers[method]
	if seek == nil {
		panic(fmt.Sprintf("search: %v is no search", method))
	}
	return r.trials, seek(r)
}

// seekers is the registry of searches.
var seekers = map[learn.Method]func(*run) error{
	learn.Grid: (*run).grid, learn.Random: (*run).random, learn.Bayes: (*run).bayes, learn.Hyperband: (*run).hyperband,
	learn.Climb: (*run).climb,
}

// Best returns the trial with the highest score among those with a full budget, the first of equals.
func Best(trials []Trial) Trial {
	best := -1
	for k, trial := range trials {
		if trial.Budget == 1 && (best < 0 || rank(trial.Score) > rank(trials[best].Score)) {
			best = k
		}
	}
	return trials[best]
}

// rank is a score that can be compared.
func rank(score float64) float64 {
	if math.IsNaN(score) {
		return math.Inf(-1)
	}
	return score
}

// run is a search under way.
type run struct {
	Problem
	Settings
	ctx      context.Context
	free     []int // the rules whose weights are sought
	sum      float64
	lo, hi   float64 // what weights are drawn between
	generate *rand.Rand
	trials   []Trial
}

func newRun(ctx context.Context, problem Problem, s Settings) *run {
	if len(s.Levels) == 0 {
		s.Levels = []float64{0.001, 0.01, 0.1, 1, 10}
	}
	for _, d := range []struct {
		field *int
		value int
	}{{&s.Brackets, 4}, {&s.Base, 10}, {&s.Survival, 4}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if s.Concentration == 0 {
		s.Concentration = 1
	}
	r := &run{Problem: problem, Settings: s, ctx: ctx, lo: math.Inf(1), generate: rand.New(rand.NewPCG(s.Seed, 0x736561))}
	for rule, w := range problem.Start {
		if problem.Learned[rule] {
			r.free = append(r.free, rule)
			r.sum += w
		}
	}
	if r.sum == 0 {
		r.sum = 1
	}
	for _, level := range s.Levels {
		r.lo, r.hi = math.Min(r.lo, level), math.Max(r.hi, level)
	}
	return r
}

// limit is the bound on trials, the one of the start included.
func (r *run) limit(usual int) int {
	if r.Trials > 0 {
		return r.Trials
	}
	return usual
}

// try scores the weights of all rules.
func (r *run) try(weights []float64, budget float64) (float64, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	trial := Trial{Number: len(r.trials), Weights: append([]float64(nil), weights...), Budget: budget}
	var err error
	if trial.Score, err = r.Score(r.ctx, trial.Weights, budget); err != nil {
		return 0, err
	}
	r.trials = append(r.trials, trial)
	if r.OnTrial != nil {
		r.OnTrial(trial)
	}
	return rank(trial.Score), nil
}

// all returns the weights of all rules, given those that are sought.
func (r *run) all(sought []float64) []float64 {
	weights := append([]float64(nil), r.Start...)
	for k, rule := range r.free {
		weights[rule] = sought[k]
	}
	return weights
}

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

var models = []model{
	{"friendship", friendshipRules, friendship},
	{"transitivity", transitivityRules, transitivity},
	{"citation", citationRules, citation},
	{"entity", entityRules, entity},
}

// modelNames lists what --model takes.
func modelNames() []string {
	names := make([]string, len(models))
	for k, m := range models {
		names[k] = m.name
	}
	return names
}

// settings are what a measurement depends on, beside the model and its size.
type settings struct {
	gap     float64
	seed    uint64
	threads int
	repeat  int
	memory  int64  // in bytes; 0 means no limit
	scratch string // folder of the file for what is beyond
	room    int64  // for the curvature of a model in a file
}

// seconds is the wall time of the stages.
type seconds struct {
	Generate float64 `json:"generate"`
	Ground   float64 `json:"ground"`
	Solve    float64 `json:"solve"`
}

// result is a measurement: the medians of the repetitions' times, and what they all agree on.
type result struct {
	Model       string  `json:"model"`
	GroundRules int     `json:"ground_rules"`
	Variables   int     `json:"variables"`
	Seconds     seconds `json:"seconds"`
	// PerSecond counts the ground rules made in a second of grounding, plans and indexes included.
	PerSecond float64 `json:"ground_rules_per_second"`
	Status    string  `json:"status"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"gap"`
	// Bytes is the size of the model's arenas by ground rule.
	Bytes float64 `json:"bytes_per_ground_rule"`
	// PeakRSS is the process's until the end of the measurement, those before it included.
	PeakRSS int64 `json:"peak_rss_bytes"`
	// Scratch is the size of the temporary file that the ground rules were in; 0 if they were in memory.
	Scratch int64  `json:"scratch_bytes"`
	Seed    uint64 `json:"seed"`
	Threads int    `json:"threads"`
	Repeats int    `json:"repeats"`
	// Peers is empty: a comparison has them, and the fields of a result.
	Peers []*entry `json:"peers"`
}

// measure runs the pipeline as often as the settings say. Repetitions that do not agree to the bit are an error: the
// same seed must give the same answer.
func measure(ctx context.Context, m *model, size int, s settings) (*result, error) {
	var all []*result
	for range s.repeat {
		r, err := m.once(ctx, size, s)
		if err != nil {
			return nil, fmt.Errorf("%s of %d: %w", m.name, size, err)
		}
		if all = append(all, r); r.Objective != all[0].Objective || r.Gap != all[0].Gap {
			return nil, fmt.Errorf("%s of %d: repetitions differ: objectives %v and %v", m.name, size, all[0].Objective,
				r.Objective)
		}
	}
	r := all[len(all)-1]
	r.Repeats = s.repeat
	r.Seconds = seconds{
		Generate: median(all, func(r *result) float64 { return r.Seconds.Generate }),
		Ground:   median(all, func(r *result) float64 { return r.Seconds.Ground }),
		Solve:    median(all, func(r *result) float64 { return r.Seconds.Solve }),
	}
	r.PerSecond = float64(r.GroundRules) / r.Seconds.Ground
	return r, nil
}

// once generates, compiles, grounds and solves.
func (m *model) once(ctx context.Context, size int, s settings) (*result, error) {
	r := &result{Model: m.name, Peers: []*entry{}, Seed: s.seed, Threads: parallel.Threads(s.threads)}
	watch := time.Now()
	d := m.generate(size, s.seed)
	r.Seconds.Generate = lap(&watch)
	compiled, err := d.compile(m.rules)
	if err != nil {
		return nil, err
	}
	grounding := ground.Options{Threads: s.threads, Free: true}
	rules, err := ground.Prepare(ctx, compiled, d.store, s.threads)
	if err != nil {
		return nil, err
	}
	paging, err := s.place(ctx, rules, d.store)
	if err != nil {
		return nil, err
	}
	if paging != nil {
		grounding.Scratch, s.room = paging.File, paging.Room
	}
	problem, counts, err := rules.Ground(ctx, grounding)
	if err != nil {
		return nil, err
	}
	r.Seconds.Ground = lap(&watch)
	theta := make([]float64, len(compiled.Rules))
	for k, rule := range compiled.Rules {
		theta[k] = rule.Weight.Value
	}
	answer, err := answerTo(ctx, problem, theta, s)
	if err != nil {
		return nil, err
	}
	r.Seconds.Solve = lap(&watch)
	r.GroundRules, r.Variables = problem.Potentials(), problem.Variables
	r.Bytes = float64(counts.Bytes) / float64(r.GroundRules)
	r.Status, r.Objective, r.Gap = answer.Status.String(), answer.Objective, answer.Gap
	r.PeakRSS = report.PeakRSS()
	if paging != nil {
		r.Scratch = paging.File.Size()
		err = paging.File.Close()
	}
	return r, errors.Join(err, ctx.Err())
}

// sampledRows bounds what is looked at of each rule to estimate its ground rules.
const sampledRows = 1 << 12

// place decides where the ground rules are kept; nil means in memory.
func (s *settings) place(
	ctx context.Context, rules *ground.Prepared, store *relation.Store,
) (*preflight.Paging, error) {
	if s.memory == 0 {
		return nil, nil
	}
	debug.SetMemoryLimit(s.memory)
	estimates, err := rules.Sample(ctx, s.threads, sampledRows)
	if err != nil {
		return nil, err
	}
	return preflight.Place(estimates, store, s.memory, s.scratch)
}

// answerTo solves the problem, setting up included.
func answerTo(ctx context.Context, problem *mrf.Model, theta []float64, s settings) (*solve.Result, error) {
	field := mrf.NewField(problem)
	field.Room = s.room
	field.Threads = parallel.Threads(s.threads)
	solver, err := auto.Inference("auto", field, solve.Settings{Gap: s.gap, Threads: s.threads, Bare: true},
		auto.Options{Presolve: true, Split: true, Polish: true})
	if err != nil {
		return nil, err
	}
	solver.SetWeights(theta)
	return solver.Solve(ctx)
}

// lap returns the seconds since the last lap, and starts the next.
func lap(watch *time.Time) float64 {
	last := *watch
	*watch = time.Now()
	return watch.Sub(last).Seconds()
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/training"
)

// A result is how one problem went, by contestant, in points of a hundred.
type result struct {
	Task string `json:"task"`
	Seed uint64 `json:"seed"`
	// DeepPSL is the project with every default. Plain and Fixed are null if there is nothing to compare with.
	DeepPSL   float64  `json:"deeppsl"`
	Plain     *float64 `json:"plain"`
	Fixed     *float64 `json:"fixed"`
	Reference float64  `json:"reference"`
	Seconds   float64  `json:"seconds"` // of the project alone
	// What was seen of learning: the loss before its first and after its last step, and the warnings.
	Status    string   `json:"status"`
	Epochs    int      `json:"epochs"`
	FitEpochs int      `json:"fit_epochs"`
	Kept      int      `json:"kept"`
	FirstLoss float64  `json:"first_loss"`
	LastLoss  float64  `json:"last_loss"`
	Warnings  []string `json:"warnings"`
	// Error says why the run failed; the points are then those of the answer that there was, or 0.
	Error string `json:"error,omitempty"`
	// Digest names the problem's samples, by which those of peers are told.
	Digest string `json:"digest,omitempty"`
}

// fitting is for how long networks are fitted where nothing else is to be learned. It is no default of ours, since a
// network without rules has none.
var fitting = []string{"network.epochs=200"}

// compete runs the contestants of a problem.
func (o *options) compete(ctx context.Context, t *task, seed uint64) *result {
	r := &result{Task: t.name, Seed: seed}
	if err := o.run(ctx, t, r); err != nil {
		r.Error = err.Error()
	}
	return r
}

func (o *options) run(ctx context.Context, t *task, r *result) error {
	dir, err := os.MkdirTemp("", "learning-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := t.make(r.Seed)
	if err != nil {
		return err
	}
	r.Reference = p.reference
	if p.samples != nil {
		r.Digest = p.samples.digest()
	}
	if !o.quick {
		if err := o.rivals(ctx, dir, p, r); err != nil {
			return err
		}
	}
	limited, stop := context.WithTimeout(ctx, o.limit)
	defer stop()
	start := time.Now()
	err = o.learn(limited, dir, p, r)
	r.Seconds = time.Since(start).Seconds()
	if limited.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("did not end within %v", o.limit)
	}
	return err
}

// learn is what `deeppsl run` does.
func (o *options) learn(ctx context.Context, dir string, p *problem, r *result) error {
	loaded, err := o.load(dir, "project", p.project, r.Seed, nil)
	if err != nil {
		return err
	}
	loaded.OnWarning = func(warnings source.Diagnostics) {
		for _, lint := range warnings.Plain() {
			r.Warnings = append(r.Warnings, lint.ID)
		}
	}
	report, err := engine.Run(ctx, loaded, engine.Stages{})
	if err != nil {
		return err
	}
	r.Status = report.Status
	if training := report.Training; training != nil {
		r.Epochs, r.FitEpochs, r.Kept = report.Epochs, training.FitEpochs, training.Kept
		if n := len(training.Epochs); n > 0 {
			r.FirstLoss, r.LastLoss = training.Epochs[0].Loss, training.Epochs[n-1].Loss
		}
	}
	r.DeepPSL, err = p.score.points(report.Evaluations)
	return err
}

// rivals runs the network alone and the rules without learning.
func (o *options) rivals(ctx context.Context, dir string, p *problem, r *result) (err error) {
	if p.plain != nil {
		if r.Plain, err = o.fit(ctx, dir, "plain", p.plain, p.plainScore, r.Seed); err != nil {
			return fmt.Errorf("the network alone: %w", err)
		}
	}
	if p.fixed != nil {
		if r.Fixed, err = o.fit(ctx, dir, "fixed", p.fixed, p.score, r.Seed); err != nil {
			return fmt.Errorf("fixed rules: %w", err)
		}
	}
	return nil
}

// fit fits a project's networks alone, if it has any, and infers.
func (o *options) fit(ctx context.Context, dir, name string, p *setting, s score, seed uint64) (*float64, error) {
	loaded, err := o.load(dir, name, p, seed, fitting)
	if err != nil {
		return nil, err
	}
	g, err := engine.Ground(ctx, loaded, load.Infer)
	if err != nil {
		return nil, err
	}
	if loaded.Networks() {
		learned, err := engine.Ground(ctx, loaded, load.Learn)
		if err != nil {
			return nil, err
		}
		if _, err := training.Fit(ctx, learned); err != nil {
			return nil, err
		}
		if err := g.Adopt(learned); err != nil {
			return nil, err
		}
	}
	answer, err := g.Infer(ctx)
	if err != nil {
		return nil, err
	}
	evaluations, err := g.Evaluate(answer, load.Infer)
	if err != nil {
		return nil, err
	}
	points, err := s.points(evaluations)
	return &points, err
}

// load writes a project into a folder of its own and reads it.
func (o *options) load(dir, name string, p *setting, seed uint64, set []string) (*project.Project, error) {
	dir = filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	path, err := p.write(dir)
	if err != nil {
		return nil, err
	}
	set = append(set[:len(set):len(set)], o.set...)
	return project.Load(path, project.Options{Seed: seed, Threads: o.threads, Set: set})
}

// points returns a score in points of a hundred.
func (s score) points(evaluations []session.Evaluation) (float64, error) {
	for _, e := range evaluations {
		if e.Predicate != s.predicate || e.Evaluator != s.evaluator {
			continue
		}
		if value, ok := e.Values[s.value]; ok {
			if s.value == "MAE" { // an error: points are what is left of 1
				value = 1 - value
			}
			return 100 * value, nil
		}
	}
	return 0, fmt.Errorf("there is no %s of %s by %s among %+v", s.value, s.predicate, s.evaluator, evaluations)
}

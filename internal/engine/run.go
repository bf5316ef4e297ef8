// Package engine runs the phases of a project, with all that they need: Ground makes a phase's field, Check says what
// that would cost and what is suspicious, and Run does all that the configuration asks for, in the time that it has.
// All results are bit-identical for the same input, options and seed, whatever the number of threads.
package engine

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/training"
)

// Report is the result of a run, in the form that `deeppsl run --json` prints.
type Report struct {
	// Status is that of the Answer; "interrupted" if the context was cancelled, in learning or in inference, "time
	// limit" if the limit of time came in learning, and "learned" if nothing was to be inferred. Without an answer,
	// Objective, DualBound, Gap and MaxViolation are NaN.
	Status       string  `json:"status"`
	Objective    float64 `json:"objective"`
	DualBound    float64 `json:"dual_bound"`
	Gap          float64 `json:"gap"`
	MaxViolation float64 `json:"max_violation"`
	// Feasible tells whether the answer satisfies the hard rules, to within what was to be accepted. Otherwise there is
	// no gap, which is then +∞, and null in JSON.
	Feasible bool `json:"feasible"`
	// AtomError is the largest possible distance of an atom's value from that at the optimum; +∞, and null in JSON, where
	// the optimum need not be unique.
	AtomError         float64              `json:"largest_atom_error"`
	Variables         int                  `json:"variables"`
	GroundRules       int                  `json:"ground_rules"`
	GroundRulesByRule []session.RuleCount  `json:"ground_rules_by_rule"`
	Seconds           Seconds              `json:"seconds"`
	PeakRSS           int64                `json:"peak_rss_bytes"`
	Threads           int                  `json:"threads"`
	Seed              uint64               `json:"seed"`
	Evaluations       []session.Evaluation `json:"evaluations"`
	Method            string               `json:"method"`
	Reason            string               `json:"reason"`
	RuleWeights       []float64            `json:"rule_weights"`
	Epochs            int                  `json:"epochs"`
	Conflict          []string             `json:"conflict,omitempty"`
	// ConflictIn names the example that the conflict is in, and its place.
	ConflictIn string `json:"conflict_in,omitempty"`
	// Examples counts the examples that were inferred; variables and ground rules are then those of the first. 0 means
	// that the project is not about examples. Shapes counts the ground models that they have among them.
	Examples int `json:"examples,omitempty"`
	Shapes   int `json:"shapes,omitempty"`
	// ExamplesOf is the phase whose examples they are: "infer", or "learn" if that has none; "" without examples.
	ExamplesOf string `json:"examples_of,omitempty"`
	// Scratch is the size of the temporary file that the ground rules were in; 0 if they were in memory.
	Scratch int64 `json:"scratch_bytes"`
	// Starts says how each beginning of learning from examples ended, if there were several to choose from.
	Starts []training.Start `json:"starts,omitempty"`
	// Coded are the columns of whole numbers that networks see value by value, too, as they may be names.
	Coded []perceive.Coded `json:"coded,omitempty"`
	// CrossFit says what learning chose by held-out labels; nil if it chose nothing by them.
	CrossFit *training.CrossFit `json:"cross_fit,omitempty"`
	// Compared says how the rules' weights that were learned did beside those written; nil if they were not compared.
	Compared *training.Comparison `json:"weights_compared,omitempty"`
	// Rehearsed says whether held-out labels are told better if inference knows the others; nil if that was not found out.
	Rehearsed *training.Rehearsed `json:"known_compared,omitempty"`
	// Trials is the table of a search for weights, if there was one.
	Trials []search.Trial `json:"trials,omitempty"`

	// Presolve says how much smaller the problem was made before it was solved; null if it was not.
	Presolve *presolve.Counts `json:"presolve"`
	// Components are those of the problem after that; null if they were not looked for.
	Components *solve.Components `json:"components"`

	// Known counts the labels learned from that inference knows; Unknown those that it does not, where ground rules relate
	// them to targets without; Contradicted tells that hard rules do not allow them.
	Known        int  `json:"known_labels,omitempty"`
	Unknown      int  `json:"-"`
	Contradicted bool `json:"-"`
	// LearningEnded says why learning ended; "" if the run did not learn.
	LearningEnded string `json:"learning_ended,omitempty"`
	// LearningCurve is that of Training.
	LearningCurve []learn.Epoch `json:"learning_curve,omitempty"`
	// Warnings are signs that learning learned nothing, and what is suspicious of that which networks learn from; they
	// have gone to OnWarning, too.
	Warnings []source.Plain `json:"warnings,omitempty"`

	// Grounding and Answer are the inference phase's; Training is nil if the run did not learn. Answer is nil if nothing
	// was to be inferred, or the run was interrupted before there was any: Grounding is then that of learning.
	Grounding *session.Grounding `json:"-"`
	Answer    *session.Answer    `json:"-"`
	// Predictions are the examples' labels; nil if there are no examples.
	Predictions *batch.Predictions `json:"predictions,omitempty"`
	Training    *training.Training `json:"-"`
	// Learned is the learning phase's ground model, with the learned weights; nil if the run did not learn.
	Learned *session.Grounding `json:"-"`
}

// Failed tells whether there is no answer: the hard rules contradict each other, or the arithmetic broke down.
func (r *Report) Failed() bool {
	return r.Status == solve.Infeasible.String() || r.Status == solve.NumericalError.String()
}

// The Status of a report whose run was interrupted, and of one that was to learn alone.
const (
	statusInterrupted = "interrupted"
	statusLearned     = "learned"
)

// LearnedAlone tells whether the run was to learn, and to infer nothing.
func (r *Report) LearnedAlone() bool { return r.Status == statusLearned }

// Interrupted tells whether the context was cancelled, so that the parameters and the answer are the best until then.
func (r *Report) Interrupted() bool { return r.Status == statusInterrupted }

// Seconds is the wall time of a run's stages.
type Seconds struct {
	Load   float64 `json:"load"`
	Ground float64 `json:"ground"`
	Learn  float64 `json:"learn"`
	Solve  float64 `json:"solve"`
	Total  float64 `json:"total"`
}

// Stages says which stages Run does; the zero value lets the configuration decide.
type Stages struct {
	Learn, Infer bool
}

// Run learns, infers and evaluates, as the stages or the configuration ask for. A context that is cancelled once the
// first phase is ground ends learning, inference or both, and is no error: what there is until then is reported. After
// an interrupted learning, inference still has the time of grace. The option run.seconds does the same in time.
func Run(ctx context.Context, p *project.Project, stages Stages) (*Report, error) {
	start := time.Now()
	if !stages.Learn && !stages.Infer {
		stages = stagesOf(p)
	}
	r := &Report{Seed: p.Seed, Threads: parallel.Threads(p.Threads), Seconds: Seconds{Load: p.Loading.Seconds()}}
	first := load.Infer
	if stages.Learn {
		first = load.Learn
	}
	if stages.Learn && stages.Infer {
		if err := lookAhead(p); err != nil {
			return nil, err
		}
	}
	last := newBudget(p, start.Add(-p.Loading))
	g, err := last.ground(ctx, p, first)
	if err != nil {
		return nil, err
	}
	r.account(g)
	if first == load.Infer || stages.Infer && p.SharesAtoms(load.Learn, load.Infer) {
		if err := checkAtoms(p, g.Tables.Store); err != nil {
			return nil, err
		}
	}
	if p.OnGround != nil {
		p.OnGround()
	}
	if stages.Learn {
		err = r.learnAndInfer(ctx, last, g, stages)
	} else {
		WarnOfUnlearned(p, g.Networks)
		inferring, done := last.whole(ctx)
		defer done()
		if err = r.infer(inferring, g); err == nil {
			_ = r.warnOfAnswer(inferring, g, g, r.Answer) // labels that cannot be read say nothing
		}
	}
	if err != nil {
		return nil, err
	}
	r.Seconds.Total = p.Loading.Seconds() + time.Since(start).Seconds()
	r.PeakRSS = report.PeakRSS()
	return r, nil
}

// WarnOfUnlearned tells that inference shows what networks say whose parameters nothing has been learned into. Programs
// that bring their own function know.
func WarnOfUnlearned(p *project.Project, networks *perceive.Networks) {
	var warnings source.Diagnostics
	for k, network := range p.Config.Networks {
		if spec := networks.Specs[k]; spec.Checkpoint == "" && spec.Encoder == "" && spec.File == "" &&
			spec.Function == nil && spec.External == nil {
			warnings.Warnf("network-unlearned", network.Span,
				"learn with deeppsl run -l, or read what was saved by the key checkpoint",
				"network %q has learned nothing: its parameters are drawn by the seed", network.Name)
		}
	}
	p.Warn(warnings)
}

// stagesOf are those that the options ask for, or else those of the phases that have anything of their own.
func stagesOf(p *project.Project) Stages {
	s := &p.Phases[load.Infer]
	stages := Stages{Learn: p.Learns()}
	stages.Infer = p.Config.Runs(load.Infer) || !stages.Learn
	if s.Infers != nil {
		stages.Infer = *s.Infers || !stages.Learn
	}
	return stages
}

// account adds the time that a grounding took.
func (r *Report) account(g *session.Grounding) {
	r.Seconds.Load += g.LoadTime.Seconds()
	r.Seconds.Ground += g.GroundTime.Seconds()
}

// learnAndInfer learns, and infers with what was learned, also if learning was cut short.
func (r *Report) learnAndInfer(ctx context.Context, b budget, g *session.Grounding, stages Stages) error {
	learning, done := b.most(ctx)
	defer done()
	if err := r.learn(learning, g); err != nil {
		return err
	}
	r.Learned = g
	r.withoutAnswer(statusLearned)
	if stages.Infer {
		if err := r.inferLearned(ctx, b, g); err != nil {
			return err
		}
	}
	if r.Answer == nil {
		r.describe(g)
	} else if err := r.warnOfAnswer(ctx, g, r.Grounding, r.Answer); err != nil {
		return err
	}
	if r.Training.Ended.Early() {
		r.Status = r.Training.Ended.String()
	}
	return nil
}

// inferLearned infers with what was learned, in the time that is left; without an answer if that is too short. An
// interrupt that comes before there is an answer to be cut short leaves the time of grace, as one in learning does.
func (r *Report) inferLearned(ctx context.Context, b budget, g *session.Grounding) error {
	for graced := ctx.Err() != nil; ; graced = true {
		early, err := r.inferRest(ctx, b, g)
		if early == learn.Completed {
			return err
		}
		if graced || ctx.Err() == nil {
			r.withoutAnswer(early.String())
			return nil
		}
	}
}

// inferRest is one attempt of inferLearned. It says whether it was completed; if not, err tells nothing more.
func (r *Report) inferRest(ctx context.Context, b budget, g *session.Grounding) (early learn.Ending, err error) {
	inferring, done := b.rest(ctx)
	defer done()
	next, err := r.next(inferring, g)
	if err == nil {
		err = r.infer(inferring, next)
	}
	early, _ = learn.CutShort(inferring, err)
	return early, err
}

// withoutAnswer is the state of a report before there is an answer.
func (r *Report) withoutAnswer(status string) {
	r.Status = status
	r.Objective, r.DualBound, r.Gap, r.MaxViolation = math.NaN(), math.NaN(), math.NaN(), math.NaN()
}

// learn learns; being cut short is no error.
func (r *Report) learn(ctx context.Context, g *session.Grounding) (err error) {
	var warnings source.Diagnostics
	if r.Training, warnings, err = training.Learn(ctx, g); err != nil {
		return err
	}
	r.CrossFit, r.Compared, r.Starts = r.Training.CrossFit, r.Training.Compared, r.Training.Starts
	r.Rehearsed, r.Coded = r.Training.Rehearsed, g.Networks.Coded()
	r.Epochs, r.Trials, r.LearningEnded = r.Training.Steps, r.Training.Trials, r.Training.Ended.String()
	r.Seconds.Learn = r.Training.Elapsed.Seconds()
	r.LearningCurve, r.Warnings = r.Training.Epochs, append(g.Lints.Plain(), warnings.Plain()...)
	return nil
}

// next returns the grounding to infer with after learning: the same one if the phases share their atoms.
func (r *Report) next(ctx context.Context, g *session.Grounding) (*session.Grounding, error) {
	if g.Project.SharesAtoms(load.Learn, load.Infer) {
		g.Settings = &g.Project.Phases[load.Infer]
		return g, nil
	}
	start := time.Now()
	next, err := batch.Ground(ctx, g.Project, load.Infer, g.Networks)
	if err != nil {
		return nil, err
	}
	next.LoadTime = time.Since(start) - next.GroundTime
	next.TakeWeights(g)
	r.account(next)
	return next, nil
}

func (r *Report) infer(ctx context.Context, g *session.Grounding) (err error) {
	var answer *session.Answer
	if g.Project.Config.HasExamples() {
		answer, err = r.predict(ctx, g)
	} else if answer, err = r.inferWorld(ctx, g); err == nil {
		r.Evaluations, err = g.Evaluate(answer, load.Infer)
	}
	if err != nil {
		return err
	}
	r.adopt(answer)
	r.describe(g)
	return nil
}

// describe takes over what a grounding says of itself.
func (r *Report) describe(g *session.Grounding) {
	r.Grounding = g
	r.Variables, r.GroundRules, r.GroundRulesByRule = g.Variables(), g.Potentials(), g.Counts()
	r.Scratch = g.ScratchBytes()
	r.RuleWeights = append([]float64(nil), g.Theta...)
}

// predict infers the examples of the inference phase, or of learning if that has none.
func (r *Report) predict(ctx context.Context, g *session.Grounding) (*session.Answer, error) {
	phase := g.Project.Exampled(load.Infer)
	predictions, answer, err := batch.Infer(ctx, g, phase)
	if err != nil {
		return nil, err
	}
	r.Predictions, r.Evaluations = predictions, predictions.Evaluations()
	r.Examples, r.Shapes, r.ExamplesOf = predictions.Inferred, predictions.Shapes, phase.String()
	return answer, nil
}

// adopt takes over what an answer says of itself.
func (r *Report) adopt(answer *session.Answer) {
	r.Answer = answer
	r.Status, r.Conflict, r.ConflictIn = answer.Status, answer.Conflict, answer.ConflictIn
	if r.Status == solve.Cancelled.String() {
		r.Status = statusInterrupted
	}
	r.Presolve, r.Components = answer.Presolve, answer.Components
	r.Method, r.Reason = answer.Method, answer.Reason
	r.Objective, r.DualBound, r.Gap = answer.Objective, answer.DualBound, answer.Gap
	r.MaxViolation, r.Seconds.Solve = answer.MaxViolation, answer.Elapsed.Seconds()
	r.AtomError = answer.AtomError
	r.Feasible = !answer.Violated && answer.Status != solve.Infeasible.String()
}

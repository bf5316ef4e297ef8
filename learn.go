package deeppsl

import (
	"context"
	"errors"
	"time"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/training"
)

// Training is what learning did.
type Training struct {
	// Epochs is the learning curve.
	Epochs []Epoch
	// Kept is after how many epochs the parameters were best, and kept.
	Kept int
	// Ended says why learning ended; Early tells whether the context did, with what was learned until then.
	Ended string
	Early bool
	// Warnings are signs that nothing was learned.
	Warnings []Problem
	Elapsed  time.Duration
}

// Epoch is one line of a learning curve.
type Epoch struct {
	Number int
	// Loss is that of the truth to learn from; Validation scores that to choose by: higher is better, NaN is none.
	Loss, Validation float64
	// Gap is what is proven of the epoch's inference.
	Gap float64
}

func epochOf(e learn.Epoch) Epoch {
	return Epoch{Number: e.Number, Loss: e.Loss, Validation: e.Validation, Gap: e.Gap}
}

// Learn learns the weights of rules and the networks, so that what is inferred agrees with the truth. With truth
// During the phase Validation, it keeps the parameters of the best epoch. Data that During gave to the phase Learning
// alone are ground for it. If the context ends, the session has the best parameters until then, and Training is Early.
// Where held-out labels are told better by it, inference knows from then on what was learned from (docs/defaults.md).
func (s *Session) Learn(ctx context.Context) (result *Training, err error) {
	err = s.use(func() error {
		if s.learning == nil {
			if s.learning, err = engine.For(ctx, s.inference, load.Learn); err != nil {
				return err
			}
		}
		s.learned++
		g := s.learning
		g.TakeWeights(s.inference)
		if err := g.TakeFeatures(s.inference); err != nil {
			return err
		}
		learned, warnings, err := training.Learn(ctx, g)
		if err != nil {
			return err
		}
		result = &Training{Kept: learned.Kept, Ended: learned.Ended.String(), Early: learned.Ended.Early(),
			Warnings: problems(warnings), Elapsed: learned.Elapsed}
		for _, e := range learned.Epochs {
			result.Epochs = append(result.Epochs, epochOf(e))
		}
		if g == s.inference {
			return nil
		}
		return s.inference.Adopt(g)
	})
	return result, err
}

// Gradient has the derivatives of a function of an answer, such as a loss: see Session.Gradient.
type Gradient struct {
	// Values are those in given atoms and in what networks say, in the order of Answer.Values; 0 for targets.
	Values []float64
	// Weights are those in the weights of the rules, in the order of Session.Rules; 0 for hard ones.
	Weights []float64
}

// Gradient returns the derivatives of a function of an answer, from that function's own derivatives in each of
// Answer.Values. The values of targets follow the others and the weights, through the inference: by the implicit
// function theorem, exactly where they are unique and no rule is about to become active, and one of several elsewhere.
// It may be any answer of the session since which no weight and no network has changed, whatever values are given now.
func (s *Session) Gradient(answer *Answer, slope []float64) (gradient *Gradient, err error) {
	err = s.use(func() error {
		if answer == nil || answer.grounding != s.inference || answer.learned != s.learned {
			return errors.New("the gradient is that of an answer, since which no weight and no network has changed")
		}
		values, weights, err := s.slopes.Of(s.inference, answer.answer, slope)
		gradient = &Gradient{values, weights}
		return err
	})
	return gradient, err
}

// Evaluation is the score of one predicate's values.
type Evaluation struct {
	Predicate, Evaluator string
	// Count is how many things were scored.
	Count int
	// Values are the numbers by name, such as "F1", and Primary is the name of the one that stands for all.
	Values  map[string]float64
	Primary string
}

// Evaluate scores an answer by the truth that data have of it, or During the phase Inference alone. Predicates without
// truth, or without evaluators, are left out.
func (s *Session) Evaluate(answer *Answer) (all []Evaluation, err error) {
	err = s.use(func() error {
		scored, err := s.inference.Evaluate(answer.answer, load.Infer)
		for _, e := range scored {
			all = append(all, Evaluation{e.Predicate, e.Evaluator, e.Count, e.Values, e.Primary})
		}
		return err
	})
	return all, err
}

// Prediction is what a session about examples says of one of their labels.
type Prediction struct {
	// Example is its name or number, and Label the column of the table that says it.
	Example, Label string
	// Predicted is the label with the largest Value, and Known what the table says; each "" if there is none.
	Predicted, Known string
	Value            float64
}

// Predict infers each example of a program about examples; see docs/examples.md.
func (s *Session) Predict(ctx context.Context) (all []Prediction, err error) {
	err = s.use(func() error {
		if !s.project.Examples() {
			return errors.New("the program is not about examples; Infer finds the values of its targets")
		}
		p, _, err := batch.Infer(ctx, s.inference, s.project.Exampled(load.Infer))
		if err != nil {
			return err
		}
		for k := range p.Inferred * len(p.Labels) {
			all = append(all, Prediction{Example: p.Names[k/len(p.Labels)], Label: p.Labels[k%len(p.Labels)],
				Predicted: p.Predicted[k], Known: p.Known[k], Value: p.Values[k]})
		}
		return nil
	})
	return all, err
}

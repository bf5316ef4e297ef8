package deeppsl

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Predictions are the labels of examples: of the targets that differ in their last argument, the one with the highest
// value in the MAP state.
type Predictions struct {
	// Labels are the columns of the table of examples that are labels.
	Labels []string
	// Examples counts the examples, and all other slices go by example and then label.
	Examples int
	// Inferred is how many of them, the first ones, were inferred: all unless the context ended. Of the others nothing is
	// predicted, nor known.
	Inferred  int
	Predicted []string
	Values    []float64 // in [0,1], of what is predicted
	Known     []string  // "" if the table does not say
}

// inferred is how many examples are solved at once. Memory does not grow with their number.
const inferred = 64

// InferExamples infers each example of a phase. The Answer sums them up: its Objective and DualBound are sums, its Gap
// and MaxViolation the largest of the problems that were solved at once, the gap of each relative to its own objective;
// its Status is the worst, and it has no Values. If the context ends, it is about those that were inferred until then.
func (g *Grounding) InferExamples(ctx context.Context, phase Phase) (*Predictions, *Answer, error) {
	e, err := g.readExamples(phase)
	if err != nil {
		return nil, nil, err
	}
	return g.inferExamples(ctx, e)
}

func (g *Grounding) inferExamples(ctx context.Context, e *examples) (*Predictions, *Answer, error) {
	start := time.Now()
	b, err := g.newReader(inferred, e)
	if err != nil {
		return nil, nil, err
	}
	p := newPredictions(e)
	worst, sum := solve.Optimal, new(Answer)
	sum.Method, sum.Reason = auto.ChooseExamples(g.settings.method, b.field.Model)
	for p.Inferred < e.count {
		if p.Inferred > 0 && ctx.Err() != nil {
			worst = max(worst, solve.Ended(ctx))
			break
		}
		if rest := e.count - p.Inferred; rest < b.size {
			if b, err = g.newReader(rest, e); err != nil {
				return nil, nil, err
			}
		}
		result, err := b.infer(ctx, e, p.Inferred)
		if errors.Is(err, context.Canceled) { // while it was prepared
			worst = max(worst, solve.Ended(ctx))
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for k := range b.size {
			p.read(e, p.Inferred+k, result.Y[k*g.model.Variables:(k+1)*g.model.Variables])
		}
		p.Inferred += b.size
		worst = max(worst, result.Status)
		sum.add(result)
	}
	sum.Status, sum.Explanation, sum.Elapsed = worst.String(), worst.Sentence(), time.Since(start)
	return p, sum, nil
}

// reader infers a batch of examples.
type reader struct {
	*batch
	solver solve.Solver
	x      []float64
}

// newReader makes a reader of at most size examples.
func (g *Grounding) newReader(size int, e *examples) (r *reader, err error) {
	r = new(reader)
	if r.batch, err = g.newBatch(size, e); err == nil {
		r.solver, err = g.settings.batchSolver(r.field, g.settings.solve, &g.project.Options)
		r.x = make([]float64, r.field.Model.Inputs)
	}
	return r, err
}

// infer finds the MAP states of the examples from first on.
func (r *reader) infer(ctx context.Context, e *examples, first int) (*solve.Result, error) {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err := r.show(e, first); err != nil {
		return nil, err
	}
	if r.perception != nil {
		if err := r.perception.Forward(r.x, false, 0); err != nil {
			return nil, err
		}
	}
	r.solver.SetWeights(r.shape.theta)
	r.solver.SetInputs(r.x)
	return r.solver.Solve(ctx)
}

// add adds the result of a batch.
func (a *Answer) add(result *solve.Result) {
	a.Objective += result.Objective
	a.DualBound += result.DualBound
	a.Gap = max(a.Gap, result.Gap)
	a.MaxViolation = max(a.MaxViolation, result.MaxViolation)
	a.Iterations += result.Iterations
}

func newPredictions(e *examples) *Predictions {
	n := e.count * len(e.labels)
	p := &Predictions{Examples: e.count}
	p.Predicted, p.Values, p.Known = make([]string, n), make([]float64, n), make([]string, n)
	for _, label := range e.labels {
		p.Labels = append(p.Labels, label.name)
	}
	return p
}

// read takes the labels of an example from its MAP state. Of equal values, the first counts.
func (p *Predictions) read(e *examples, example int, y []float64) {
	for l, label := range e.labels {
		best := 0
		for c, i := range label.variables {
			if y[i] > y[label.variables[best]] {
				best = c
			}
		}
		at := example*len(e.labels) + l
		p.Predicted[at], p.Values[at] = label.candidates[best], y[label.variables[best]]
		if truth := e.truth[at]; truth >= 0 {
			p.Known[at] = label.candidates[truth]
		}
	}
}

// Accuracy returns the share of examples whose label, or all of whose labels if label is -1, are right, among those
// whose are known.
func (p *Predictions) Accuracy(label int) (share float64, known int) {
	right, known := p.right(label)
	return float64(right) / float64(max(1, known)), known
}

// right counts the examples whose label is known, and known to be what is predicted.
func (p *Predictions) right(label int) (right, known int) {
	for e := range p.Examples {
		asked, matches := true, true
		for l := range p.Labels {
			if at := e*len(p.Labels) + l; label < 0 || l == label {
				asked = asked && p.Known[at] != ""
				matches = matches && p.Known[at] == p.Predicted[at]
			}
		}
		if asked {
			known++
			if matches {
				right++
			}
		}
	}
	return right, known
}

// evaluations scores each label, and all of an example's together.
func (p *Predictions) evaluations() (all []Evaluation) {
	for l := -1; l < len(p.Labels); l++ {
		name := "all labels"
		if l >= 0 {
			name = p.Labels[l]
		}
		right, known := p.right(l)
		if known > 0 && (l >= 0 || len(p.Labels) > 1) {
			all = append(all, *newEvaluation(name, eval.Share("Examples", "Accuracy", right, known)))
		}
	}
	return all
}

// WriteAnswer writes the answer into a folder: the predictions of examples as examples.csv, or else the atoms as
// Grounding.WriteAtoms does. It returns the files' paths.
func (r *Report) WriteAnswer(dir string) ([]string, error) {
	if r.Predictions == nil {
		return r.Grounding.WriteAtoms(dir, r.Answer)
	}
	path := filepath.Join(dir, "examples.csv")
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = report.WriteFileFunc(path, r.Predictions.Write)
	}
	if err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	return []string{path}, nil
}

// Write writes the predictions as comma-separated values: for each label what is predicted, its value, and what is
// known.
func (p *Predictions) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"example"}
	for _, label := range p.Labels {
		header = append(header, label, label+" value", label+" known")
	}
	rows := [][]string{header}
	for e := range p.Examples {
		row := []string{strconv.Itoa(e)}
		for l := range p.Labels {
			at := e*len(p.Labels) + l
			row = append(row, p.Predicted[at], fmt.Sprintf("%.4f", p.Values[at]), p.Known[at])
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

package engine

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Predictions are the labels of examples: of the targets that differ in their last argument, the one with the highest
// value in the MAP state; of labels that are values, "1" or "0", whichever is nearer.
type Predictions struct {
	// Labels are the columns of the table of examples that are labels.
	Labels []string
	// Examples counts the examples, and all other slices go by example and then label.
	Examples int
	// Inferred is how many of them were inferred: all unless the context ended. Of the others nothing is predicted, nor
	// known.
	Inferred  int
	Predicted []string
	Values    []float64 // in [0,1], of what is predicted
	Known     []string  // "" if the table does not say
	// Names are those of the examples, or their numbers.
	Names []string
	// Contradictory are the numbers of the examples whose hard rules contradict each other, so that nothing is predicted:
	// Predicted is then "".
	Contradictory []int

	truth      []float64 // of labels that are values
	graded     []bool    // which labels are values
	shapes     int
	conflict   []string
	conflictIn string
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
	stage := stage{grounding: g, examples: e, solver: func(field *mrf.Field) (solve.Solver, error) {
		return g.settings.batchSolver(field, g.settings.solve, g.options())
	}}
	order := make([]int32, e.count)
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(e.shapes[a] - e.shapes[b]) })
	p := newPredictions(e)
	worst, sum := solve.Optimal, new(Answer)
	for members := range slices.Chunk(order, g.size(inferred, e)) {
		if err := ctx.Err(); errors.Is(err, context.Canceled) || p.Inferred > 0 && err != nil {
			worst = max(worst, solve.Ended(ctx))
			break
		}
		// A batch that is begun is ground and solved as far as that goes in any case: its answer has a proof.
		scene, err := stage.scene(context.WithoutCancel(ctx), members, e.shapes)
		if err != nil {
			return nil, nil, err
		}
		if sum.Method == "" {
			sum.Method, sum.Reason = auto.ChooseExamples(g.settings.method, scene.Field.Model)
		}
		result, err := scene.infer(ctx, e, members, g.theta)
		if err != nil {
			return nil, nil, err
		}
		for k, example := range members {
			p.read(e, int(example), result.Y[k*scene.variables:(k+1)*scene.variables])
		}
		if result.Status == solve.Infeasible {
			p.contradicted(ctx, &stage, scene, members, result.Conflict)
		}
		p.Inferred += len(members)
		worst = max(worst, result.Status)
		sum.add(result)
	}
	sum.Status, sum.Explanation, sum.Elapsed = worst.String(), worst.Sentence(), time.Since(start)
	sum.Conflict, sum.ConflictIn = p.conflict, p.conflictIn
	sum.judge(g.settings, worst)
	return p, sum, nil
}

// infer finds the MAP states of a scene's examples.
func (s *scene) infer(ctx context.Context, e *examples, members []int32, theta []float64) (*solve.Result, error) {
	if err := s.show(e, members); err != nil {
		return nil, err
	}
	x := make([]float64, s.Field.Model.Inputs)
	if s.Perception != nil {
		if err := s.Perception.Forward(x, false, 0); err != nil {
			return nil, err
		}
	}
	s.Solver.SetWeights(theta)
	s.Solver.SetInputs(x)
	return s.Solver.Solve(ctx)
}

// contradicted takes the predictions of the examples back whose hard rules contradict each other, and explains the
// first one in the order of the table.
func (p *Predictions) contradicted(ctx context.Context, stage *stage, s *scene, members []int32, places []int) {
	first := -1
	for _, place := range places {
		k, _ := s.locate(place)
		example := int(members[k])
		if slices.Contains(p.Contradictory, example) {
			continue
		}
		p.Contradictory = append(p.Contradictory, example)
		if example == slices.Min(p.Contradictory) {
			first = k
		}
		for l := range p.Labels {
			at := example*len(p.Labels) + l
			p.Predicted[at], p.Values[at] = "", math.NaN()
		}
	}
	slices.Sort(p.Contradictory)
	if first >= 0 {
		example := int(members[first])
		p.conflict, p.conflictIn = stage.contradiction(ctx, s, first, example, places, nil), stage.examples.describe(example)
	}
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
	p := &Predictions{Examples: e.count, truth: e.truth, shapes: int(slices.Max(e.shapes)) + 1}
	p.Predicted, p.Values, p.Known = make([]string, n), make([]float64, n), make([]string, n)
	for _, label := range e.labels {
		p.Labels = append(p.Labels, label.name)
		p.graded = append(p.graded, label.candidates == nil)
	}
	for k := range e.count {
		p.Names = append(p.Names, e.name(k))
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
		p.Values[at] = y[label.variables[best]]
		if label.candidates == nil {
			p.Predicted[at] = [...]string{"0", "1"}[int(math.Round(p.Values[at]))]
			if e.truth[at] != blank {
				p.Known[at] = strconv.FormatFloat(e.truth[at], 'g', -1, 64)
			}
			continue
		}
		p.Predicted[at] = label.candidates[best]
		if e.truth[at] != blank {
			p.Known[at] = label.candidates[int(e.truth[at])]
		}
	}
}

// matches tells whether what is predicted is known to be true: of values, on the same side of one half.
func (p *Predictions) matches(at int) bool {
	if p.graded[at%len(p.Labels)] {
		return p.Predicted[at] != "" && math.Round(p.Values[at]) == math.Round(p.truth[at])
	}
	return p.Known[at] == p.Predicted[at]
}

// Accuracy returns the share of examples whose label, or all of whose known labels if label is -1, are right, among
// those of which any are known.
func (p *Predictions) Accuracy(label int) (share float64, known int) {
	right, known := p.right(label)
	return float64(right) / float64(max(1, known)), known
}

// right counts the examples whose label is known, and known to be what is predicted.
func (p *Predictions) right(label int) (right, known int) {
	for e := range p.Examples {
		asked, matches := false, true
		for l := range p.Labels {
			if at := e*len(p.Labels) + l; (label < 0 || l == label) && p.Known[at] != "" {
				asked = true
				matches = matches && p.matches(at)
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

// examplesFile is the name of the file of predictions.
const examplesFile = "examples.csv"

// WriteAnswer writes the answer into a folder: the predictions of examples as examples.csv, or else the atoms as
// Grounding.WriteAtoms does. It returns the files' paths.
func (r *Report) WriteAnswer(dir string) ([]string, error) {
	if r.Predictions == nil {
		return r.Grounding.WriteAtoms(dir, r.Answer)
	}
	path := filepath.Join(dir, examplesFile)
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = report.WriteFileFunc(path, r.Predictions.Write)
	}
	if err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	return []string{path}, nil
}

// MarshalJSON writes a list of the examples, each with its labels: what is predicted, its value, and what is known;
// null where nothing is.
func (p *Predictions) MarshalJSON() ([]byte, error) {
	type cell struct {
		Predicted *string  `json:"predicted"`
		Value     *float64 `json:"value"`
		Known     *string  `json:"known"`
	}
	type example struct {
		Name   string          `json:"example"`
		Labels map[string]cell `json:"labels"`
	}
	all := make([]example, p.Examples)
	for e := range all {
		all[e] = example{p.Names[e], make(map[string]cell, len(p.Labels))}
		for l, label := range p.Labels {
			at, c := e*len(p.Labels)+l, cell{}
			if p.Predicted[at] != "" {
				c.Predicted, c.Value = &p.Predicted[at], &p.Values[at]
			}
			if p.Known[at] != "" {
				c.Known = &p.Known[at]
			}
			all[e].Labels[label] = c
		}
	}
	return json.Marshal(all)
}

// Write writes the predictions as comma-separated values: for each label what is predicted, its value, and what is
// known; cells are empty where nothing is.
func (p *Predictions) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"example"}
	for _, label := range p.Labels {
		header = append(header, label, label+" value", label+" known")
	}
	rows := [][]string{header}
	for e := range p.Examples {
		row := []string{p.Names[e]}
		for l := range p.Labels {
			at := e*len(p.Labels) + l
			value := ""
			if !math.IsNaN(p.Values[at]) {
				value = strconv.FormatFloat(p.Values[at], 'f', 4, 64)
			}
			row = append(row, p.Predicted[at], value, p.Known[at])
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

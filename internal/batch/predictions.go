package batch

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Predictions are the labels of examples: of the targets that differ in their last argument, the one with the highest
// value in the MAP state, or, where none is near 1, the most probable one or the one that costs least if it is true
// (Decide); of labels that are values, "1" or "0", whichever is nearer.
type Predictions struct {
	// Labels are the columns of the table of examples that are labels.
	Labels []string
	// Examples counts the examples, and all other slices go by example and then label.
	Examples int
	// Inferred is how many of them were inferred: all unless the context ended, or a sample was asked for. Of the others
	// nothing is predicted, nor known.
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
	Shapes     int
	conflict   []string
	conflictIn string
}

// inferred is how many examples are solved at once. Memory does not grow with their number.
const inferred = 64

// Infer infers each example of a phase. The Answer sums them up: its Objective and DualBound are sums, its Gap
// and MaxViolation the largest of the problems that were solved at once, the gap of each relative to its own objective;
// its Status is the worst, and it has no Values. If the context ends, it is about those that were inferred until then.
func Infer(ctx context.Context, g *session.Grounding, phase load.Phase) (*Predictions, *session.Answer, error) {
	e, err := Read(g, phase)
	if err != nil {
		return nil, nil, err
	}
	return InferSome(ctx, g, e, e.All(), true)
}

// InferAll is InferSome for all examples.
func InferAll(ctx context.Context, g *session.Grounding, e *Examples) (*Predictions, *session.Answer, error) {
	return InferSome(ctx, g, e, e.All(), false)
}

// Draw draws so many of some examples at random, the same ones each time, or all if they are fewer, and returns them
// and the others, each in their order.
func Draw(from []int32, size int) (drawn, others []int32) {
	if len(from) <= size {
		return from, nil
	}
	from = slices.Clone(from)
	random := rand.New(rand.NewPCG(uint64(len(from)), uint64(size)))
	random.Shuffle(len(from), func(a, b int) { from[a], from[b] = from[b], from[a] })
	drawn, others = from[:size:size], from[size:]
	slices.Sort(drawn)
	slices.Sort(others)
	return drawn, others
}

// All returns the numbers of all examples.
func (e *Examples) All() []int32 {
	order := make([]int32, e.Count)
	for k := range order {
		order[k] = int32(k)
	}
	return order
}

// InferSome infers some of the examples, whose order it changes. Its predictions are the MAP states' own unless they
// are decided.
func InferSome(ctx context.Context, g *session.Grounding, e *Examples, order []int32, decide bool) (*Predictions,
	*session.Answer, error) {
	start := time.Now()
	stage := Stage{Grounding: g, Examples: e, Solver: func(field *mrf.Field) (solve.Solver, error) {
		return g.Settings.BatchSolver(field, g.Settings.Solve, g.Options())
	}}
	slices.SortStableFunc(order, func(a, b int32) int { return int(e.Shapes[a] - e.Shapes[b]) })
	p := NewPredictions(e)
	worst, sum := solve.Optimal, &session.Answer{AtomError: math.Inf(1)}
	for members := range slices.Chunk(order, Size(g, inferred, e)) {
		if err := ctx.Err(); errors.Is(err, context.Canceled) || p.Inferred > 0 && err != nil {
			worst = max(worst, solve.Ended(ctx))
			break
		}
		// A batch that is begun is ground and solved as far as that goes in any case: its answer has a proof.
		scene, err := stage.Scene(context.WithoutCancel(ctx), members, e.Shapes)
		if err != nil {
			return nil, nil, err
		}
		if sum.Method == "" {
			sum.Method, sum.Reason = auto.ChooseExamples(g.Settings.Method, scene.Field)
		}
		result, err := scene.Infer(ctx, e, members, g.Theta)
		if err != nil {
			return nil, nil, err
		}
		p.Take(scene, e, members, result.Y)
		if decide {
			if err := p.Decide(context.WithoutCancel(ctx), &stage, scene, e, members, g.Theta, result.Y); err != nil {
				return nil, nil, err
			}
		}
		if result.Status == solve.Infeasible {
			p.contradicted(ctx, &stage, scene, members, result.Conflict)
		}
		p.Inferred += len(members)
		worst = max(worst, result.Status)
		addResult(sum, result)
	}
	sum.Status, sum.Explanation, sum.Elapsed = worst.String(), worst.Sentence(), time.Since(start)
	sum.Conflict, sum.ConflictIn = p.conflict, p.conflictIn
	sum.Judge(g.Settings, worst)
	return p, sum, nil
}

// Infer finds the MAP states of a scene's examples.
func (s *Scene) Infer(ctx context.Context, e *Examples, members []int32, theta []float64) (*solve.Result, error) {
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
func (p *Predictions) contradicted(ctx context.Context, stage *Stage, s *Scene, members []int32, places []int) {
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
		p.conflict, p.conflictIn = stage.contradiction(ctx, s, first, example, places, nil), stage.Examples.describe(example)
	}
}

// addResult adds the result of a batch.
func addResult(a *session.Answer, result *solve.Result) {
	a.Objective += result.Objective
	a.DualBound += result.DualBound
	a.Gap = max(a.Gap, result.Gap)
	a.MaxViolation = max(a.MaxViolation, result.MaxViolation)
	a.Iterations += result.Iterations
}

// NewPredictions is room for the labels of examples, with what is known of them.
func NewPredictions(e *Examples) *Predictions {
	n := e.Count * len(e.Labels)
	p := &Predictions{Examples: e.Count, truth: e.Truth, Shapes: int(slices.Max(e.Shapes)) + 1}
	p.Predicted, p.Values, p.Known = make([]string, n), make([]float64, n), make([]string, n)
	for _, label := range e.Labels {
		p.Labels = append(p.Labels, label.Name)
		p.graded = append(p.graded, label.Candidates == nil)
	}
	for k := range e.Count {
		p.Names = append(p.Names, e.name(k))
	}
	return p
}

// Take takes the labels of a scene's examples from their MAP states y. Of equal values, the first counts.
func (p *Predictions) Take(s *Scene, e *Examples, members []int32, y []float64) {
	for k, example := range members {
		p.read(e, int(example), y[k*s.Variables:(k+1)*s.Variables])
	}
}

// read takes the labels of an example from its MAP state.
func (p *Predictions) read(e *Examples, example int, y []float64) {
	for l, label := range e.Labels {
		best := 0
		for c, i := range label.Variables {
			if y[i] > y[label.Variables[best]] {
				best = c
			}
		}
		at := example*len(e.Labels) + l
		p.Values[at] = y[label.Variables[best]]
		if label.Candidates == nil {
			p.Predicted[at] = side(p.Values[at])
			if e.Truth[at] != Blank {
				p.Known[at] = strconv.FormatFloat(e.Truth[at], 'g', -1, 64)
			}
			continue
		}
		p.Predicted[at] = label.Candidates[best]
		if e.Truth[at] != Blank {
			p.Known[at] = label.Candidates[int(e.Truth[at])]
		}
	}
}

// side says on which side of one half a value is.
func side(value float64) string { return [...]string{"0", "1"}[int(math.Round(value))] }

// Matches tells whether what is predicted is known to be true: of values, on the same side of one half.
func (p *Predictions) Matches(at int) bool {
	if p.graded[at%len(p.Labels)] {
		return p.Predicted[at] == side(p.truth[at])
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
				matches = matches && p.Matches(at)
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

// Evaluations scores each label, and all of an example's together.
func (p *Predictions) Evaluations() (all []session.Evaluation) {
	for l := -1; l < len(p.Labels); l++ {
		name := "all labels"
		if l >= 0 {
			name = p.Labels[l]
		}
		right, known := p.right(l)
		if known > 0 && (l >= 0 || len(p.Labels) > 1) {
			all = append(all, *session.NewEvaluation(name, eval.Share("Examples", "Accuracy", right, known)))
		}
	}
	return all
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

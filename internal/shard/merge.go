package shard

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Merged is the answer of all parts: a report as that of one process, and what its rules cost.
type Merged struct {
	*engine.Report
	Costs []session.RuleCost
	Parts int
}

// Merge joins the answers of all cells of a plan, whose project is read again for the names of its atoms, and for the
// truth to score them by.
func Merge(ctx context.Context, at place.Files, m *Manifest, p *project.Project) (*Merged, error) {
	start := time.Now()
	now, err := inputs(ctx, p)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(now, m.Inputs, func(a, b File) bool { return a.Bytes == b.Bytes && a.Checksum == b.Checksum }) {
		return nil, otherInputs(now, m)
	}
	answers, err := readAnswers(ctx, at, m)
	if err != nil {
		return nil, err
	}
	g, err := atoms(ctx, p)
	if err != nil {
		return nil, err
	}
	if variables, _ := g.Tables.Store.Number(); variables != m.Variables {
		return nil, otherInputs(nil, m)
	}
	out := join(m, answers)
	answer := out.Answer
	answer.Values = make([]float64, m.Variables)
	for k := range m.Cells {
		if err := m.Cells[k].scatter(ctx, at, answer.Values); err != nil {
			return nil, err
		}
	}
	out.Grounding = g
	out.Threads = parallel.Threads(p.Threads)
	if out.Evaluations, err = g.Evaluate(answer, load.Infer); err != nil {
		return nil, err
	}
	out.Seconds.Total = time.Since(start).Seconds()
	out.PeakRSS = max(out.PeakRSS, report.PeakRSS())
	return out, nil
}

// otherInputs is the error of a project that is not the one that was cut.
func otherInputs(now []File, m *Manifest) error {
	var diags source.Diagnostics
	what := m.Config
	for k, f := range m.Inputs {
		if k < len(now) && (now[k].Checksum != f.Checksum || now[k].Bytes != f.Bytes) {
			what = f.Path
			break
		}
	}
	diags.Errorf("shard-other", source.Span{}, "cut it again with deeppsl shard, into another folder",
		"%s is not what was cut: it has changed since", what)
	return diags.Err()
}

// readAnswers reads those of all cells. The error names every one that is missing or damaged.
func readAnswers(ctx context.Context, at place.Files, m *Manifest) ([]*Answer, error) {
	var diags source.Diagnostics
	answers := make([]*Answer, len(m.Cells))
	for k := range m.Cells {
		c := &m.Cells[k]
		hint := fmt.Sprintf("deeppsl run --shard %d/%d %s", c.Shard, m.Shards, at.Address(""))
		answer, err := ReadAnswer(ctx, at, c)
		failure := (*source.Failure)(nil)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			diags.Errorf("shard-missing", source.Span{}, hint, "part %s of shard %d has no answer yet", c.Name, c.Shard)
		case errors.As(err, &failure):
			for _, d := range failure.Diagnostics {
				d.Hint = hint
				diags.Add(d)
			}
		case err != nil:
			return nil, err
		case answers[0] != nil && !slices.Equal(answer.Options, answers[0].Options):
			diags.Errorf("shard-other", source.Span{}, hint+", with the options of the others",
				"part %s was solved with other options (%q) than part %s (%q)", c.Name, answer.Options, m.Cells[0].Name,
				answers[0].Options)
		}
		answers[k] = answer
	}
	return answers, diags.Err()
}

// scatter reads a cell's values into those of the whole.
func (c *Cell) scatter(ctx context.Context, at place.Files, values []float64) (err error) {
	name := c.file(variablesName)
	numbers, err := at.Open(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return damaged(at.Address(name), "part %s: its file %s is missing", c.Name, variablesName)
	case err != nil:
		return fmt.Errorf("part %s: its file %s cannot be read: %w", c.Name, variablesName, err)
	}
	defer func() { err = errors.Join(err, numbers.Close()) }()
	own, err := at.Open(ctx, c.values())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	numbered, valued := bufio.NewReader(numbers), bufio.NewReader(own)
	var number, value [8]byte
	for range c.Variables {
		_, err := io.ReadFull(numbered, number[:4])
		if err == nil {
			_, err = io.ReadFull(valued, value[:])
		}
		i := binary.LittleEndian.Uint32(number[:4])
		if err != nil || int64(i) >= int64(len(values)) {
			return damaged(at.Address(name), "part %s: its variables and values do not fit", c.Name)
		}
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(value[:]))
	}
	return nil
}

// join adds the answers up, in the order of the cells.
func join(m *Manifest, answers []*Answer) *Merged {
	answer := &session.Answer{Status: solve.Optimal.String()}
	out := &Merged{Report: &engine.Report{Answer: answer, Seed: m.Seed, Variables: m.Variables}, Parts: len(m.Cells)}
	magnitude, soft, means := 0.0, make([]int, len(answers)), make([]mrf.Means, len(answers))
	for k, a := range answers {
		answer.Status = worse(answer.Status, a.Status)
		answer.Objective += float64(a.Objective)
		answer.DualBound += float64(a.DualBound)
		answer.MaxViolation = max(answer.MaxViolation, float64(a.MaxViolation))
		answer.Violated = answer.Violated || a.Violated
		answer.AtomError = max(answer.AtomError, float64(a.AtomError))
		answer.Iterations = max(answer.Iterations, a.Iterations)
		answer.Conflict = append(answer.Conflict, a.Conflict...)
		magnitude = max(magnitude, a.Asked)
		out.Scratch += a.Scratch
		out.Seconds.Load += a.Work.Load
		out.Seconds.Ground += a.Work.Ground
		out.Seconds.Solve += a.Work.Solve
		out.PeakRSS = max(out.PeakRSS, a.Work.PeakRSS)
		soft[k], means[k] = out.addRules(a, k > 0, m.EverywhereRules), a.Weights.means()
		addStructure(answer, a)
	}
	grain := mrf.GrainOfParts(soft, means)
	answer.Gap = (answer.Objective - answer.DualBound) / max(grain, math.Abs(answer.Objective))
	answer.Method, answer.Reason = methods(answers), answers[0].Reason
	out.conclude(m, magnitude)
	return out
}

// methods names those that the parts were solved by.
func methods(answers []*Answer) string {
	var names []string
	for _, a := range answers {
		if !slices.Contains(names, a.Method) {
			names = append(names, a.Method)
		}
	}
	return strings.Join(names, ", ")
}

// rounding is what adding up the same numbers in another order may change a gap by.
const rounding = 1e-9

// conclude says what the parts' proofs are together.
func (out *Merged) conclude(m *Manifest, asked float64) {
	a := out.Answer
	switch {
	case a.Status == solve.Infeasible.String():
		a.DualBound, a.Gap = math.Inf(1), math.Inf(1)
	case a.Violated:
		a.Gap = math.Inf(1)
	case a.Status == solve.Optimal.String() && !(a.Gap <= asked*(1+rounding)):
		a.Status = solve.IterationLimit.String()
	}
	if len(m.Cells) > 1 && m.Vertices == nil {
		if a.Components != nil {
			a.Components.Apart = true
		}
		a.Reason += fmt.Sprintf(" Solved in %d parts, whose proofs add up.", len(m.Cells))
	}
	out.Status, out.Conflict = a.Status, a.Conflict
	out.Objective, out.DualBound, out.Gap, out.MaxViolation = a.Objective, a.DualBound, a.Gap, a.MaxViolation
	out.AtomError, out.Method, out.Reason = a.AtomError, a.Method, a.Reason
	out.Presolve, out.Components = a.Presolve, a.Components
	out.Feasible = !a.Violated && a.Status != solve.Infeasible.String()
	for k := range out.Costs {
		out.RuleWeights = append(out.RuleWeights, out.Costs[k].Weight)
	}
}

// addRules adds the counts and costs of a part's rules, and returns how many soft ground rules with a weight it has.
// Of rules that are everywhere, all parts but the first have the same ground rules once more.
func (out *Merged) addRules(a *Answer, again bool, everywhere []int) (soft int) {
	if !again {
		out.GroundRulesByRule, out.Costs = slices.Clone(a.Rules), slices.Clone(a.Costs)
	}
	for r, count := range a.Rules {
		cost := a.Costs[r]
		if !count.Hard && cost.Weight > 0 {
			soft += int(count.Kept)
		}
		if again && !slices.Contains(everywhere, r) {
			c, k := &out.GroundRulesByRule[r], &out.Costs[r]
			c.Kept, c.Trivial, c.Constant, c.Discarded = c.Kept+count.Kept, c.Trivial+count.Trivial, c.Constant+count.Constant,
				c.Discarded+count.Discarded
			k.GroundRules, k.Active, k.Cost = k.GroundRules+cost.GroundRules, k.Active+cost.Active, k.Cost+cost.Cost
			out.GroundRules += int(count.Kept)
		} else if !again {
			out.GroundRules += int(count.Kept)
		}
	}
	return soft
}

// addStructure adds what a part says of its structure.
func addStructure(answer *session.Answer, a *Answer) {
	if p := a.Presolve; p != nil {
		if answer.Presolve == nil {
			answer.Presolve = new(presolve.Counts)
		}
		s := answer.Presolve
		s.Fixed, s.Tied, s.Dropped, s.Merged = s.Fixed+p.Fixed, s.Tied+p.Tied, s.Dropped+p.Dropped, s.Merged+p.Merged
	}
	if c := a.Components; c != nil {
		if answer.Components == nil {
			answer.Components = new(solve.Components)
		}
		s := answer.Components
		s.Count, s.Largest, s.Apart = s.Count+c.Count, max(s.Largest, c.Largest), s.Apart || c.Apart
	}
}

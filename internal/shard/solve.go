package shard

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/consensus"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Answer is that of a cell, without the values, which lie in a file of their own: 8 bytes for each variable in the
// order of the cell.
type Answer struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Cell    string `json:"cell"`
	// Part is the checksum of the cell that it is the answer to, Options are those of the run.
	Part    string   `json:"part"`
	Options []string `json:"options"`

	Status       string              `json:"status"`
	Objective    real                `json:"objective"`
	DualBound    real                `json:"dual_bound"`
	MaxViolation real                `json:"max_violation"`
	Violated     bool                `json:"violated"`
	AtomError    real                `json:"largest_atom_error"`
	Weights      weights             `json:"weights"` // of soft ground rules: gaps are relative to their grain at least
	Asked        float64             `json:"asked"`
	Iterations   int                 `json:"iterations"`
	Method       string              `json:"method"`
	Reason       string              `json:"reason"`
	Conflict     []string            `json:"conflict"`
	Rules        []session.RuleCount `json:"rules"`
	Costs        []session.RuleCost  `json:"costs"`
	Presolve     *presolve.Counts    `json:"presolve"`
	Components   *solve.Components   `json:"components"`
	Scratch      int64               `json:"scratch_bytes"`
	Values       File                `json:"values"`
	Work         Work                `json:"work"`
	Checksum     string              `json:"sha256,omitzero"`
}

// real is a number that JSON's syntax may not hold: infinities and NaN are strings.
type real float64

// MarshalJSON writes as many digits as give the same bits back.
func (r real) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(r), 'g', -1, 64)
	if math.IsNaN(float64(r)) || math.IsInf(float64(r), 0) {
		text = strconv.Quote(text)
	}
	return []byte(text), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *real) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*r = real(v)
	return err
}

// weights are the means of a cell's, see mrf.Means.
type weights struct {
	Mean    real `json:"mean"`
	Least   real `json:"least"`
	Largest real `json:"largest"`
}

func newWeights(m mrf.Means) weights { return weights{real(m.Mean), real(m.Least), real(m.Largest)} }

func (w weights) means() mrf.Means {
	return mrf.Means{Mean: float64(w.Mean), Least: float64(w.Least), Largest: float64(w.Largest)}
}

// Work is what an answer took.
type Work struct {
	Load    float64 `json:"load_seconds"`
	Ground  float64 `json:"ground_seconds"`
	Solve   float64 `json:"solve_seconds"`
	PeakRSS int64   `json:"peak_rss_bytes"`
}

const (
	answerFormat  = "deeppsl shard answer"
	answerVersion = 2
)

// answer returns the name of a cell's answer; its values lie beside it.
func (c *Cell) answer() string { return path.Join("answers", c.Name+".json") }

// values is that of an answer's values.
func (c *Cell) values() string { return path.Join("answers", c.Name+".values") }

// Done is what a run of a shard did.
type Done struct {
	Shard  int `json:"shard"`
	Shards int `json:"shards"`
	// Cells counts the shard's, Solved those that were solved now: the others were done.
	Cells  int `json:"cells"`
	Solved int `json:"solved"`
	// Status is the worst of any cell, and the others are sums over them.
	Status      string  `json:"status"`
	Objective   float64 `json:"objective"`
	DualBound   float64 `json:"dual_bound"`
	GroundRules int64   `json:"ground_rules"`
	Variables   int     `json:"variables"`
}

// Told is what is told while a shard is run: each cell before it begins, and each round of one that is a block.
type Told struct {
	Before func(*Cell)
	Round  func(consensus.Progress)
	// Exchange, if set, carries what blocks tell each other; else it is files where the parts are.
	Exchange func(blocks int) consensus.Exchange
}

// Run solves the cells of a shard, numbered from 1, that have no whole answer yet.
// Options win over those of the plan; the context ends the run between two cells, or the cell that is solved, whose
// answer is then not kept.
func Run(ctx context.Context, at place.Files, m *Manifest, shard int, o project.Options, told Told) (*Done, error) {
	done := &Done{Shard: shard, Shards: m.Shards, Status: solve.Optimal.String()}
	o.Set, o.Seed = append(slices.Clone(m.Options), o.Set...), m.Seed
	for k := range m.Cells {
		cell := &m.Cells[k]
		if cell.Shard != shard {
			continue
		}
		answer, err := ReadAnswer(ctx, at, cell)
		if err != nil || !slices.Equal(answer.Options, o.Set) {
			told.Before(cell)
			if m.Vertices != nil {
				answer, err = cell.agree(ctx, at, m, o, told)
			} else {
				answer, err = cell.solve(ctx, at, len(m.Cells), o)
			}
			if err != nil {
				return nil, fmt.Errorf("part %s: %w", cell.Name, err)
			}
			done.Solved++
			runtime.GC() // a part takes its share of memory, and not that of the one before it too
		}
		done.Cells++
		done.add(answer, cell)
	}
	return done, nil
}

// add adds an answer.
func (d *Done) add(a *Answer, c *Cell) {
	d.Status = worse(d.Status, a.Status)
	d.Objective += float64(a.Objective)
	d.DualBound += float64(a.DualBound)
	d.Variables += c.Variables
	if c.Block {
		d.GroundRules += c.Rows
		return
	}
	for _, r := range a.Rules {
		d.GroundRules += r.Kept
	}
}

// worse returns the status that is more severe.
func worse(a, b string) string {
	for s := solve.Infeasible; s > 0; s-- {
		if name := s.String(); a == name || b == name {
			return name
		}
	}
	return a
}

// solve grounds and solves a cell, and writes its answer.
func (c *Cell) solve(ctx context.Context, at place.Files, cells int, o project.Options) (_ *Answer, err error) {
	folder, end, err := c.local(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	o.OnWarning = nil // they have been told, of the whole
	p, err := project.Load(filepath.Join(folder, modelName), o)
	if err != nil {
		return nil, err
	}
	g, err := engine.Ground(ctx, p, load.Infer)
	if err != nil {
		return nil, err
	}
	if g.Variables() != c.Variables {
		return nil, damaged(at.Address(c.file(modelName)), "part %s has %d variables, not %d", c.Name, g.Variables(),
			c.Variables)
	}
	result, asked, err := infer(ctx, g, cells)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	answer := &Answer{Format: answerFormat, Version: answerVersion, Cell: c.Name, Part: c.Checksum, Options: o.Set,
		Status: result.Status, Objective: real(result.Objective), DualBound: real(result.DualBound),
		MaxViolation: real(result.MaxViolation), Violated: result.Violated, AtomError: real(result.AtomError),
		Weights: newWeights(g.Field.Means()), Asked: asked,
		Iterations: result.Iterations, Method: result.Method, Reason: result.Reason, Conflict: result.Conflict,
		Rules: g.Counts(), Presolve: result.Presolve, Components: result.Components, Scratch: g.ScratchBytes(),
		Work: Work{p.Loading.Seconds() + g.LoadTime.Seconds(), g.GroundTime.Seconds(), result.Elapsed.Seconds(),
			report.PeakRSS()}}
	if answer.Costs, err = g.CostByRule(result); err != nil {
		return nil, err
	}
	return answer, answer.write(ctx, at, c, result.Values)
}

// infer solves a cell to half of the gap that was asked for, and, where it costs next to nothing in terms of all rules'
// weights, to a share of that of all cells: so their gaps add up to no more than the whole may have.
func infer(ctx context.Context, g *session.Grounding, cells int) (answer *session.Answer, asked float64, err error) {
	settings := *g.Settings
	asked = settings.Solve.WithDefaults(0).Gap
	settings.Solve.Gap = asked / 2
	if answer, err = g.InferBy(ctx, &settings); err != nil || answer.Status != solve.Optimal.String() {
		return answer, asked, err
	}
	own, cost := g.Field.Grain(), math.Abs(answer.Objective)
	enough := settings.Solve.Gap * max(min(own, grain(g.Theta))/float64(cells), cost)
	if answer.Objective-answer.DualBound <= enough {
		return answer, asked, nil
	}
	settings.Solve.Gap = enough / max(own, cost)
	further, err := g.InferBy(ctx, &settings)
	if err == nil && further.Status == solve.Optimal.String() {
		answer = further
	}
	return answer, asked, err
}

// grain is about that of a problem with as many ground rules of each soft rule: the whole may have it where a cell has
// ground rules of great weights alone.
func grain(theta []float64) float64 {
	var one []int
	var of []mrf.Means
	for _, w := range theta {
		if w > 0 {
			one, of = append(one, 1), append(of, mrf.Means{Mean: w, Least: w, Largest: w})
		}
	}
	return mrf.GrainOfParts(one, of)
}

// write writes the answer, its values first.
func (a *Answer) write(ctx context.Context, at place.Files, c *Cell, values []float64) error {
	sum := newDigest()
	err := at.Write(ctx, c.values(), func(w io.Writer) error {
		return binary.Write(io.MultiWriter(w, sum), binary.LittleEndian, values)
	})
	if err != nil {
		return err
	}
	a.Values = sum.file(path.Base(c.values()))
	return writeSummed(ctx, at, c.answer(), a, func(sum string) { a.Checksum = sum })
}

// ReadAnswer reads the answer of a cell, and sees to it that it is whole and that of the cell as it is. The error is
// fs.ErrNotExist if there is none.
func ReadAnswer(ctx context.Context, at place.Files, c *Cell) (*Answer, error) {
	a := new(Answer)
	path := at.Address(c.answer())
	err := readSummed(ctx, at, c.answer(), a, func() string {
		sum := a.Checksum
		a.Checksum = ""
		return sum
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil && !errors.Is(err, errSum):
		return nil, fmt.Errorf("the answer to part %s: %w", c.Name, err)
	case err != nil:
		return nil, damaged(path, "the answer to part %s: %v", c.Name, err)
	case a.Format != answerFormat || a.Version != answerVersion || a.Part != c.Checksum:
		return nil, damaged(path, "the answer to part %s is that of another part, or another program's", c.Name)
	}
	values, err := sumFile(ctx, at, c.values(), a.Values.Path, io.Discard)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the values of part %s: %w", c.Name, err)
	case err != nil || values != a.Values:
		return nil, damaged(at.Address(c.values()), "the values of part %s are missing or damaged", c.Name)
	}
	return a, nil
}

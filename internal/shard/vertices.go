package shard

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/consensus"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
)

// ByVertices cuts ground rules into blocks that share variables: for one component that is large.
const ByVertices = "vertices"

// Vertices is what a manifest says of a cut by variables.
type Vertices struct {
	// Shared counts the variables that several blocks have.
	Shared      int                 `json:"shared_variables"`
	Gap         float64             `json:"gap"`
	Feasibility float64             `json:"feasibility"`
	Rules       []session.RuleCount `json:"rules"`
}

// blockName is the file of a cell that is a block.
const blockName = "block"

// cutVertices grounds a project and writes a block for each shard.
func (m *Manifest) cutVertices(ctx context.Context, p *project.Project, at place.Files) error {
	if m.Shards > consensus.MostBlocks {
		var diags source.Diagnostics
		diags.Errorf("shard-unsupported", source.Span{}, fmt.Sprintf("--into %d is the most", consensus.MostBlocks),
			"a cut by vertices into %d blocks", m.Shards)
		return diags.Err()
	}
	g, err := engine.Ground(ctx, p, load.Infer)
	if err != nil {
		return err
	}
	if g.Model.Paged() != nil {
		var diags source.Diagnostics
		diags.Errorf("shard-unsupported", source.Span{}, "give shard the memory; its blocks need less",
			"ground rules beyond memory are not cut by vertices")
		return diags.Err()
	}
	g.Field.SetWeights(g.Theta)
	settings := g.Settings.Solve.WithDefaults(0)
	of, shared := consensus.Cut(g.Model, m.Shards)
	m.Variables = g.Model.Variables
	m.Vertices = &Vertices{Shared: shared, Gap: settings.Gap, Feasibility: settings.Feasibility, Rules: g.Counts()}
	m.Components, m.Cells = 1, make([]Cell, m.Shards)
	for k, b := range consensus.New(g.Field, of, m.Shards, p.Threads) {
		c := &m.Cells[k]
		*c = Cell{Name: fmt.Sprintf("%04d", k+1), Shard: k + 1, Block: true, Rows: int64(b.Potentials()),
			Variables: len(b.Variables)}
		m.Rows += c.Rows
		if err := c.writeBlock(ctx, at, b); err != nil {
			return fmt.Errorf("writing the parts: %w", err)
		}
	}
	return nil
}

// writeBlock writes a cell that is a block.
func (c *Cell) writeBlock(ctx context.Context, at place.Files, b *consensus.Block) error {
	for name, write := range map[string]func(io.Writer) error{
		blockName:     b.Save,
		variablesName: func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, b.Variables) },
	} {
		sum := newDigest()
		err := at.Write(ctx, c.file(name), func(w io.Writer) error { return write(io.MultiWriter(w, sum)) })
		if err != nil {
			return err
		}
		c.Files = append(c.Files, sum.file(name))
	}
	slices.SortFunc(c.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	c.Checksum = c.sum()
	return nil
}

// agree runs a block until all blocks have agreed, and writes its answer. Its state and the messages of the last round
// stay, so that each block can be asked again.
func (c *Cell) agree(ctx context.Context, at place.Files, m *Manifest, o project.Options, told Told) (*Answer, error) {
	start := time.Now()
	b, err := c.block(ctx, at, o.Threads)
	if err != nil {
		return nil, err
	}
	rounds := "rounds-" + m.Checksum[:12]
	resumed, err := c.resume(ctx, at, rounds, b)
	if err != nil {
		return nil, err
	}
	exchange := consensus.NewFiles(at, rounds, len(m.Cells))
	if told.Exchange != nil {
		exchange = told.Exchange(len(m.Cells))
	} else if !resumed {
		if err := c.alone(ctx, at, m, rounds); err != nil {
			return nil, err
		}
	}
	loading := time.Since(start)
	p, err := b.Run(ctx, exchange, consensus.Settings{Gap: m.Vertices.Gap, Feasibility: m.Vertices.Feasibility,
		Keep:    func(b *consensus.Block) error { return at.Write(ctx, c.state(rounds), b.Keep) },
		OnRound: told.Round})
	if err != nil {
		return nil, err
	}
	answer := c.agreed(b, p, m, o)
	answer.Work = Work{loading.Seconds(), 0, (time.Since(start) - loading).Seconds(), report.PeakRSS()}
	return answer, answer.write(ctx, at, c, b.Answer().Point)
}

// block reads a cell that is one, and sees to it that it is what was written.
func (c *Cell) block(ctx context.Context, at place.Files, threads int) (_ *consensus.Block, err error) {
	folder, end, err := c.local(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	file, err := os.Open(filepath.Join(folder, blockName))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b, err := consensus.Open(file, threads)
	if err != nil {
		return nil, damaged(at.Address(c.file(blockName)), "part %s: its block %v", c.Name, err)
	}
	return b, nil
}

// state is the name of the file of a block's state.
func (c *Cell) state(rounds string) string { return path.Join(rounds, "state-"+c.Name) }

// resume goes on from the state that a block has kept; false if there is none.
func (c *Cell) resume(ctx context.Context, at place.Files, rounds string, b *consensus.Block) (bool, error) {
	text, err := place.Read(ctx, at, c.state(rounds))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("part %s: its state: %w", c.Name, err)
	}
	if err := b.Resume(text); err != nil {
		return false, damaged(at.Address(c.state(rounds)), "part %s: its state %v", c.Name, err)
	}
	return true, nil
}

// alone is an error if a block without a state comes too late: others have gone on, and what they told is gone.
func (c *Cell) alone(ctx context.Context, at place.Files, m *Manifest, rounds string) error {
	for k := range m.Cells {
		text, err := place.Read(ctx, at, m.Cells[k].state(rounds))
		if err == nil && consensus.Began(text) {
			return damaged(at.Address(c.state(rounds)),
				"part %s: its state is missing, while others have gone on; remove %s, and start all shards", c.Name,
				at.Address(rounds))
		}
	}
	return nil
}

// agreed is the answer of a block: its terms of the objective and of the bound. The first block has the counts of the
// whole.
func (c *Cell) agreed(b *consensus.Block, p *consensus.Progress, m *Manifest, o project.Options) *Answer {
	part := b.Answer()
	status := p.Status
	if status == solve.Optimal && !(p.Gap <= m.Vertices.Gap) {
		status = solve.IterationLimit
	}
	a := &Answer{Format: answerFormat, Version: answerVersion, Cell: c.Name, Part: c.Checksum, Options: o.Set,
		Status: status.String(), Objective: real(part.Objective), DualBound: real(part.Bound),
		MaxViolation: real(part.Violation), Violated: part.Violation > m.Vertices.Feasibility,
		AtomError: real(math.Inf(1)), Asked: m.Vertices.Gap, Iterations: part.Rounds,
		Weights: newWeights(mrf.Means{Mean: part.Grain, Least: part.Grain, Largest: part.Grain}),
		Method:  "consensus"}
	a.Reason = fmt.Sprintf("One problem in blocks that share %d of %d variables; they agreed in %d rounds.",
		m.Vertices.Shared, m.Variables, part.Rounds)
	costs, active := b.ByRule(part.Point, session.ActiveMargin)
	for r, count := range m.Vertices.Rules {
		cost := session.RuleCost{Rule: count.Rule, Hard: count.Hard, Active: active[r], Cost: costs[r]}
		if cost.Weight = b.Weight(r); count.Hard {
			cost.Weight, cost.Cost = 0, 0
		}
		cost.GroundRules = count.Kept
		if c.Shard > 1 {
			count.Kept, count.Trivial, count.Constant, count.Discarded, cost.GroundRules = 0, 0, 0, 0, 0
		}
		a.Rules, a.Costs = append(a.Rules, count), append(a.Costs, cost)
	}
	return a
}

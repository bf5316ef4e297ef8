package shard

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/consensus"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
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
func (m *Manifest) cutVertices(ctx context.Context, p *project.Project, dir string) error {
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
		*c = Cell{Name: fmt.Sprintf("%04d", k+1), Shard: k + 1, Block: true, Rows: int64(len(b.Potentials)),
			Variables: len(b.Variables)}
		m.Rows += c.Rows
		if err := c.writeBlock(dir, b); err != nil {
			return fmt.Errorf("writing the parts: %w", err)
		}
	}
	return nil
}

// writeBlock writes a cell that is a block.
func (c *Cell) writeBlock(dir string, b *consensus.Block) error {
	folder := c.folder(dir)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if err := b.Save(filepath.Join(folder, blockName)); err != nil {
		return err
	}
	numbers, err := binary.Append(nil, binary.LittleEndian, b.Variables)
	if err == nil {
		err = report.WriteFile(filepath.Join(folder, variablesName), numbers)
	}
	for _, name := range []string{blockName, variablesName} {
		if err != nil {
			return err
		}
		var file File
		file, err = sumFile(filepath.Join(folder, name), name)
		c.Files = append(c.Files, file)
	}
	c.Checksum = c.sum()
	return err
}

// agree runs a block until all blocks have agreed, and writes its answer. Its state and the messages of the last round
// stay, so that each block can be asked again.
func (c *Cell) agree(ctx context.Context, dir string, m *Manifest, o project.Options, told func(consensus.Progress)) (
	*Answer, error) {
	start := time.Now()
	if err := c.verify(dir); err != nil {
		return nil, err
	}
	b, err := consensus.Open(filepath.Join(c.folder(dir), blockName), o.Threads)
	if err != nil {
		return nil, err
	}
	rounds := filepath.Join(dir, "rounds-"+m.Checksum[:12])
	state := filepath.Join(rounds, "state-"+c.Name)
	exchange, err := consensus.NewFiles(rounds, len(m.Cells))
	if err != nil {
		return nil, err
	}
	resumed, err := b.Resume(state)
	if err != nil {
		return nil, damaged(state, "part %s: %v", c.Name, err)
	}
	others, _ := filepath.Glob(filepath.Join(rounds, "state-*"))
	if !resumed && slices.ContainsFunc(others, consensus.Began) {
		return nil, damaged(state,
			"part %s: its state is missing, while others have gone on; remove %s, and start all shards", c.Name, rounds)
	}
	loading := time.Since(start)
	p, err := b.Run(ctx, exchange, consensus.Settings{Gap: m.Vertices.Gap, Feasibility: m.Vertices.Feasibility,
		Keep: func(b *consensus.Block) error { return b.Keep(state) }, OnRound: told})
	if err != nil {
		return nil, err
	}
	answer := c.agreed(b, p, m, o)
	answer.Work = Work{loading.Seconds(), 0, (time.Since(start) - loading).Seconds(), report.PeakRSS()}
	return answer, answer.write(dir, c, b.Answer().Point)
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
		AtomError: real(math.Inf(1)), Unit: real(part.Unit), Asked: m.Vertices.Gap, Iterations: part.Rounds,
		Method: "consensus"}
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

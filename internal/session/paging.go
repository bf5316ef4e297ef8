package session

import (
	"context"
	"errors"
	"os"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Close gives back the file that the ground rules are in, if they are in one; they cannot be used any more.
func (g *Grounding) Close() error {
	g.warm = nil
	return g.closeFile()
}

// memory returns how many bytes the project may take, tables included; known is false if nothing bounds it.
func (g *Grounding) memory() (bytes int64, known bool) {
	if given := g.Settings.Memory; given > 0 {
		return given, true
	}
	if g.Project.Learning.Force {
		return 0, false
	}
	return preflight.Available(os.DirFS("/"))
}

// room returns how many of them the tables leave for what is made of them, at least 1; 0 if nothing bounds it.
func (g *Grounding) room() int64 {
	memory, known := g.memory()
	if !known {
		return 0
	}
	if g.Settings.Memory > 0 { // otherwise the tables have theirs already
		memory -= preflight.TableBytes(g.Tables.Store)
	}
	return max(1, memory)
}

// pages tells whether ground rules that do not fit go to a file.
func (g *Grounding) pages() bool { return g.Settings.Memory > 0 && g.pageable() }

// pageable tells whether they may, if that is asked for: only of what is inferred alone, as learning goes through
// copies of the model, and changes need it in memory.
func (g *Grounding) pageable() bool {
	return g.Phase == load.Infer && !g.Project.Config.HasExamples() && !g.changes
}

// fit decides where the ground rules are kept, and refuses a model that has no place.
func (g *Grounding) fit(ctx context.Context) error {
	memory, known := g.memory()
	if !known {
		return nil
	}
	estimates, err := g.Estimate(ctx, guardRows)
	if err != nil {
		return err
	}
	if !g.pages() {
		return preflight.Fit(estimates, memory, g.pageable())
	}
	g.paging, err = preflight.Place(estimates, g.Tables.Store, memory, g.Settings.Scratch)
	return err
}

// LintFit warns of a model that would be refused where this is run.
func (g *Grounding) LintFit(estimates []ground.Estimate, out *source.Diagnostics) {
	memory, known := g.memory()
	var refusal *source.Failure
	if !known || g.pages() || !errors.As(preflight.Fit(estimates, memory, g.pageable()), &refusal) {
		return
	}
	for _, d := range refusal.Diagnostics {
		d.Severity = source.Warning // there may be more memory elsewhere
		out.Add(d)
	}
}

// groundRules makes the ground model. What was expected to fit in memory and does not is ground again, into a file.
func (g *Grounding) groundRules(ctx context.Context) error {
	rules, err := g.prepare(ctx)
	if err != nil {
		return err
	}
	g.prepared = nil
	opts := g.Settings.Model.Options()
	opts.Threads, opts.Profile = g.Project.Threads, g.Project.Profile
	opts.Free = !g.Project.Config.HasExamples() // of which others are ground over the same relations
	if g.paging == nil {
		opts.Most = g.room() / preflight.Copies
		g.Model, g.Report, err = rules.Ground(ctx, opts)
		var excess *ground.Excess
		if !errors.As(err, &excess) || !g.pages() {
			return preflight.Explain(err, "the ground rules")
		}
		if g.paging, err = preflight.Page(g.Tables.Store, g.Settings.Memory, g.Settings.Scratch); err != nil {
			return err
		}
		opts.Most = 0
	}
	opts.Scratch = g.paging.File
	g.Model, g.Report, err = rules.Ground(ctx, opts)
	if err != nil {
		return err
	}
	return preflight.Paged(g.Report, g.Tables.Store, g.Settings.Memory)
}

// Guard runs what goes through the ground rules: those in a file that cannot be read any more are an error.
func (g *Grounding) Guard(run func() error) error { return g.Model.Paged().Guard(run) }

// closeFile gives the disk space back that the ground rules have, if they are in a file: none may be used any more.
func (g *Grounding) closeFile() error {
	if g.paging == nil {
		return nil
	}
	return g.paging.File.Close()
}

// ScratchBytes returns the size of the temporary file that the ground rules are in; 0 if they are in memory.
func (g *Grounding) ScratchBytes() int64 {
	if g.paging == nil {
		return 0
	}
	return g.paging.File.Size()
}

// Estimate samples what grounding would make.
func (g *Grounding) Estimate(ctx context.Context, rows int) ([]ground.Estimate, error) {
	p, err := g.prepare(ctx)
	if err != nil {
		return nil, err
	}
	return p.Sample(ctx, g.Project.Threads, rows)
}

// prepare plans the rules over the tables, unless that has been done.
func (g *Grounding) prepare(ctx context.Context) (p *ground.Prepared, err error) {
	if !g.prepared.For(g.Program, g.Tables.Store) {
		g.prepared, err = ground.Prepare(ctx, g.Program, g.Tables.Store, g.Project.Threads)
	}
	return g.prepared, err
}

// guardRows bounds how many rows are touched per rule by the guard of memory, which every grounding waits for and for
// which a rough estimate will do.
const guardRows = 1 << 12

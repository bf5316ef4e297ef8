package engine

import (
	"context"
	"errors"
	"os"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/preflight"
)

// Memory is the least that the option ground.memory gives a phase, in bytes; 0 if it gives none. Nothing here sets a
// limit for the process: that is for the program whose process it is.
func (p *Project) Memory() (least int64) {
	for k := range p.phases {
		if given := p.phases[k].memory; given > 0 && (least == 0 || given < least) {
			least = given
		}
	}
	return least
}

// Close gives back the file that the ground rules are in, if they are in one; they cannot be used any more.
func (g *Grounding) Close() error { return g.closeFile() }

// Forced says that the options let a project take any amount of memory.
func (p *Project) Forced() bool { return p.settings.force }

// memory returns how many bytes the project may take, tables included; known is false if nothing bounds it.
func (g *Grounding) memory() (bytes int64, known bool) {
	if given := g.settings.memory; given > 0 {
		return given, true
	}
	if g.project.settings.force {
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
	if g.settings.memory > 0 { // otherwise the tables have theirs already
		memory -= preflight.TableBytes(g.tables.Store)
	}
	return max(1, memory)
}

// pages tells whether ground rules that do not fit may go to a file. It is one only for what is inferred alone:
// learning goes through copies of the model.
func (g *Grounding) pages() bool {
	return g.settings.memory > 0 && g.phase == Infer && !g.project.config.HasExamples()
}

// fit decides where the ground rules are kept, and refuses a model that has no place.
func (g *Grounding) fit(ctx context.Context) error {
	memory, known := g.memory()
	if !known {
		return nil
	}
	estimates, err := g.estimate(ctx, guardRows)
	if err != nil {
		return err
	}
	if !g.pages() {
		return preflight.Fit(estimates, memory)
	}
	g.paging, err = preflight.Place(estimates, g.tables.Store, memory, g.settings.scratch)
	return err
}

// groundRules makes the ground model. What was expected to fit in memory and does not is ground again, into a file.
func (g *Grounding) groundRules(ctx context.Context) (err error) {
	opts := g.settings.model.grounding()
	opts.Threads = g.project.Threads
	if g.paging == nil {
		opts.Most = g.room() / preflight.Copies
		g.model, g.report, err = ground.Ground(ctx, g.program, g.tables.Store, opts)
		var excess *ground.Excess
		if !errors.As(err, &excess) || !g.pages() {
			return preflight.Explain(err, "the ground rules")
		}
		if g.paging, err = preflight.Page(g.tables.Store, g.settings.memory, g.settings.scratch); err != nil {
			return err
		}
		opts.Most = 0
	}
	opts.Scratch = g.paging.File
	g.model, g.report, err = ground.Ground(ctx, g.program, g.tables.Store, opts)
	if err != nil {
		return err
	}
	return preflight.Paged(g.report, g.tables.Store, g.settings.memory)
}

// guard runs what goes through the ground rules: those in a file that cannot be read any more are an error.
func (g *Grounding) guard(run func() error) error { return g.model.Paged().Guard(run) }

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

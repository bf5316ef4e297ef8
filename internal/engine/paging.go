package engine

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/deeppsl/deeppsl/internal/preflight"
)

// leastLimit is the least limit for the garbage collector: below it, a program does little else than collect.
const leastLimit = 64 << 20

// limitMemory makes the garbage collector keep to the memory that the options give, for the whole process; a lower
// limit stays.
func (s *settings) limitMemory() {
	limit := max(s.memory, leastLimit)
	if now := debug.SetMemoryLimit(-1); s.memory > 0 && limit < now {
		debug.SetMemoryLimit(limit)
	}
}

// fit decides where the ground rules are kept, and refuses a model that has no place. It is a file only for what is
// inferred alone: learning goes through copies of the model.
func (g *Grounding) fit(ctx context.Context) error {
	if g.project.settings.force && g.settings.memory == 0 {
		return nil
	}
	memory, known := preflight.Available(os.DirFS("/"))
	if given := g.settings.memory; given > 0 {
		memory, known = given, true
	}
	if !known {
		return nil
	}
	estimates, err := g.estimate(ctx, guardRows)
	if err != nil {
		return err
	}
	if g.settings.memory == 0 || g.phase != Infer || g.project.config.HasExamples() {
		return preflight.Fit(estimates, memory)
	}
	g.paging, err = preflight.Place(estimates, g.tables.Store, memory, g.settings.scratch)
	return err
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

// Package ground turns rules into ground rules: it runs each rule's plan over the relations and writes the potentials
// and constraints of the hinge-loss Markov random field straight into the arenas of an mrf.Model. Observed atoms are
// folded into constants on the way; ground rules that no assignment can violate, or that have no variable, are
// removed.
//
// A rule goes through four things. Its plan is compiled into a routine, in which names have become columns, indexes
// and slots of values. The routine's first rows are cut into pieces, and machines run the pieces, as many at a time
// as there are threads: nested loops that end early where the template cannot be above 0 any more. What a machine
// finds it appends to batches, one for each shape that the rule's ground rules take when their observed atoms are
// gone. An assembly joins the batches of all pieces, shape by shape and in the order of the pieces, as they come,
// into the blocks of the model. Nothing in this depends on which machine ran which piece, so the model has the same
// bits for any number of threads.
package ground

import (
	"context"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Ground makes the ground model of prog over store, whose relations are indexed by predicate. See Prepared.Ground.
func Ground(
	ctx context.Context, prog *program.Program, store *relation.Store, opts Options,
) (*mrf.Model, *Report, error) {
	p, err := prepareProgram(ctx, prog, store, opts)
	if err != nil {
		return nil, &Report{}, err
	}
	return p.Ground(ctx, opts)
}

// Ground makes the ground model. Errors are the context's, an *Excess, or diagnostics (*source.Failure): missing
// targets, hard rules that the observations violate, coefficients that are not finite. The report is complete even
// then.
func (p *Prepared) Ground(ctx context.Context, opts Options) (*mrf.Model, *Report, error) {
	g := newGrounder(ctx, p.scope, opts)
	defer g.release()
	model := &mrf.Model{Rules: len(p.prog.Rules)}
	model.Variables, model.Inputs = p.scope.store.Number()
	report := &Report{}
	var diagnostics source.Diagnostics
	if opts.Free {
		p.free(-1)
	}
	for k, rule := range p.prog.Rules {
		blocks, entry, problems := g.rule(p, k)
		if p.routines[k] = nil; opts.Free {
			p.free(k)
		}
		if err := ctx.Err(); err != nil {
			return nil, report, err
		}
		if err := g.excess(rule); err != nil {
			return nil, report, err
		}
		model.Blocks = append(model.Blocks, blocks...)
		report.add(entry)
		problems.diagnose(rule, opts.discards(), &diagnostics)
		if g.spill != nil && g.spill.Broken() {
			break
		}
	}
	if g.spill != nil {
		if err := g.spill.Restore(g.threads); err != nil {
			return nil, report, err
		}
	}
	return model, report, diagnostics.Err()
}

// rule grounds rule k into blocks, or a part of it if the context ends.
func (g *grounder) rule(p *Prepared, k int) ([]*mrf.Block, RuleReport, *problems) {
	start := time.Now()
	if p.prog.Rules[k].Inactive {
		return nil, RuleReport{Plan: p.plans[k]}, &problems{}
	}
	r := p.routine(g.threads, k)
	if !g.options.oneByOne {
		g.table(r, g.options.tableAll)
	} else {
		r.side = -1
	}
	if g.options.arrangeAll {
		r.choosePeeks(0)
	}
	if g.spill != nil {
		r.most = pagedPieces
	}
	r.divide()
	r.chooseTiers(g.leastTiers())
	r.arrange(g.threads, g.options.arrangeAll)
	c := newCollection(g, r)
	c.expected = p.expected(g, k)
	if g.options.Profile {
		g.profiler = newProfiler(len(r.ops))
	}
	g.each(r, c.take, c.end)
	entry, all := RuleReport{Plan: r.plan}, &problems{}
	g.profile(c, &entry)
	for piece := range c.counts {
		entry.add(&c.counts[piece])
		all.merge(&c.found[piece])
	}
	blocks := c.assembly.blocks()
	entry.Bytes = c.size.Load() + g.keep(blocks)
	blocks = append(slices.Concat(c.paged...), blocks...)
	entry.Seconds = time.Since(start).Seconds()
	return blocks, entry, all
}

// profile tells what each step did.
func (g *grounder) profile(c *collection, entry *RuleReport) {
	ops := c.routine.ops
	entry.Steps = make([]StepProfile, len(c.routine.plan.Steps))
	for _, t := range c.routine.tabled {
		entry.Steps[t.step] = StepProfile{Rows: t.passed, Tabled: true}
	}
	for k := range ops {
		s := &entry.Steps[c.routine.stepOf(k)]
		if s.Rows, s.Tabled = c.passed[k].Load(), false; ops[k].lists != nil {
			s.Bytes = ops[k].lists.Bytes()
		} else if ops[k].index != nil {
			s.Bytes = ops[k].index.Bytes()
		}
	}
	if g.profiler == nil {
		return
	}
	seconds := g.profiler.end()
	for k := range ops {
		entry.Steps[c.routine.stepOf(k)].Seconds = seconds[k]
	}
	entry.Making, g.profiler = seconds[len(ops)], nil
}

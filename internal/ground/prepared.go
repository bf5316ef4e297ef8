package ground

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// Prepared is a program that is planned over a store. Its rules are compiled, and what they need of relations is built,
// when somebody asks for them: what Sample has looked at, Ground runs. It is not safe for concurrent use.
type Prepared struct {
	prog      *program.Program
	scope     *scope
	relations []*relation.Relation // of the store, as they were
	plans     []*plan.Plan
	routines  []*routine  // nil before the rule is asked for, and once it has been ground
	last      map[use]int // the last rule that needs something
	estimates []Estimate  // of the last sample; nil if there is none
}

// use is a part of a relation that rules need; the zero part stands for all of them.
type use struct {
	relation *relation.Relation
	part     relation.Part
}

// Prepare plans prog over store, whose relations are indexed by predicate and may not change as long as it is used. The
// only error is the context's.
func Prepare(ctx context.Context, prog *program.Program, store *relation.Store, threads int) (*Prepared, error) {
	return prepareProgram(ctx, prog, store, Options{Threads: threads})
}

// prepareProgram is Prepare, with what tests ask of plans.
func prepareProgram(
	ctx context.Context, prog *program.Program, store *relation.Store, opts Options,
) (*Prepared, error) {
	p := &Prepared{prog: prog, scope: newScope(store), relations: slices.Clone(store.Relations),
		plans: make([]*plan.Plan, len(prog.Rules)), routines: make([]*routine, len(prog.Rules))}
	for _, rule := range prog.Rules {
		p.scope.declare(rule)
	}
	plan.Count(parallel.Threads(opts.Threads), prog.Rules, store)
	for k, rule := range prog.Rules {
		var err error
		if p.plans[k], err = plan.New(ctx, rule, store); err != nil {
			return nil, err
		}
		if opts.meetAll {
			p.plans[k].MeetAll()
		}
	}
	plan.Reduce(p.plans)
	for _, chosen := range p.plans {
		if opts.reduceAll {
			chosen.ReduceAll()
		}
	}
	return p, nil
}

// For tells whether it is of a program and a store.
func (p *Prepared) For(prog *program.Program, store *relation.Store) bool {
	return p != nil && p.prog == prog && p.scope.store == store && slices.Equal(p.relations, store.Relations)
}

// routine returns rule k, ready to run.
func (p *Prepared) routine(threads, k int) *routine {
	if p.routines[k] == nil {
		build(threads, p.plans[k])
		p.routines[k] = compile(threads, p.plans[k], p.scope)
	}
	return p.routines[k]
}

// all returns all rules, ready to run.
func (p *Prepared) all(threads int) []*routine {
	build(threads, p.plans...)
	for k := range p.plans {
		p.routine(1, k)
	}
	return p.routines
}

// Sample estimates the ground model, rule by rule, where roughly so many rows at most are touched per rule: one that
// touches fewer is counted exactly. The only error is the context's.
func (p *Prepared) Sample(ctx context.Context, threads, rows int) ([]Estimate, error) {
	g := newGrounder(ctx, p.scope, Options{Threads: threads})
	defer g.release()
	p.scope.store.Number()
	routines := p.all(g.threads)
	estimates := make([]Estimate, len(routines))
	parallel.For(g.threads, len(routines), func(k int) {
		estimates[k] = g.sample(routines[k], float64(rows))
	})
	p.estimates = estimates
	return estimates, ctx.Err()
}

const (
	// worthSample is how many rows a rule should touch for its arenas to be foreseen by a sample of their own, and
	// glimpsed how many rows that may touch.
	worthSample = 1 << 18
	glimpsed    = 1 << 12
)

// expected estimates the bytes of the ground rules that rule k makes; 0 means that nothing is known.
func (p *Prepared) expected(g *grounder, k int) float64 {
	switch {
	case p.estimates != nil:
		return p.estimates[k].Bytes
	case p.plans[k].Cost < worthSample:
		return 0
	}
	e := g.sample(p.routines[k], glimpsed)
	return e.Bytes
}

// free lets go of what no rule behind the k-th needs of its relations, or of all if k is -1.
func (p *Prepared) free(k int) {
	if p.last == nil {
		p.last = make(map[use]int)
		for k := range p.plans {
			for _, u := range p.uses(k) {
				p.last[u] = k
			}
		}
	}
	if k < 0 {
		for _, r := range p.relations {
			p.forget(r, k)
		}
		return
	}
	for _, u := range p.uses(k) {
		p.forget(u.relation, k)
	}
}

// forget lets go of what no rule behind the k-th needs of a relation.
func (p *Prepared) forget(r *relation.Relation, k int) {
	needed := func(part relation.Part) bool {
		last, used := p.last[use{r, part}]
		return used && last > k
	}
	if !needed(relation.Part{}) {
		r.Forget(needed)
	}
}

// uses lists what rule k needs of relations: all that there is of those that it has sums of.
func (p *Prepared) uses(k int) (all []use) {
	rule := p.prog.Rules[k]
	if rule.Inactive {
		return nil
	}
	for _, a := range accesses(p.plans[k]) {
		for _, part := range a.parts() {
			all = append(all, use{a.relation, part})
		}
	}
	whole := func(a *program.Atom) { all = append(all, use{relation: p.scope.store.Relations[a.Predicate]}) }
	for _, sum := range rule.Sums {
		whole(&rule.Atoms[sum.Atom])
		for _, conjunction := range sum.Filter {
			for _, literal := range conjunction {
				if literal.Atom != nil {
					whole(literal.Atom)
				}
			}
		}
	}
	return all
}

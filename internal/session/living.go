package session

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// Living returns a grounding of the same atoms in living relations, whose variables have other numbers, and what these
// are: the model is the same but for that. What was answered before belongs to the old one, which stays what it is.
func (g *Grounding) Living() (living *Grounding, numbers []int32) {
	out := *g
	store := &relation.Store{Symbols: g.Tables.Store.Symbols}
	for _, r := range g.Tables.Store.Relations {
		free := 0
		if r.FreeLen() > 0 && r.Free == relation.Target {
			free = r.FreeLen()/4 + room
		}
		store.Relations = append(store.Relations, r.Living(r.Observed/4+room, free))
	}
	tables, report := *g.Tables, *g.Report
	report.Rules = slices.Clone(report.Rules)
	tables.Store, out.Tables, out.Report = store, &tables, &report
	variables, _ := store.Number()
	numbers = make([]int32, g.Model.Variables)
	for k, before := range g.Tables.Store.Relations {
		for at := range int32(before.FreeLen()) {
			if before.Free == relation.Target {
				numbers[before.Base+at] = store.Relations[k].Base + at
			}
		}
	}
	out.Model = &mrf.Model{Variables: variables, Inputs: g.Model.Inputs, Rules: g.Model.Rules}
	for _, b := range g.Model.Blocks {
		out.Model.Blocks = append(out.Model.Blocks, b.Renumbered(numbers))
	}
	out.Field = mrf.NewFieldOn(out.Model, g.Project.Threads)
	out.Theta, out.Inputs = slices.Clone(g.Theta), slices.Clone(g.Inputs)
	return &out, numbers
}

// room is for how many rows there is, at least.
const room = 1024

// Settled grounds the atoms of a living grounding, and its rules, as if they had been there from the start.
func (g *Grounding) Settled(ctx context.Context, prog *program.Program) (*Grounding, error) {
	out := *g
	store := &relation.Store{Symbols: g.Tables.Store.Symbols}
	for _, r := range g.Tables.Store.Relations {
		settled, _ := r.Settled()
		store.Relations = append(store.Relations, settled)
	}
	tables := *g.Tables
	tables.Store, out.Tables, out.Program = store, &tables, prog
	if err := out.ground(ctx); err != nil {
		return nil, err
	}
	copy(out.Theta, g.Theta)
	copy(out.Inputs, g.Inputs) // inputs stay as many as they were
	return &out, nil
}

// Room returns how many bytes there are for what is made of the tables; 0 if nothing bounds it.
func (g *Grounding) Room() int64 { return g.room() }

// Alter calls f while nobody reads atoms.
func (g *Grounding) Alter(f func()) {
	g.names.Lock()
	defer g.names.Unlock()
	f()
}

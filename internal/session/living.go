package session

import (
	"context"
	"slices"
	"sync"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// Living returns a grounding of the same atoms in living relations, whose variables and inputs have other numbers, and
// what these are: the model is the same but for that. What was answered before belongs to the old one, which stays what
// it is, networks included.
func (g *Grounding) Living() (living *Grounding, variables, inputs []int32) {
	out := *g
	store := &relation.Store{Symbols: g.Tables.Store.Symbols}
	for _, r := range g.Tables.Store.Relations {
		free := 0
		if r.FreeLen() > 0 {
			free = r.FreeLen()/4 + room
		}
		store.Relations = append(store.Relations, r.Living(r.Observed/4+room, free))
	}
	tables, report := *g.Tables, *g.Report
	report.Rules = slices.Clone(report.Rules)
	tables.Store, out.Tables, out.Report = store, &tables, &report
	out.Model = &mrf.Model{Rules: g.Model.Rules}
	out.Model.Variables, out.Model.Inputs = store.Number()
	variables, inputs = make([]int32, g.Model.Variables), make([]int32, g.Model.Inputs)
	for k, before := range g.Tables.Store.Relations {
		numbers := variables
		if before.Free == relation.Perceived {
			numbers = inputs
		}
		for at := range int32(before.FreeLen()) {
			numbers[before.Base+at] = store.Relations[k].Base + at
		}
	}
	for _, b := range g.Model.Blocks {
		out.Model.Blocks = append(out.Model.Blocks, b.Renumbered(variables, inputs, g.Project.Threads))
	}
	out.Field = mrf.NewFieldOn(out.Model, g.Project.Threads)
	out.Theta, out.Inputs, out.Perception = slices.Clone(g.Theta), make([]float64, out.Model.Inputs), nil
	for k, number := range inputs {
		out.Inputs[number] = g.Inputs[k]
	}
	out.Networks, out.Known = g.Networks.Fork(), Known{}
	return &out, variables, inputs
}

// Apart returns the grounding with tables and a field of its own, for who asks it while living relations change. The
// model must be one that stays as it is.
func (g *Grounding) Apart() *Grounding {
	out, tables := *g, *g.Tables
	tables.Store = g.Tables.Store.Apart()
	out.Tables, out.Field, out.names = &tables, mrf.NewFieldOn(g.Model, g.Project.Threads), new(sync.RWMutex)
	return &out
}

// room is for how many rows there is, at least.
const room = 1024

// Settled grounds the atoms of a living grounding, and its rules, as if they had been there from the start.
func (g *Grounding) Settled(ctx context.Context, prog *program.Program) (*Grounding, error) {
	out := *g
	store := &relation.Store{Symbols: g.Tables.Store.Symbols}
	perceived := make([][]int32, len(g.Tables.Store.Relations)) // rows of what lives, by predicate
	for k, r := range g.Tables.Store.Relations {
		settled, rows := r.Settled()
		store.Relations = append(store.Relations, settled)
		if r.Free == relation.Perceived {
			perceived[k] = rows[settled.Observed:]
		}
	}
	tables := *g.Tables
	tables.Store, out.Tables, out.Program = store, &tables, prog
	if err := out.ground(ctx); err != nil {
		return nil, err
	}
	copy(out.Theta, g.Theta)
	for k, rows := range perceived {
		for at, row := range rows {
			out.Inputs[store.Relations[k].Base+int32(at)] = g.Inputs[g.Tables.Store.Relations[k].Number(row)]
		}
	}
	return &out, nil
}

// Remade prepares a living grounding anew: its tables as they are, changed by amend, which may be nil, with all atoms
// that follow from them. It is not ground.
func (g *Grounding) Remade(ctx context.Context, amend func(*relation.Store) error) (*Grounding, error) {
	out, tables := *g, *g.Tables
	tables.Store = &relation.Store{Symbols: g.Tables.Store.Symbols}
	for k := range g.Tables.Store.Relations {
		tables.Store.Relations = append(tables.Store.Relations, g.Listed(k))
	}
	if amend != nil {
		if err := amend(tables.Store); err != nil {
			return nil, err
		}
	}
	out.Tables, out.Base, out.Raw = &tables, tables.Store, slices.Clone(tables.Store.Relations)
	out.warm, out.warmOf = nil, nil
	return &out, out.CompleteAtoms(ctx, nil)
}

// Listed returns what a table would have of a predicate now: all but what follows from others.
func (g *Grounding) Listed(predicate int) *relation.Relation {
	declared, before := g.Project.Config.Predicates[predicate], g.Raw[predicate]
	role, made := g.Derivations.Makes(predicate)
	made = made && role != relation.Observed || declared.Neural.Makes()
	switch _, all := g.Derivations.Makes(predicate); {
	case all && !made:
		return before.Copy()
	case !made && !declared.Given:
		settled, _ := g.Tables.Store.Relations[predicate].Settled()
		return settled.Copy()
	}
	now, builder := g.Tables.Store.Relations[predicate], relation.NewBuilder(declared.Name, declared.Arity())
	for row := range int32(now.Len()) {
		if !now.Has(row) {
			continue
		}
		tuple := now.Tuple(nil, row)
		if now.Role(row) == relation.Observed {
			builder.MustAdd(tuple, now.Value(row), relation.Observed)
			continue
		}
		value := now.GivenValue(row)
		if declared.Given && len(g.Inputs) > 0 {
			value = g.Inputs[now.Number(row)]
		}
		if _, listed := before.Find(tuple...); listed || !made {
			builder.MustAdd(tuple, value, now.Role(row))
		}
	}
	return builder.Relation(before.Open)
}

// Anew grounds the tables of a living grounding, changed by amend, and a program's rules with weights as if they had
// been there from the start.
func (g *Grounding) Anew(ctx context.Context, prog *program.Program, theta []float64,
	amend func(*relation.Store) error) (*Grounding, error) {
	out, err := g.Remade(ctx, amend)
	if err != nil {
		return nil, err
	}
	out.Program, out.changes = prog, true
	if err := out.fit(ctx); err != nil {
		return nil, err
	}
	if err := out.ground(ctx); err != nil {
		return nil, err
	}
	copy(out.Theta, theta)
	return out, nil
}

// Room returns how many bytes there are for what is made of the tables; 0 if nothing bounds it.
func (g *Grounding) Room() int64 { return g.room() }

// Alter calls f while nobody reads atoms.
func (g *Grounding) Alter(f func()) {
	g.names.Lock()
	defer g.names.Unlock()
	f()
}

package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Explainer says why atoms have their values in one answer. It is not safe for concurrent use, and ends with the first
// change of the grounding.
type Explainer struct {
	grounding *Grounding
	state     *explain.State
	tracer    *ground.Tracer
}

// Explainer makes what explains an answer of InferAgain, whose multipliers it rests on.
func (g *Grounding) Explainer(answer *Answer) (*Explainer, error) {
	return g.ExplainerBy(answer, slices.Clone(answer.Multipliers))
}

// ExplainerBy is Explainer with multipliers that are its own from then on.
func (g *Grounding) ExplainerBy(answer *Answer, multipliers []float64) (*Explainer, error) {
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(answer.Perceived)
	limits := g.Settings.Solve
	limits.Threads = g.Project.Threads
	state, err := explain.NewState(g.Field, g.Index, answer.Values, multipliers, limits)
	if err != nil {
		return nil, err
	}
	x := g.Namer()
	x.state = state
	return x, nil
}

// Explain says why a target atom has its value.
func (x *Explainer) Explain(ctx context.Context, o explain.Options, predicate string, arguments ...string) (
	*explain.Explanation, error) {
	_, atoms, row, err := x.grounding.find(predicate, arguments)
	switch {
	case err != nil:
		return nil, err
	case row < 0:
		return nil, fmt.Errorf("there is no atom %s", relation.AtomText(atoms.Name, arguments))
	case atoms.Role(row) != relation.Target:
		return nil, fmt.Errorf("%s is %s, and not inferred: there is nothing to explain",
			x.grounding.Tables.Store.Atom(atoms, row), atoms.Role(row))
	}
	return x.state.Explain(ctx, x, atoms.Number(row), o)
}

// Variable implements explain.Names.
func (x *Explainer) Variable(i int32) explain.Atom { return x.free(relation.Target, i) }

// Input implements explain.Names.
func (x *Explainer) Input(i int32) explain.Atom { return x.free(relation.Perceived, i) }

// free names a target or an input by its number.
func (x *Explainer) free(role relation.Role, i int32) explain.Atom {
	r, row := x.grounding.Tables.Store.Locate(role, i)
	out := explain.Atom{Atom: x.grounding.Tables.Store.Atom(r, row), Role: explain.RoleTarget}
	if role == relation.Perceived {
		out.Role = x.roleOfInput(r)
	}
	if declared := x.grounding.Project.Config.Predicates[x.predicate(r)]; declared.Words != "" {
		out.Words = declared.InWords(x.grounding.arguments(r, row))
	}
	return out
}

func (x *Explainer) roleOfInput(r *relation.Relation) string {
	if x.grounding.Project.Config.Predicates[x.predicate(r)].Given {
		return explain.RoleGiven
	}
	return explain.RoleNetwork
}

// predicate returns the number of a relation's predicate.
func (x *Explainer) predicate(r *relation.Relation) int {
	for k, other := range x.grounding.Tables.Store.Relations {
		if other == r {
			return k
		}
	}
	panic("session: a relation of another store")
}

// Rule implements explain.Names.
func (x *Explainer) Rule(r int) (text string, prior bool) {
	rule := x.grounding.Program.Rules[r]
	return rule.Text, len(rule.Atoms) == 1 && len(rule.Sums) == 0
}

// Atoms implements explain.Names.
func (x *Explainer) Atoms(r int) int {
	rule := x.grounding.Program.Rules[r]
	if len(rule.Sums) > 0 {
		return -1
	}
	return len(rule.Atoms)
}

// Instance implements explain.Names.
func (x *Explainer) Instance(block, j, others int) *explain.Instance {
	return x.instance(x.tracer.Trace(x.grounding.Model.Blocks[block], j, others))
}

// Instances implements explain.Names.
func (x *Explainer) Instances(blocks, rows []int) (out []*explain.Instance) {
	of := make([]*mrf.Block, len(blocks))
	for k, block := range blocks {
		of[k] = x.grounding.Model.Blocks[block]
	}
	for _, found := range x.tracer.TraceAll(of, rows) {
		out = append(out, x.instance(found))
	}
	return out
}

// instance names a grounding.
func (x *Explainer) instance(found *ground.Instance) *explain.Instance {
	if found == nil {
		return nil
	}
	out := &explain.Instance{Constant: found.Constant, Text: func() string {
		return syntax.Print(syntax.Substitute(found.Rule.Written, found.Constants))
	}}
	for k := range found.Terms {
		out.Terms = append(out.Terms, x.term(&found.Terms[k]))
	}
	if found.Weight != nil {
		out.Terms = append(out.Terms, x.term(found.Weight))
	}
	return out
}

// term names an atom of a ground rule.
func (x *Explainer) term(t *ground.Term) explain.Term {
	out := explain.Term{Coef: t.Coef, Free: t.Free()}
	out.Atom.Atom, out.Value = relation.AtomText(t.Relation.Name, t.Arguments), t.Value
	out.Words = x.grounding.Project.Config.Predicates[x.predicate(t.Relation)].InWords(t.Arguments)
	switch {
	case out.Free:
		out.Number, out.Role = t.Relation.Number(t.Row), explain.RoleTarget
		if t.Relation.Free == relation.Perceived {
			out.Role = x.roleOfInput(t.Relation)
		}
	case t.Row >= 0:
		out.Role, out.Known = explain.RoleObserved, true
		out.Predicate, out.Row = x.predicate(t.Relation), t.Row
		out.File, out.Line = x.place(t.Relation, t.Arguments)
	case t.Relation.Function != nil:
		out.Role = explain.RoleComputed
	default:
		out.Role = explain.RoleAbsent
	}
	return out
}

// place returns where an observed atom was read.
func (x *Explainer) place(r *relation.Relation, arguments []string) (file string, line int) {
	g, k := x.grounding, x.predicate(r)
	return g.lines.of(k, func() *load.Lines { return g.Project.Config.Lines(g.Phase, k) }).At(arguments)
}

// lines are where the atoms of each predicate stand in files, which are read again for that, once.
type lines struct {
	mu  sync.Mutex
	all map[int]*load.Lines
}

func (l *lines) of(predicate int, read func() *load.Lines) *load.Lines {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, known := l.all[predicate]
	if !known {
		found = read()
		l.all[predicate] = found
	}
	return found
}

package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/place"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Request says what Make is to do.
type Request struct {
	Config string // the path that the project was read from
	Rules  string // the file of rules that goes with it, as in PSL up to 2.3; "" for none
	By     string // "components", "vertices", or PREDICATE(argument)
	Shards int
	// Cells is how many cells there are at most; 0 means as many as DefaultCells says.
	Cells int
	At    place.Files
}

// ByComponents cuts where nothing is connected.
const ByComponents = "components"

// DefaultCells is how many cells there are at most for a number of shards: the same for all numbers that are not
// large, so that the answer is.
func DefaultCells(shards int) int { return max(64, shards) }

// Make writes the plan of a project's inference. Where the same plan lies already and is whole, nothing
// is written, and fresh is false.
func Make(ctx context.Context, p *project.Project, r Request) (_ *Manifest, fresh bool, err error) {
	if r.Cells == 0 {
		r.Cells = DefaultCells(r.Shards)
	}
	m := &Manifest{Options: p.Set, Seed: p.Seed, By: r.By, Shards: r.Shards, MostCells: r.Cells}
	if m.Config, err = filepath.Abs(r.Config); err == nil && r.Rules != "" {
		m.Rules, err = filepath.Abs(r.Rules)
	}
	if err == nil {
		m.Inputs, err = inputs(ctx, p)
	}
	if err != nil {
		return nil, false, err
	}
	if there, err := same(ctx, r.At, m); there != nil || err != nil {
		return there, false, err
	}
	if err := supported(p, r.By == ByVertices); err != nil {
		return nil, false, err
	}
	if r.By == ByVertices {
		if err = m.cutVertices(ctx, p, r.At); err == nil {
			err = m.write(ctx, r.At)
		}
		return m, true, err
	}
	g, err := atoms(ctx, p)
	if err != nil {
		return nil, false, err
	}
	groups, err := m.cut(g, r)
	if err != nil {
		return nil, false, err
	}
	m.Variables, _ = g.Tables.Store.Number()
	of, count := deal(groups.Rows, r.Cells)
	m.Cells = make([]Cell, max(count, 1))
	for k := range m.Cells {
		m.Cells[k].Name = fmt.Sprintf("%04d", k+1)
	}
	w := &parts{g: g, groups: groups, of: of, cells: m.Cells}
	if err := w.writeTo(ctx, r.At); err != nil {
		return nil, false, fmt.Errorf("writing the parts: %w", err)
	}
	m.assign()
	return m, true, m.write(ctx, r.At)
}

// atoms makes the atoms of a project's inference.
func atoms(ctx context.Context, p *project.Project) (*session.Grounding, error) {
	networks, err := perceive.Load(p)
	if err != nil {
		return nil, err
	}
	var warnings source.Diagnostics
	g, err := session.Prepare(ctx, p, load.Infer, networks, &warnings)
	if err == nil {
		p.Warn(warnings)
	}
	return g, err
}

// inputs sums the files that a project is read from.
func inputs(ctx context.Context, p *project.Project) (files []File, err error) {
	for _, path := range p.Inputs() {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) {
			continue
		}
		file, err := sumFile(ctx, place.Folder(filepath.Dir(path)), filepath.Base(path), path, io.Discard)
		if err != nil {
			return nil, nil // whoever reads it says so, with its place
		}
		files = append(files, file)
	}
	return files, nil
}

// same returns the plan that is there, if it is that of m, and whole; nil if there is none, or it is damaged. A
// plan of something else is an error: its answers would be lost.
func same(ctx context.Context, at place.Files, m *Manifest) (*Manifest, error) {
	there, err := ReadManifest(ctx, at)
	if failure := (*source.Failure)(nil); err != nil && !errors.As(err, &failure) {
		return nil, err // there may be one
	} else if err != nil {
		return nil, nil
	}
	if there.Config != m.Config || there.By != m.By || there.Shards != m.Shards || there.MostCells != m.MostCells ||
		there.Seed != m.Seed || !slices.Equal(there.Options, m.Options) || !slices.Equal(there.Inputs, m.Inputs) {
		var diags source.Diagnostics
		diags.Errorf("shard-other", source.Span{}, "name another folder, or remove this one",
			"%s has the parts of something else: of other arguments, or of files that have changed since", at.Address(""))
		return nil, diags.Err()
	}
	for k := range there.Cells {
		if there.Cells[k].verify(ctx, at) != nil {
			return nil, nil
		}
	}
	return there, nil
}

// supported refuses what cannot be cut. Functions need not be in other processes if it is ground rules that are.
func supported(p *project.Project, ground bool) error {
	var diags source.Diagnostics
	refuse := func(span source.Span, format string, args ...any) {
		diags.Errorf("shard-unsupported", span, "run it in one process: deeppsl run", format, args...)
	}
	if p.Examples() {
		refuse(source.Span{}, "a project about examples is not cut")
	}
	for _, network := range p.Config.Networks {
		refuse(network.Span, "a project with networks is not cut, and %s is one", network.Name)
	}
	for _, declared := range p.Config.Predicates {
		measure := similarity.Find(declared.Function)
		switch {
		case declared.Given:
			refuse(declared.Span, "given atoms are not cut, and those of %s are", declared.Name)
		case ground:
		case declared.Call != nil || declared.Function != "" && measure == nil:
			refuse(declared.Span, "%s is a function of the program's own, which other processes do not have", declared.Name)
		case measure != nil && measure.Corpus:
			refuse(declared.Span, "%s weighs tokens by how rare they are in all tables, and a part has only its own",
				declared.Name)
		}
	}
	return diags.Err()
}

// cut finds what lies together.
func (m *Manifest) cut(g *session.Grounding, r Request) (*components, error) {
	store := g.Tables.Store
	free := make([]bool, len(store.Relations))
	for k, predicate := range g.Program.Predicates {
		free[k] = !predicate.Closed
	}
	var cuts []*Cut
	if r.By == ByComponents {
		cuts = candidates(g.Program, free)
	} else {
		cut, err := keyOf(g, r.By, free)
		if err != nil {
			return nil, err
		}
		cuts = []*Cut{cut}
	}
	whole := len(cuts) == 0
	if whole {
		cuts = []*Cut{newCut(g.Program)}
	}
	groups, err := best(cuts, store, r.Cells)
	if err != nil {
		return nil, err
	}
	m.Components, m.Largest, m.EverywhereRows = len(groups.Rows), groups.largest(), groups.Everywhere
	if whole {
		m.Components, m.Largest, m.Rows, m.EverywhereRows = 1, groups.Everywhere, groups.Everywhere, 0
		return groups, nil
	}
	for _, n := range groups.Rows {
		m.Rows += n
	}
	m.EverywhereRules, _ = groups.cut.checkAll(g.Program, free)
	for p, arguments := range groups.cut.Class {
		named := Arguments{Predicate: g.Program.Predicates[p].Name}
		for k, class := range arguments {
			if class != none {
				named.Arguments = append(named.Arguments, k+1)
			}
		}
		if named.Arguments != nil {
			m.Keys = append(m.Keys, named)
		}
	}
	return groups, nil
}

// keyOf returns the cut by an argument of a predicate, as in Lives(2).
func keyOf(g *session.Grounding, by string, free []bool) (*Cut, error) {
	var diags source.Diagnostics
	name, rest, _ := strings.Cut(strings.TrimSuffix(by, ")"), "(")
	argument, err := strconv.Atoi(strings.TrimPrefix(rest, "arg"))
	predicate, unknown := g.Project.Predicate(name)
	switch {
	case !strings.HasSuffix(by, ")") || err != nil:
		diags.Errorf("shard-argument", source.Span{}, "as in --by 'Lives(2)', which is Lives' second argument",
			"%q is neither components, nor vertices, nor an argument of a predicate", by)
		return nil, diags.Err()
	case unknown != nil:
		diags.Errorf("shard-argument", source.Span{}, "", "%q: %v", by, unknown)
		return nil, diags.Err()
	}
	if declared := g.Program.Predicates[predicate]; argument < 1 || argument > declared.Arity() || declared.Functional {
		diags.Errorf("shard-argument", source.Span{}, "arguments that have rows are numbered from 1",
			"%q: %s has no such argument", by, declared.Name)
		return nil, diags.Err()
	}
	cut, fault := byKey(g.Program, free, predicate, argument-1)
	if fault != nil {
		fault.diagnose(&diags, "shard-key", "cut by another argument, or --by components")
		return nil, diags.Err()
	}
	return cut, nil
}

// assign deals the cells out to the shards.
func (m *Manifest) assign() {
	weights := make([]int64, len(m.Cells))
	for k := range m.Cells {
		weights[k] = m.Cells[k].Rows
	}
	of, _ := deal(weights, m.Shards)
	for k := range m.Cells {
		m.Cells[k].Shard = int(of[k]) + 1
	}
}

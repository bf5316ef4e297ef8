package perceive

import (
	"cmp"
	"maps"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// This file is about features that change while a grounding lives.

// revision names a row of the features that a network reads: the first of those that read them.
type revision struct{ network, row string }

// Fork returns networks of the same parameters whose features can be revised without these.
func (n *Networks) Fork() *Networks {
	if n == nil {
		return nil
	}
	out := *n
	out.System = n.System.Fork()
	out.tables, out.Features, out.revised = maps.Clone(n.tables), maps.Clone(n.Features), maps.Clone(n.revised)
	return &out
}

// Revise gives the features of a network other rows: see neural.System.Revise. It returns the names of the networks
// that read them, and what takes them back.
func (n *Networks) Revise(network string, rows []features.Row) (readers []string, undo func(), err error) {
	if n == nil {
		n = &Networks{System: new(neural.System)} // which has none of that name
	}
	before := n.Features[network]
	table, undone, err := n.System.Revise(network, rows)
	if err != nil {
		return nil, nil, err
	}
	for _, spec := range n.Specs {
		if n.Features[spec.Name] == before {
			readers = append(readers, spec.Name)
		}
	}
	if n.revised == nil {
		n.revised = make(map[revision]bool)
	}
	var late []revision
	for _, row := range rows {
		if r := (revision{readers[0], row.ID}); !n.revised[r] {
			n.revised[r] = true
			late = append(late, r)
		}
	}
	n.replace(before, table)
	return readers, func() {
		undone()
		n.replace(table, before)
		for _, r := range late {
			delete(n.revised, r)
		}
	}, nil
}

// Of returns the features that a network reads; nil if there is no such network.
func (n *Networks) Of(network string) *features.Table {
	if n == nil {
		return nil
	}
	return n.Features[network]
}

// replace lets another table stand wherever one does.
func (n *Networks) replace(table, by *features.Table) {
	for _, tables := range []map[string]*features.Table{n.tables, n.Features} {
		for name, other := range tables {
			if other == table {
				tables[name] = by
			}
		}
	}
}

// Revision is rows of the features of a network.
type Revision struct {
	Network string         `json:"network"`
	Rows    []features.Row `json:"rows"`
}

// Revisions returns the rows that are others than those that were read, in an order that depends on these alone.
func (n *Networks) Revisions() (all []Revision) {
	if n == nil {
		return nil
	}
	sorted := slices.SortedFunc(maps.Keys(n.revised), func(a, b revision) int {
		return cmp.Or(cmp.Compare(a.network, b.network), cmp.Compare(a.row, b.row))
	})
	for _, r := range sorted {
		if len(all) == 0 || all[len(all)-1].Network != r.network {
			all = append(all, Revision{Network: r.network})
		}
		features, last := n.Features[r.network], &all[len(all)-1]
		at, _ := features.Row(r.row)
		last.Rows = append(last.Rows, features.RowOf(at))
	}
	return all
}

// Take revises the features as others have been revised: of networks that were read from the same files.
func (n *Networks) Take(all []Revision) error {
	for k := range all {
		if _, _, err := n.Revise(all[k].Network, all[k].Rows); err != nil {
			return err
		}
	}
	return nil
}

// Differences are the rows of other networks' features that would make those of these the same. They are not enough if
// anything else differs: networks, parameters, or rows that are no more.
func (n *Networks) Differences(other *Networks) (all []Revision, enough bool) {
	if n == nil || other == nil {
		return nil, n == other
	}
	if len(n.Specs) != len(other.Specs) || !n.System.Same(other.System) {
		return nil, false
	}
	seen := make(map[*features.Table]bool)
	for k, spec := range n.Specs {
		before, after := n.Features[spec.Name], other.Features[other.Specs[k].Name]
		if seen[before] {
			continue
		}
		seen[before] = true
		found := Revision{Network: spec.Name}
		for at, id := range after.IDs() {
			if !before.SameRow(after, id) {
				found.Rows = append(found.Rows, after.RowOf(int32(at)))
			}
		}
		late := slices.ContainsFunc(before.IDs(), func(id string) bool {
			_, there := after.Row(id)
			return !there
		})
		if late || before.Width() != after.Width() || before.Sparse() != after.Sparse() ||
			!slices.Equal(before.Names(), after.Names()) {
			return nil, false
		}
		if len(found.Rows) > 0 {
			all = append(all, found)
		}
	}
	return all, true
}

// Wide tells whether other rows of the features change what a network says of any: it compares names by the tokens that
// all have, or propagates logits between rows.
func (n *Networks) Wide(network string) bool {
	corpus := func(name string) bool { return similarity.Find(name).Corpus }
	return n.System.Along(network) != "" || slices.ContainsFunc(n.measures(network), corpus)
}

// Values returns what the networks say of the atoms of some rows of a predicate.
func (n *Networks) Values(config *load.Config, predicate int, rows []int32, store *relation.Store) ([]float64, error) {
	declared := config.Predicates[predicate]
	b := n.binder(declared, store.Relations[predicate], store.Symbols)
	b.binding.Links = n.links(config, declared.Neural.Network, store)
	for k, row := range rows {
		b.bind(declared.Neural, row, int32(k))
	}
	var diags source.Diagnostics
	b.report(declared, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	b.binding.Similarities = n.measure(b)
	perception, err := n.System.Bind(len(rows), b.binding)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(rows))
	return values, perception.Forward(values, false, 0)
}

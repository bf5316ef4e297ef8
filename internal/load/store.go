package load

import (
	"fmt"
	"strings"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Tables are the ground atoms of one phase.
type Tables struct {
	// Store has one relation per predicate, in the order of Config.Predicates, over a symbol table of its own.
	//
	// Three kinds of relation are not complete yet, because making their atoms needs other packages: those of
	// predicates with Derive or TargetRules, and those with Neural whose atoms are the rows of features or are derived.
	// The caller makes each with a relation.Builder over Store.Symbols and puts it at the same index, before anything
	// else reads the store.
	Store *relation.Store
	// Truth holds, per predicate, the known values to learn from and to score against, as observed rows; nil where a
	// predicate has none.
	Truth []*relation.Relation
	// Warnings are what is suspicious about the data, sorted.
	Warnings source.Diagnostics
}

// Tables reads the atoms of a phase. Observations and targets of the predicates come first to the symbol table, in
// order, then the truth. The error is a *source.Failure with everything that is wrong.
func (c *Config) Tables(phase Phase) (*Tables, error) {
	var diags source.Diagnostics
	symbols := symbol.NewTable()
	out := &Tables{Store: &relation.Store{Symbols: symbols}}
	shared := c.sharedFiles(phase)
	var named []namedColumns
	for _, p := range c.Predicates {
		t := newTable(p, symbols, &diags)
		t.shared = shared
		c.read(t, p.Observations.of(phase), "observations", relation.Observed)
		c.read(t, p.Targets.of(phase), "targets", p.targetRole())
		c.read(t, p.Inputs.of(phase), "given values", relation.Perceived)
		out.Store.Relations = append(out.Store.Relations, t.builder.Relation(p.opens(phase)))
		named = append(named, t.named...)
	}
	for _, p := range c.Predicates {
		t := c.truth(p, phase, symbols, &diags)
		if t == nil {
			out.Truth = append(out.Truth, nil)
			continue
		}
		out.Truth = append(out.Truth, t.builder.Relation(false))
		named = append(named, t.named...)
	}
	for k := range named {
		named[k].check(symbols, &diags)
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	diags.Sort()
	out.Warnings = diags
	return out, nil
}

// opens tells whether a phase may ask for atoms that are in no table. PSL decides it by phase, too: without targets in
// it, such an atom is 0.
func (p *Predicate) opens(phase Phase) bool {
	return !p.Closed && (p.ForceOpen || p.Neural != nil || len(p.Targets.of(phase)) > 0)
}

// targetRole says what atoms listed as targets are: a network's domain can be listed so.
func (p *Predicate) targetRole() relation.Role {
	if p.Perceived {
		return relation.Perceived
	}
	return relation.Target
}

// truth reads a predicate's known values as a table of its own; nil if it has none.
func (c *Config) truth(p *Predicate, phase Phase, symbols *symbol.Table, diags *source.Diagnostics) *table {
	data := p.Truth.of(phase)
	if len(data) == 0 {
		return nil
	}
	t := newTable(p, symbols, diags)
	c.read(t, data, "truth", relation.Observed)
	return t
}

// TruthOf reads the known values of one predicate in a phase, over a symbol table that exists already; nil if there
// are none. Learning and validation often have the atoms in common, and differ only in which are labelled.
func (c *Config) TruthOf(phase Phase, predicate int, symbols *symbol.Table) (*relation.Relation, error) {
	var diags source.Diagnostics
	var truth *relation.Relation
	if t := c.truth(c.Predicates[predicate], phase, symbols, &diags); t != nil {
		truth = t.builder.Relation(false)
		for k := range t.named {
			t.named[k].check(symbols, &diags)
		}
	}
	return truth, diags.Err()
}

// read adds the rows of all data of one kind, in order.
func (c *Config) read(t *table, data []Data, what string, role relation.Role) {
	t.threads = c.Threads
	for k := range data {
		if data[k].Rule != nil {
			continue // whoever completes the relation
		}
		if data[k].Path == "" {
			t.addRows(&data[k], what, role)
			continue
		}
		if t.sameFile(&data[k], what) {
			continue
		}
		file, err := t.readShared(c, &data[k])
		if err != nil {
			from := c
			if data[k].Open != nil {
				from = &Config{Open: data[k].Open} // its folder is not the one beside it
			}
			from.Unreadable(t.diags, data[k].Span, data[k].Path, err)
			if d := &(*t.diags)[len(*t.diags)-1]; d.Hint == "" && !strings.ContainsAny(data[k].Path, "./") {
				d.Hint = fmt.Sprintf("a text alone is a file's name; a row is a list: [%q]", data[k].Path)
			}
			continue
		}
		t.addFile(file, &data[k], what, role)
	}
}

// sharedFiles has the paths of files that several predicates choose columns of, none of them read yet: each is read
// once, and what is wrong with a row is told once.
func (c *Config) sharedFiles(phase Phase) map[string]*source.File {
	chosen := make(map[string]bool)
	shared := make(map[string]*source.File)
	for _, p := range c.Predicates {
		for _, partition := range [...]*Partition{&p.Observations, &p.Targets, &p.Inputs} {
			for _, data := range partition.of(phase) {
				if data.Choice == nil || data.Open != nil {
					continue
				}
				if chosen[data.Path] {
					shared[data.Path] = nil
				}
				chosen[data.Path] = true
			}
		}
	}
	return shared
}

// readShared is readData for a file that may have been read.
func (t *table) readShared(c *Config, data *Data) (file *source.File, err error) {
	file, several := t.shared[data.Path]
	if file != nil && data.Open == nil {
		return file, nil
	}
	if file, err = c.readData(data); err == nil && several && data.Open == nil {
		t.shared[data.Path] = file
	}
	return file, err
}

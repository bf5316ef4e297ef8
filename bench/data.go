package main

import (
	"math/rand/v2"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// model is a family of problems of any size.
type model struct {
	name  string
	rules string
	// generate makes the relations of a problem with about size ground rules.
	generate func(size int, seed uint64) *data
}

// data is a program with its relations while a generator makes them.
type data struct {
	rng        *rand.Rand
	predicates []*program.Predicate
	store      *relation.Store
}

// newData returns no relations yet, and the source of everything random in them.
func newData(seed uint64) *data {
	return &data{rng: rand.New(rand.NewPCG(seed, 0)), store: &relation.Store{Symbols: symbol.NewTable()}}
}

// constants makes n constants with a common prefix and returns the first; the others follow it.
func (d *data) constants(prefix string, n int) symbol.ID {
	first := symbol.ID(d.store.Symbols.Len())
	for k := range n {
		d.store.Symbols.Intern(prefix + strconv.Itoa(k))
	}
	return first
}

// table collects the atoms of one predicate. No atom may be added twice, and observed ones come first.
type table struct {
	columns [][]symbol.ID
	truth   []float32
}

func newTable(arity int) *table { return &table{columns: make([][]symbol.ID, arity)} }

// observe adds an atom with a known value.
func (t *table) observe(truth float64, arguments ...symbol.ID) {
	t.truth = append(t.truth, float32(truth))
	t.target(arguments...)
}

// target adds an atom whose value inference finds.
func (t *table) target(arguments ...symbol.ID) {
	for k, id := range arguments {
		t.columns[k] = append(t.columns[k], id)
	}
}

// add declares a predicate with its atoms; an atom of an open one that is not there is an error of the model.
func (d *data) add(name string, open bool, t *table) {
	arity := len(t.columns)
	d.predicates = append(d.predicates,
		&program.Predicate{Name: name, Types: make([]program.Type, arity), Closed: !open})
	d.store.Relations = append(d.store.Relations, &relation.Relation{Name: name, Arity: arity, Columns: t.columns,
		Truth: relation.ValuesOf(t.truth...), Observed: len(t.truth), Free: relation.Target, Open: open})
}

// compile makes the program of the rules.
func (d *data) compile(rules string) (*program.Program, error) {
	var diags source.Diagnostics
	parsed := syntax.Parse(&source.File{Name: "bench.psl", Text: rules}, &diags)
	compiled := program.Compile(d.predicates, parsed, &diags)
	return compiled, diags.Err()
}

// value draws a truth value around a mean.
func (d *data) value(mean, deviation float64) float64 {
	return min(1, max(0, mean+deviation*d.rng.NormFloat64()))
}

// atLeast returns the least n ≥ 1 for which count, which grows with n, is at least size.
func atLeast(size float64, count func(n float64) float64) int {
	hi := 1
	for count(float64(hi)) < size {
		hi *= 2
	}
	lo := hi / 2
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; count(float64(mid)) < size {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

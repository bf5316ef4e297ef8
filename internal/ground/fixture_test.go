package ground

import (
	"context"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// fixture is a program with its data.
type fixture struct {
	program *program.Program
	store   *relation.Store
}

// builder makes fixtures: predicates are added with their data, then rules are compiled.
type builder struct {
	predicates []*program.Predicate
	store      *relation.Store
}

func newBuilder() *builder { return &builder{store: &relation.Store{Symbols: symbol.NewTable()}} }

// data is one ground atom: arguments separated by spaces, its role and value.
type data struct {
	args  string
	role  relation.Role
	value float64
}

// add declares a predicate whose atoms are rows; open predicates may have targets.
func (b *builder) add(name string, arity int, open bool, rows ...data) {
	p := &program.Predicate{Name: name, Types: make([]program.Type, arity), Closed: true}
	r := relation.NewBuilder(name, arity)
	for _, row := range rows {
		var tuple []symbol.ID
		for arg := range strings.FieldsSeq(row.args) {
			tuple = append(tuple, b.store.Symbols.Intern(arg))
		}
		p.Perceived = p.Perceived || row.role == relation.Perceived
		if err := r.Add(tuple, row.value, row.role, 0); err != nil {
			panic(err)
		}
	}
	p.Closed = !open && !p.Perceived
	b.predicates = append(b.predicates, p)
	b.store.Relations = append(b.store.Relations, r.Relation(open))
}

// rules compiles a program text.
func (b *builder) rules(t testing.TB, text string) *fixture {
	t.Helper()
	var diags source.Diagnostics
	parsed := syntax.Parse(&source.File{Name: "test.psl", Text: text}, &diags)
	prog := program.Compile(b.predicates, parsed, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	b.store.Number()
	return &fixture{program: prog, store: b.store}
}

// ground grounds the program.
func (f *fixture) ground(options Options) (*mrf.Model, *Report, error) {
	return Ground(context.Background(), f.program, f.store, options)
}

// made is ground for what has to succeed.
func (f *fixture) made(t testing.TB, options Options) (*mrf.Model, *Report) {
	t.Helper()
	model, report, err := f.ground(options)
	if err != nil {
		t.Fatal(err)
	}
	return model, report
}

// weights are those of the rules as written.
func (f *fixture) weights() (all []float64) {
	for _, rule := range f.program.Rules {
		all = append(all, rule.Weight.Value)
	}
	return all
}

// text writes the first limit ground rules, or all.
func (f *fixture) text(t testing.TB, options Options, limit int) string {
	t.Helper()
	model, _ := f.made(t, options)
	var out strings.Builder
	if err := Write(&out, f.weights(), f.store, model, limit); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func observed(args string, value float64) data { return data{args, relation.Observed, value} }
func target(args string) data                  { return data{args, relation.Target, 1} }
func perceived(args string) data               { return data{args, relation.Perceived, 1} }

package deeppsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
)

// slot is an entity of a neural predicate that stands for another row of the features in each example.
type slot struct {
	name     string
	full     string // with its predicate: Digit(a)
	network  string
	features *neural.Features
}

// column returns the column with the slot's name, with or without the predicate, or -1. Without it only if no other
// slot has that name.
func (s *slot) column(header []string, all []slot) int {
	namesakes := 0
	for _, other := range all {
		if other.name == s.name {
			namesakes++
		}
	}
	column := slices.IndexFunc(header, func(name string) bool { return equalFold(name, s.full) })
	if column < 0 && namesakes == 1 {
		column = slices.Index(header, s.name)
	}
	return column
}

// rows adds the features' rows that a column of examples names.
func (s *slot) rows(rows []int32, examples [][]string, column int) []int32 {
	for _, cells := range examples {
		if row, ok := s.features.Row(cells[column]); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// slots lists the slots of all predicates. Their order numbers them.
func (p *Project) slots(n *networks) (slots []slot) {
	for _, declared := range p.config.Predicates {
		if declared.Neural == nil {
			continue
		}
		for _, name := range declared.Neural.Slots {
			full := fmt.Sprintf("%s(%s)", declared.Name, name)
			slots = append(slots, slot{name, full, declared.Neural.Network,
				n.features[declared.Neural.Network]})
		}
	}
	return slots
}

// examples is a table of examples as numbers.
type examples struct {
	count  int
	slots  int
	rows   []int32 // [count, slots]: the features' row that a slot stands for
	labels []label
	truth  []int32 // [count, labels]: which candidate is true; -1 if the table does not say
}

// label is a choice between atoms that differ in their last argument.
type label struct {
	name       string   // as the header has it
	predicate  int      // whose atoms they are
	variables  []int32  // of the candidates, in the first example
	candidates []string // their last arguments
}

// readExamples reads the examples of a phase.
func (g *Grounding) readExamples(phase Phase) (*examples, error) {
	var diags source.Diagnostics
	table := g.project.config.ReadExamples(phase, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	slots := g.project.slots(g.networks)
	e := &examples{count: len(table.Rows), slots: len(slots)}
	e.rows = make([]int32, e.count*e.slots)
	used := make([]bool, len(table.Header))
	for s, slot := range slots {
		column := slot.column(table.Header, slots)
		if column < 0 {
			diags.Errorf("examples-column", table.Span(-1), "", "no column %s says what that slot stands for", slot.full)
			continue
		}
		used[column] = true
		e.fillSlot(s, column, slot, table, &diags)
	}
	for column, name := range table.Header {
		if !used[column] && !strings.HasPrefix(name, "#") {
			g.addLabel(e, column, table, &diags)
		}
	}
	e.fillTruth(table, phase != Infer, &diags)
	return e, diags.Err()
}

// maxExampleErrors is how many wrong cells of a column are told.
const maxExampleErrors = 3

// fillSlot finds the rows of the features that a column names.
func (e *examples) fillSlot(s, column int, slot slot, table *load.Examples, diags *source.Diagnostics) {
	wrong := 0
	for k, cells := range table.Rows {
		row, ok := slot.features.Row(cells[column])
		if !ok && wrong < maxExampleErrors {
			wrong++
			diags.Errorf("examples-entity", table.Span(k), "", "the features have no row for %s %q", slot.name, cells[column])
		}
		e.rows[k*e.slots+s] = row
	}
}

// addLabel adds the label whose atoms a header names: Sum, or Result(2) for a predicate with arguments before the last.
func (g *Grounding) addLabel(e *examples, column int, table *load.Examples, diags *source.Diagnostics) {
	header := table.Header[column]
	fail := func(format string, args ...any) {
		diags.Errorf("examples-column", table.Span(-1), "a column is a slot or a label, such as Sum or Result(2); "+
			"begin its name with # to leave it out", format, args...)
	}
	name, inner, _ := strings.Cut(strings.TrimSuffix(header, ")"), "(")
	predicate, err := g.project.predicate(strings.TrimSpace(name))
	if err != nil {
		fail("column %q: %v", header, err)
		return
	}
	var arguments []string
	if inner != "" {
		arguments = strings.Split(inner, ",")
	}
	atoms := g.tables.Store.Relations[predicate]
	if len(arguments) != atoms.Arity-1 {
		fail("column %q has %d arguments, all but the last of %s/%d are wanted", header, len(arguments),
			g.project.config.Predicates[predicate].Name, atoms.Arity)
		return
	}
	l := label{name: header, predicate: predicate}
	g.addCandidates(&l, atoms, arguments)
	if len(l.variables) == 0 {
		fail("column %q: no target fits", header)
		return
	}
	e.labels = append(e.labels, l)
}

// addCandidates collects the targets with the given first arguments.
func (g *Grounding) addCandidates(l *label, atoms *relation.Relation, arguments []string) {
	if atoms.Free != relation.Target {
		return
	}
	symbols := g.tables.Store.Symbols
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		fits := true
		for k, argument := range arguments {
			fits = fits && symbols.Name(atoms.Columns[k][row]) == strings.Trim(argument, " '\"")
		}
		if fits {
			l.variables = append(l.variables, atoms.Number(row))
			l.candidates = append(l.candidates, symbols.Name(atoms.Columns[atoms.Arity-1][row]))
		}
	}
}

// fillTruth finds the candidates that the labels' columns name. An empty cell says nothing, which inference allows.
func (e *examples) fillTruth(table *load.Examples, all bool, diags *source.Diagnostics) {
	e.truth = make([]int32, e.count*len(e.labels))
	for l, label := range e.labels {
		column, wrong := slices.Index(table.Header, label.name), 0
		for k, cells := range table.Rows {
			at := slices.Index(label.candidates, cells[column])
			if at < 0 && (all || cells[column] != "") && wrong < maxExampleErrors {
				wrong++
				diags.Errorf("examples-label", table.Span(k), "the targets of "+label.name+" are "+
					strings.Join(label.candidates[:min(10, len(label.candidates))], ", "),
					"%s is %q, which no target has", label.name, cells[column])
			}
			e.truth[k*len(e.labels)+l] = int32(at)
		}
	}
}

// batch is the ground model of some examples side by side.
type batch struct {
	size       int
	field      *mrf.Field
	perception *neural.Perception
	shape      *Grounding // of one example
}

// newBatch repeats the grounding, at most size times: not more often than there are examples, or features for each
// slot.
func (g *Grounding) newBatch(size int, e *examples) (*batch, error) {
	size = min(size, e.count)
	for _, table := range g.networks.features {
		size = min(size, max(1, table.Len()/max(1, e.slots)))
	}
	b := &batch{size: size, field: mrf.NewField(g.model.Repeat(size)), shape: g}
	if g.project.Threads > 0 {
		b.field.Threads = g.project.Threads
	}
	bindings, err := g.networks.bindings(g.project.config, g.tables.Store)
	if err != nil || g.model.Inputs == 0 {
		return b, err
	}
	for k := range bindings {
		bindings[k] = repeatBinding(bindings[k], size, g.model.Inputs, e.slots)
	}
	b.perception, err = g.networks.system.Bind(size*g.model.Inputs, bindings...)
	return b, err
}

// repeatBinding binds a classifier to more slots.
func repeatBinding(one neural.Binding, n, inputs, slots int) neural.Binding {
	many := neural.Binding{Network: one.Network, Classes: slices.Repeat(one.Classes, n)}
	for e := range int32(n) {
		for k, x := range one.Inputs {
			many.Inputs = append(many.Inputs, x+e*int32(inputs))
			many.Rows = append(many.Rows, one.Rows[k]+e*int32(slots))
		}
	}
	return many
}

// show makes the batch that of the examples from lo on.
func (b *batch) show(e *examples, lo int) error {
	if b.perception == nil {
		return nil
	}
	return b.perception.Select(e.rows[lo*e.slots : (lo+b.size)*e.slots])
}

// lessons shows a trainer the examples it learns from, in their order. It implements learn.Batches.
type lessons struct {
	*batch
	*examples
	learn.Labels
}

// newLessons prepares learning from examples, all of whose labels are known.
func (g *Grounding) newLessons(e *examples) (*lessons, error) {
	b, err := g.newBatch(g.settings.batch, e)
	if err != nil {
		return nil, err
	}
	s := &lessons{batch: b, examples: e}
	for k := range b.size {
		for _, label := range e.labels {
			for _, i := range label.variables {
				s.Variables = append(s.Variables, i+int32(k*g.model.Variables))
			}
		}
	}
	s.Truth = make([]float64, len(s.Variables))
	return s, nil
}

// Len returns the number of batches.
func (s *lessons) Len() int { return (s.count + s.size - 1) / s.size }

// Size returns the number of examples of a batch.
func (s *lessons) Size() int { return s.size }

// Show implements learn.Batches. The last batch is as large as the others: it begins among the examples before.
func (s *lessons) Show(k int) error {
	lo := min(k*s.size, s.count-s.size)
	clear(s.Truth)
	at := 0
	for e := lo; e < lo+s.size; e++ {
		for l, label := range s.labels {
			s.Truth[at+int(s.truth[e*len(s.labels)+l])] = 1
			at += len(label.variables)
		}
	}
	return s.show(s.examples, lo)
}

package engine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
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
	sheet  *load.Sheet
	count  int
	slots  int
	rows   []int32 // [count, slots]: the features' row that a slot stands for, blank if it stands for nothing
	labels []label
	truth  []float64        // [count, labels]: which candidate is true, or the value; blank if the table does not say
	names  []string         // of the examples; nil if these are their numbers
	facts  [][]fact         // by example, sorted; nil without any
	shapes []int32          // the shape of each example; those that blanks and facts do not tell apart have the same
	ground map[int32]*shape // by their numbers, as far as they are kept
	kept   int64            // the bytes of these
	more   *examples        // the last ones, from another table; nil if all are from one
}

// joined returns these examples and then others, with the same labels.
func (e *examples) joined(more *examples) *examples {
	all := &examples{sheet: e.sheet, more: more, count: e.count + more.count, slots: e.slots, labels: e.labels,
		rows: slices.Concat(e.rows, more.rows), truth: slices.Concat(e.truth, more.truth)}
	if e.facts != nil || more.facts != nil {
		all.facts = make([][]fact, all.count)
		copy(all.facts, e.facts)
		copy(all.facts[e.count:], more.facts)
	}
	all.findShapes()
	return all
}

// blank stands for an empty cell.
const blank = -1

// label is what is asked about each example: a choice between atoms that differ in their last argument, or the value of
// one atom.
type label struct {
	name       string   // as the header has it
	column     int      // of the table
	predicate  int      // whose atoms they are
	variables  []int32  // of the candidates, in one example
	candidates []string // their last arguments; nil if it is a value
}

// name returns how an example is called.
func (e *examples) name(k int) string {
	if own := e.count - e.others(); k >= own {
		return e.more.name(k - own)
	}
	if e.names == nil {
		return strconv.Itoa(k)
	}
	return e.names[k]
}

// others counts the examples from another table.
func (e *examples) others() int {
	if e.more == nil {
		return 0
	}
	return e.more.count
}

// span returns where an example is.
func (e *examples) span(k int) source.Span {
	if own := e.count - e.others(); k >= own {
		return e.more.span(k - own)
	}
	return e.sheet.Span(k)
}

// exampleReader makes numbers of a table of examples, and collects what is wrong.
type exampleReader struct {
	*examples
	grounding *Grounding
	diags     *source.Diagnostics
	wrong     int             // how often the present column is wrong
	written   map[string]bool // the constants of rules
	strange   int             // facts about nothing that rules or tables know
}

// readExamples reads the examples of a phase.
func (g *Grounding) readExamples(phase Phase) (*examples, error) {
	if err := phase.Check(); err != nil {
		return nil, err
	}
	if g.project.config.Examples[phase] == nil {
		return nil, fmt.Errorf("%s: there are no examples for the phase %s", g.project.config.Name, phase)
	}
	var diags source.Diagnostics
	e := g.checkExamples(phase, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	g.project.warn(diags)
	return e, nil
}

// checkExamples reads the examples of a phase as far as they can be read.
func (g *Grounding) checkExamples(phase Phase, diags *source.Diagnostics) *examples {
	config := g.project.config
	g.base.Number()
	sheet := config.ReadExamples(phase, diags)
	if sheet == nil || len(sheet.Rows) == 0 {
		return nil
	}
	slots := g.project.slots(g.networks)
	r := exampleReader{grounding: g, diags: diags, written: ruleConstants(g.program),
		examples: &examples{sheet: sheet, count: len(sheet.Rows), slots: len(slots)}}
	r.rows = make([]int32, r.count*r.slots)
	used := r.readSlots(slots)
	var columns []factColumn
	for column, name := range sheet.Header {
		if used[column] || strings.HasPrefix(name, "#") {
			continue
		}
		if equalFold(name, "example") && config.Find(name) < 0 {
			r.readNames(column)
		} else if fact := r.readColumn(column); fact != nil {
			columns = append(columns, *fact)
		}
	}
	r.fillTruth(phase)
	r.readFacts(columns, config.Facts[phase])
	if !diags.HasErrors() {
		r.findShapes()
	}
	return r.examples
}

// maxExampleErrors is how many wrong cells of a column are told.
const maxExampleErrors = 3

// fail tells what is wrong with a cell, the header's for row -1, unless its column has had enough.
func (r *exampleReader) fail(id string, row, column int, hint, format string, args ...any) {
	if r.wrong++; r.wrong <= maxExampleErrors {
		r.diags.Errorf(id, r.sheet.Cell(row, column), hint, format, args...)
	}
}

// readSlots finds the rows of the features that slots stand for. It returns which columns say so.
func (r *exampleReader) readSlots(slots []slot) []bool {
	used := make([]bool, len(r.sheet.Header))
	for s, slot := range slots {
		column := slot.column(r.sheet.Header, slots)
		if column < 0 {
			r.diags.Errorf("examples-column", r.sheet.Span(-1), "", "no column %s says what that slot stands for", slot.full)
			continue
		}
		used[column], r.wrong = true, 0
		for k, cells := range r.sheet.Rows {
			row, ok := int32(blank), true
			if name := cells[column]; name != "" {
				row, ok = slot.features.Row(name)
			}
			if !ok {
				r.fail("examples-entity", k, column, "leave the cell empty if the example has no "+slot.name,
					"the features have no row for %s %q", slot.name, cells[column])
			}
			r.rows[k*r.slots+s] = row
		}
	}
	return used
}

// readNames takes the names of the examples from a column.
func (r *exampleReader) readNames(column int) {
	first := make(map[string]int, r.count)
	r.names, r.wrong = make([]string, r.count), 0
	for k, cells := range r.sheet.Rows {
		r.names[k] = cells[column]
		before, known := first[cells[column]]
		switch {
		case cells[column] == "":
			r.fail("examples-name", k, column, "", "the example has no name")
		case known:
			r.fail("examples-name", k, column, "", "example %q is there already, at %s", cells[column], r.sheet.Span(before))
		}
		first[cells[column]] = k
	}
}

const columnHint = "a column is a slot, a label or a fact, such as a, Sum, Result(2), Knows(ann, bob); " +
	"begin its name with # to leave it out"

// readColumn reads the header of a label, which it adds, or of a fact, which it returns: Sum, or Result(2) for a
// predicate with arguments before the last, for the constant that makes the atom true; or with all arguments, for the
// value of that atom.
func (r *exampleReader) readColumn(column int) *factColumn {
	header := r.sheet.Header[column]
	fail := func(format string, args ...any) *factColumn {
		r.diags.Errorf("examples-column", r.sheet.Cell(-1, column), columnHint, "column %q: %s", header,
			fmt.Sprintf(format, args...))
		return nil
	}
	name, inner, _ := strings.Cut(strings.TrimSuffix(header, ")"), "(")
	predicate, err := r.grounding.project.predicate(strings.TrimSpace(name))
	if err != nil {
		return fail("%v", err)
	}
	declared := r.grounding.project.config.Predicates[predicate]
	var arguments []string
	if inner != "" {
		arguments = strings.Split(inner, ",")
	}
	for k, argument := range arguments {
		arguments[k] = strings.Trim(argument, " '\"")
		if k < declared.Arity() {
			if arguments[k], err = declared.Types[k].Canonical(arguments[k]); err != nil {
				return fail("%v", err)
			}
		}
	}
	if n := len(arguments); n != declared.Arity() && n != declared.Arity()-1 {
		return fail("%s/%d wants all of its arguments for a value, or all but the last for a choice, and here are %d",
			declared.Name, declared.Arity(), n)
	}
	switch {
	case declared.Neural != nil:
		return fail("a network says what is true of %s", declared.Name)
	case declared.Derive != nil || declared.Similarity != nil || declared.Function != "":
		return fail("the atoms of %s are computed", declared.Name)
	case declared.Closed:
		return &factColumn{column, predicate, arguments}
	}
	l := label{name: header, column: column, predicate: predicate}
	r.findTargets(&l, arguments)
	if len(l.variables) == 0 {
		return fail("no target fits")
	}
	for _, other := range r.labels {
		if slices.ContainsFunc(l.variables, func(i int32) bool { return slices.Contains(other.variables, i) }) {
			return fail("column %q is about the same targets", other.name)
		}
	}
	r.labels = append(r.labels, l)
	return nil
}

// findTargets collects the targets with the given first arguments.
func (r *exampleReader) findTargets(l *label, arguments []string) {
	atoms, symbols := r.grounding.base.Relations[l.predicate], r.grounding.base.Symbols
	for row := int32(atoms.Observed); int(row) < atoms.Len() && atoms.Free == relation.Target; row++ {
		fits := true
		for k, argument := range arguments {
			fits = fits && symbols.Name(atoms.Columns[k][row]) == argument
		}
		if !fits {
			continue
		}
		l.variables = append(l.variables, atoms.Number(row))
		if len(arguments) < atoms.Arity {
			l.candidates = append(l.candidates, symbols.Name(atoms.Columns[atoms.Arity-1][row]))
		}
	}
}

// fillTruth finds what the labels' columns say. An empty cell says nothing; but learning needs some that do.
func (r *exampleReader) fillTruth(phase Phase) {
	r.truth = make([]float64, r.count*len(r.labels))
	known := 0
	for l, label := range r.labels {
		r.wrong = 0
		for k, cells := range r.sheet.Rows {
			truth, cell := float64(blank), cells[label.column]
			switch {
			case cell == "":
			case label.candidates == nil:
				truth = r.value(k, label.column)
			default:
				truth = r.choice(k, &label)
			}
			if truth >= 0 {
				known++
			}
			r.truth[k*len(r.labels)+l] = truth
		}
	}
	if len(r.labels) == 0 && phase == Infer && !r.diags.HasErrors() {
		r.diags.Warnf("examples-label", r.sheet.Span(-1), "add a column such as Sum, about the targets of Sum, whose cells "+
			"may be empty", "no column asks for a label, so that nothing is predicted")
	}
	if known == 0 && phase != Infer && !r.diags.HasErrors() {
		r.diags.Errorf("examples-label", r.sheet.Span(-1), "a label is a column such as Sum, about the targets of Sum",
			"no example has a label to %s from", [...]string{Learn: "learn", Validation: "choose"}[phase])
	}
}

// choice returns the number of the candidate that a cell names.
func (r *exampleReader) choice(row int, l *label) float64 {
	cell := r.sheet.Rows[row][l.column]
	name := cell
	if types := r.grounding.project.config.Predicates[l.predicate].Types; types != nil {
		if canonical, err := types[len(types)-1].Canonical(cell); err == nil {
			name = canonical
		}
	}
	at := slices.Index(l.candidates, name)
	if at < 0 {
		r.fail("examples-label", row, l.column, "the targets of "+l.name+" are "+
			strings.Join(l.candidates[:min(10, len(l.candidates))], ", "), "%s is %q, which no target has", l.name, cell)
	}
	return float64(at)
}

// value returns the truth value in a cell.
func (r *exampleReader) value(row, column int) float64 {
	return r.truthValue(r.sheet, row, column)
}

// truthValue reads a truth value of any table.
func (r *exampleReader) truthValue(sheet *load.Sheet, row, column int) float64 {
	value, err := strconv.ParseFloat(strings.TrimSpace(sheet.Rows[row][column]), 64)
	if err == nil && value >= 0 && value <= 1 {
		return math.Abs(value) // no negative zero
	}
	if r.wrong++; r.wrong <= maxExampleErrors {
		r.diags.Errorf("examples-value", sheet.Cell(row, column), "a truth value is a number from 0 to 1",
			"%s is %q", sheet.Header[column], sheet.Rows[row][column])
	}
	return blank
}

// Package batch is about examples: many small problems that differ in what slots stand for, in labels and in facts. It
// reads their tables, grounds one model for each shape that examples have, puts models side by side, shows them to a
// trainer, and predicts their labels.
package batch

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Examples is a table of examples as numbers.
type Examples struct {
	sheet  *load.Sheet
	Count  int
	slots  int
	rows   []int32 // [count, slots]: the features' row that a slot stands for, blank if it stands for nothing
	Labels []Label
	Truth  []float64        // [count, labels]: which candidate is true, or the value; blank if the table does not say
	names  []string         // of the examples; nil if these are their numbers
	facts  [][]fact         // by example, sorted; nil without any
	Shapes []int32          // the shape of each example; those that blanks and facts do not tell apart have the same
	ground map[int32]*shape // by their numbers, as far as they are kept
	kept   int64            // the bytes of these
	more   *Examples        // the last ones, from another table; nil if all are from one
}

// Joined returns these examples and then others, with the same labels.
func (e *Examples) Joined(more *Examples) *Examples {
	all := &Examples{sheet: e.sheet, more: more, Count: e.Count + more.Count, slots: e.slots, Labels: e.Labels,
		rows: slices.Concat(e.rows, more.rows), Truth: slices.Concat(e.Truth, more.Truth)}
	if e.facts != nil || more.facts != nil {
		all.facts = make([][]fact, all.Count)
		copy(all.facts, e.facts)
		copy(all.facts[e.Count:], more.facts)
	}
	all.findShapes()
	return all
}

// Variables returns those of each label.
func (e *Examples) Variables() [][]int32 {
	variables := make([][]int32, len(e.Labels))
	for l := range variables {
		variables[l] = e.Labels[l].Variables
	}
	return variables
}

// Blank stands for an empty cell.
const Blank = -1

// Label is what is asked about each example: a choice between atoms that differ in their last argument, or the value of
// one atom.
type Label struct {
	Name       string   // as the header has it
	column     int      // of the table
	predicate  int      // whose atoms they are
	Variables  []int32  // of the candidates, in one example
	Candidates []string // their last arguments; nil if it is a value
}

// name returns how an example is called.
func (e *Examples) name(k int) string {
	if own := e.Count - e.others(); k >= own {
		return e.more.name(k - own)
	}
	if e.names == nil {
		return strconv.Itoa(k)
	}
	return e.names[k]
}

// others counts the examples from another table.
func (e *Examples) others() int {
	if e.more == nil {
		return 0
	}
	return e.more.Count
}

// span returns where an example is.
func (e *Examples) span(k int) source.Span {
	if own := e.Count - e.others(); k >= own {
		return e.more.span(k - own)
	}
	return e.sheet.Place(k)
}

// exampleReader makes numbers of a table of examples, and collects what is wrong.
type exampleReader struct {
	*Examples
	grounding *session.Grounding
	diags     *source.Diagnostics
	wrong     int             // how often the present column is wrong
	written   map[string]bool // the constants of rules
	strange   int             // facts about nothing that rules or tables know
}

// Read reads the examples of a phase.
func Read(g *session.Grounding, phase load.Phase) (*Examples, error) {
	if err := phase.Check(); err != nil {
		return nil, err
	}
	if g.Project.Config.Examples[phase] == nil {
		return nil, fmt.Errorf("%s: there are no examples for the phase %s", g.Project.Config.Name, phase)
	}
	var diags source.Diagnostics
	e := Check(g, phase, &diags)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	g.Project.Warn(diags)
	return e, nil
}

// Check reads the examples of a phase as far as they can be read.
func Check(g *session.Grounding, phase load.Phase, diags *source.Diagnostics) *Examples {
	config := g.Project.Config
	g.Base.Number()
	sheet := config.ReadExamples(phase, diags)
	if sheet == nil || len(sheet.Rows) == 0 {
		return nil
	}
	slots := perceive.Slots(g.Project, g.Networks)
	r := exampleReader{grounding: g, diags: diags, written: ruleConstants(g.Program),
		Examples: &Examples{sheet: sheet, Count: len(sheet.Rows), slots: len(slots)}}
	r.rows = make([]int32, r.Count*r.slots)
	used := r.readSlots(slots)
	var columns []factColumn
	for column, name := range sheet.Header {
		if used[column] || strings.HasPrefix(name, "#") {
			continue
		}
		if strings.EqualFold(name, "example") && config.Find(name) < 0 {
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
	return r.Examples
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
func (r *exampleReader) readSlots(slots []perceive.Slot) []bool {
	used := make([]bool, len(r.sheet.Header))
	for s, slot := range slots {
		column := slot.Column(r.sheet.Header, slots)
		if column < 0 {
			r.diags.Errorf("examples-column", r.sheet.Place(-1), "", "no column %s says what that slot stands for", slot.Full)
			continue
		}
		used[column], r.wrong = true, 0
		for k, cells := range r.sheet.Rows {
			row, ok := int32(Blank), true
			if name := cells[column]; name != "" {
				row, ok = slot.Features.Row(name)
			}
			if !ok {
				r.fail("examples-entity", k, column, "leave the cell empty if the example has no "+slot.Name,
					"the features have no row for %s %q", slot.Name, cells[column])
			}
			r.rows[k*r.slots+s] = row
		}
	}
	return used
}

// readNames takes the names of the examples from a column.
func (r *exampleReader) readNames(column int) {
	first := make(map[string]int, r.Count)
	r.names, r.wrong = make([]string, r.Count), 0
	for k, cells := range r.sheet.Rows {
		r.names[k] = cells[column]
		before, known := first[cells[column]]
		switch {
		case cells[column] == "":
			r.fail("examples-name", k, column, "", "the example has no name")
		case known:
			r.fail("examples-name", k, column, "", "example %q is there already, at %s", cells[column], r.sheet.Place(before))
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
	predicate, err := r.grounding.Project.Predicate(strings.TrimSpace(name))
	if err != nil {
		return fail("%v", err)
	}
	declared := r.grounding.Project.Config.Predicates[predicate]
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
	l := Label{Name: header, column: column, predicate: predicate}
	r.findTargets(&l, arguments)
	if len(l.Variables) == 0 {
		return fail("no target fits")
	}
	for _, other := range r.Labels {
		if slices.ContainsFunc(l.Variables, func(i int32) bool { return slices.Contains(other.Variables, i) }) {
			return fail("column %q is about the same targets", other.Name)
		}
	}
	r.Labels = append(r.Labels, l)
	return nil
}

// findTargets collects the targets with the given first arguments.
func (r *exampleReader) findTargets(l *Label, arguments []string) {
	atoms, symbols := r.grounding.Base.Relations[l.predicate], r.grounding.Base.Symbols
	for row := int32(atoms.Observed); int(row) < atoms.Len() && atoms.Free == relation.Target; row++ {
		fits := true
		for k, argument := range arguments {
			fits = fits && symbols.Name(atoms.Columns[k][row]) == argument
		}
		if !fits {
			continue
		}
		l.Variables = append(l.Variables, atoms.Number(row))
		if len(arguments) < atoms.Arity {
			l.Candidates = append(l.Candidates, symbols.Name(atoms.Columns[atoms.Arity-1][row]))
		}
	}
}

// fillTruth finds what the labels' columns say. An empty cell says nothing; but learning needs some that do.
func (r *exampleReader) fillTruth(phase load.Phase) {
	r.Truth = make([]float64, r.Count*len(r.Labels))
	known := 0
	for l, label := range r.Labels {
		r.wrong = 0
		for k, cells := range r.sheet.Rows {
			truth, cell := float64(Blank), cells[label.column]
			switch {
			case cell == "":
			case label.Candidates == nil:
				truth = r.value(k, label.column)
			default:
				truth = r.choice(k, &label)
			}
			if truth >= 0 {
				known++
			}
			r.Truth[k*len(r.Labels)+l] = truth
		}
	}
	if len(r.Labels) == 0 && phase == load.Infer && !r.diags.HasErrors() {
		r.diags.Warnf("examples-label", r.sheet.Place(-1), "add a column such as Sum, about the targets of Sum, whose cells "+
			"may be empty", "no column asks for a label, so that nothing is predicted")
	}
	if known == 0 && phase != load.Infer && !r.diags.HasErrors() {
		r.diags.Errorf("examples-label", r.sheet.Place(-1), "a label is a column such as Sum, about the targets of Sum",
			"no example has a label to %s from", [...]string{load.Learn: "learn", load.Validation: "choose"}[phase])
	}
}

// choice returns the number of the candidate that a cell names.
func (r *exampleReader) choice(row int, l *Label) float64 {
	cell := r.sheet.Rows[row][l.column]
	name := cell
	if types := r.grounding.Project.Config.Predicates[l.predicate].Types; types != nil {
		if canonical, err := types[len(types)-1].Canonical(cell); err == nil {
			name = canonical
		}
	}
	at := slices.Index(l.Candidates, name)
	if at < 0 {
		r.fail("examples-label", row, l.column, "the targets of "+l.Name+" are "+
			strings.Join(l.Candidates[:min(10, len(l.Candidates))], ", "), "%s is %q, which no target has", l.Name, cell)
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
	return Blank
}

// Information returns how much the known labels say, in nats: that of values drawn as often as they occur. Values are
// taken for true or false. Labels that follow from each other say less together than each by itself, where all of an
// example occur often enough together to tell.
func (e *Examples) Information() (nats float64) {
	for l := range e.Labels {
		said, _ := e.information(l, l+1)
		nats += said
	}
	if together, kinds := e.information(0, len(e.Labels)); often*kinds <= e.Count {
		nats = min(nats, together)
	}
	return nats
}

// often is how often labels occur together, on average, that tell how much they say.
const often = 5

// information returns how much some labels say together, and how many different ones there are.
func (e *Examples) information(from, to int) (nats float64, kinds int) {
	counts, all := e.together(from, to)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		nats += float64(counts[key]) * math.Log(float64(all)/float64(counts[key]))
	}
	return nats, len(counts)
}

// Tally counts the examples by their labels, all of an example together.
func (e *Examples) Tally() label.Tally {
	counts, _ := e.together(0, len(e.Labels))
	return label.Count(counts)
}

// together counts the different values that some labels have together, and the examples that have any.
func (e *Examples) together(from, to int) (counts map[string]int, all int) {
	counts = make(map[string]int)
	key := make([]byte, 0, 4*(to-from))
	for k := range e.Count {
		key = key[:0]
		for _, truth := range e.Truth[k*len(e.Labels)+from : k*len(e.Labels)+to] {
			if truth != Blank || to-from > 1 {
				key = binary.LittleEndian.AppendUint32(key, uint32(int32(math.Round(truth))))
			}
		}
		if len(key) > 0 {
			counts[string(key)]++
			all++
		}
	}
	return counts, all
}

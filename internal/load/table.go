package load

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// maxErrors is how many errors of one table are reported one by one; of a wrong number of columns, which usually all
// rows have, the first row is enough.
const maxErrors = 10

// table reads rows of one predicate, from files and from the configuration, into a builder.
type table struct {
	predicate *Predicate
	builder   *relation.Builder
	symbols   *symbol.Table
	diags     *source.Diagnostics
	threads   int
	shared    map[string]*source.File // those that several tables are read from, by path

	origins []origin // where rows came from; a relation.Place is an index into it and an offset
	role    relation.Role
	errors  int   // in the current origin
	told    int   // how many of them are reported
	widths  []int // wrong numbers of columns that are reported
	spaces  int   // constants with suspicious spaces, there
	repeats repeats
	named   []namedColumns

	fields []string
	tuple  []symbol.ID
	last   []string // the previous row's constants, which the next row often repeats
}

// origin is one file, or one list of rows in the configuration, that rows came from.
type origin struct {
	file *source.File // nil for rows in the configuration
	data *Data
	what string // "observations", "targets" or "truth"
	// tabs says that the file's columns are between tabs; binary that it has no lines, and a row's place is its number.
	tabs, binary bool
	// valued says that rows have a truth value; the first row decides.
	valued, decided bool
	// instead is how columns are chosen if one that is taken for truth values, by its place alone, has none.
	instead string
}

// offsetBits is how many bits of a relation.Place hold the offset of a row in its file, or its number in the
// configuration.
const offsetBits = 40

func newTable(p *Predicate, symbols *symbol.Table, diags *source.Diagnostics) *table {
	arity := p.Arity()
	return &table{
		predicate: p, builder: relation.NewBuilder(p.Name, arity), symbols: symbols, diags: diags,
		tuple: make([]symbol.ID, arity), last: make([]string, arity),
	}
}

// begin makes o the origin of the rows that follow, and role what their atoms are.
func (t *table) begin(o origin, role relation.Role) {
	t.origins = append(t.origins, o)
	t.role, t.errors, t.told, t.widths, t.spaces, t.repeats = role, 0, 0, nil, 0, repeats{}
}

// end says how many errors were left out.
func (t *table) end() {
	if rest := t.errors - t.told; rest > 0 {
		o := t.origins[len(t.origins)-1]
		t.diags.Errorf("data-more-errors", o.data.Span, "", "further wrong rows of %s: %d", o.name(), rest)
	}
	t.endSpaces()
	t.endRepeats()
}

// name is what messages call the origin.
func (o *origin) name() string {
	if o.file != nil {
		return o.file.Name
	}
	return "the " + o.what + " in memory"
}

// addRows reads rows that are in memory, whose place is their number, or in the configuration, where it is that in the
// document.
func (t *table) addRows(data *Data, what string, role relation.Role) {
	t.begin(origin{data: data, what: what}, role)
	row := 0
	switch {
	case data.Rows != nil:
		for fields := range data.Rows {
			t.add(fields, row)
			row++
		}
	case data.Values != nil:
		for arguments, truth := range data.Values {
			t.addValued(arguments, truth, row)
			row++
		}
	case data.Columns != nil:
		t.addColumns(data.Columns, manyRows)
	default:
		data.rows.each(t.add)
	}
	t.end()
}

// addColumns reads a table by columns: all rows at once if there are at least so many and nothing is wrong with any, or
// one by one, which says what is.
func (t *table) addColumns(c *Columns, least int) {
	if c.many(max(least, t.builder.Len()/8)) && len(c.Rows) == len(t.tuple) && t.addAtOnce(c) {
		return
	}
	arguments := make([]string, len(c.Rows))
	for row := range c.len() {
		for k, rows := range c.Rows {
			arguments[k] = c.Constants[k][rows[row]]
		}
		t.addValued(arguments, c.truth(row), row)
	}
}

// manyRows is from how many rows on a table in memory is read at once: if it is not small beside the rows before it,
// since all of them are looked at again.
const manyRows = 1 << 12

// addAtOnce adds all rows, and returns false if one of them may not be as it should be. Constants have their IDs then,
// the same ones as row by row.
func (t *table) addAtOnce(c *Columns) bool {
	var truth relation.Values
	places := make([]relation.Place, c.len())
	for row := range places {
		value := c.truth(row)
		if !(value >= 0 && value <= 1) {
			return false
		}
		truth.Append(math.Abs(value))
		places[row] = relation.Place(len(t.origins)-1)<<offsetBits | relation.Place(row)
	}
	columns := t.internAll(c)
	return columns != nil && t.addAll(columns, truth, places)
}

// internAll returns the IDs of all arguments, in the order of the rows; nil where a constant is not written as that of
// its type is.
func (t *table) internAll(c *Columns) [][]symbol.ID {
	columns, next := make([][]symbol.ID, len(t.tuple)), make([][]symbol.ID, len(t.tuple))
	for k, constants := range c.Constants {
		columns[k] = make([]symbol.ID, c.len())
		next[k] = make([]symbol.ID, len(constants)) // behind its ID, 0 where that is not known yet
	}
	for row := range c.len() {
		for k, rows := range c.Rows {
			at := rows[row]
			if next[k][at] == 0 {
				if !isCanonical(t.predicate.Types[k], c.Constants[k][at]) {
					return nil
				}
				id, _ := t.constant(k, c.Constants[k][at], row)
				next[k][at] = id + 1
			}
			columns[k][row] = next[k][at] - 1
		}
	}
	return columns
}

// addValued is add for a row whose truth value is a number.
func (t *table) addValued(arguments []string, truth float64, offset int) {
	if len(arguments) != t.predicate.Arity() {
		hint := ""
		if len(arguments) == t.predicate.Arity()+1 {
			hint = "if the last one is meant as a truth value, it is given beside the arguments, and not as one: in a frame, " +
				"as the column named value"
		}
		if !t.seenWidth(len(arguments)) {
			t.errorf("data-columns", offset, hint, "an atom of %s has %s, but this one has %d", t.predicate.Name,
				source.Count(t.predicate.Arity(), "argument"), len(arguments))
		}
		return
	}
	if !(truth >= 0 && truth <= 1) {
		t.errorf("data-truth", offset, truthHint, "the truth value %v is not in [0, 1]", truth)
		return
	}
	t.addAtom(arguments, math.Abs(truth), offset)
}

// add checks one row and gives it to the builder. offset is its place within the current origin.
func (t *table) add(row []string, offset int) {
	if !t.checkWidth(row, offset) {
		return
	}
	truth := 1.0
	if arity := t.predicate.Arity(); len(row) > arity {
		var ok bool
		if truth, ok = t.truth(row[arity], offset); !ok {
			return
		}
	}
	t.addAtom(row, truth, offset)
}

// addAtom gives an atom, whose arguments a row begins with, to the builder.
func (t *table) addAtom(row []string, truth float64, offset int) {
	for k := range t.tuple {
		if t.builder.Len() > 0 && row[k] == t.last[k] {
			continue
		}
		id, ok := t.constant(k, row[k], offset)
		if !ok {
			return
		}
		t.tuple[k], t.last[k] = id, row[k]
	}
	place := relation.Place(len(t.origins)-1)<<offsetBits | relation.Place(offset)
	if err := t.builder.Add(t.tuple, truth, t.role, place); err != nil {
		t.again(err.(*relation.Duplicate), truth, offset)
	}
}

// checkWidth checks the number of columns. The first row of each origin says whether there is a truth value.
func (t *table) checkWidth(row []string, offset int) bool {
	o := &t.origins[len(t.origins)-1]
	arity := t.predicate.Arity()
	switch {
	case len(row) != arity && len(row) != arity+1 && t.seenWidth(len(row)):
		return false
	case len(row) != arity && len(row) != arity+1:
		hint := ""
		if len(row) == 1 && o.tabs {
			hint = separatorHint(row[0], arity)
		}
		if len(row) > arity+1 && o.tabs && !o.decided {
			hint = "columns can be chosen where the first line names them: " + choiceHint(o.file.Name, []string{"from", "to"})
		}
		t.errorf("data-columns", offset, hint, "a row of %s has %s, or %d with a truth value, but this one has %d",
			t.predicate.Name, source.Count(arity, "column"), arity+1, len(row))
		return false
	case !o.decided:
		o.decided, o.valued = true, len(row) == arity+1
	case o.valued && len(row) == arity:
		t.errorf("data-mixed", offset, "give every row a truth value, or none",
			"this row has no truth value, but the first row has one")
		return false
	case !o.valued && len(row) == arity+1:
		t.errorf("data-mixed", offset, "give every row a truth value, or none",
			"this row has a truth value, but the first row has none")
		return false
	}
	return true
}

// seenWidth tells whether a wrong number of columns has been reported, and counts the row if so.
func (t *table) seenWidth(width int) bool {
	if slices.Contains(t.widths, width) {
		t.errors++
		return true
	}
	t.widths = append(t.widths, width)
	return false
}

// separatorHint guesses which separator was used instead of tabs.
func separatorHint(line string, arity int) string {
	for _, s := range [...]struct{ sep, name string }{{",", "commas"}, {";", "semicolons"}, {" ", "spaces"}} {
		n := strings.Count(line, s.sep) + 1
		if s.sep == " " {
			n = len(strings.Fields(line))
		}
		if n == arity || n == arity+1 {
			return "columns are separated by tabs, not by " + s.name
		}
	}
	if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "{") {
		return "columns are separated by tabs; JSON is read from a .jsonl, a row on each line"
	}
	return "columns are separated by tabs"
}

const truthHint = "a truth value is a number from 0 to 1"

// hintOfTruth says how a word for true or false is written, and a number as people write it elsewhere.
func hintOfTruth(field string) string {
	text := strings.TrimSpace(field)
	if value, ok := truthOf(strings.Replace(text, ",", ".", 1)); ok {
		return truthHint + fmt.Sprintf(": write %v for %q", value, field)
	}
	value, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	switch {
	case err == nil && value >= 0 && value <= 100 && strings.HasSuffix(text, "%"):
		return truthHint + fmt.Sprintf(": write %v for %q", value/100, field)
	case err == nil && value >= 2 && value <= 100:
		return truthHint + "; divide percentages by 100"
	}
	switch strings.ToLower(text) {
	case "yes", "y", "true", "t", "on":
		return truthHint + fmt.Sprintf(": write 1 for %q, or leave the column out where all rows are true", field)
	case "no", "n", "false", "f", "off":
		return truthHint + fmt.Sprintf(": write 0 for %q", field)
	}
	return truthHint
}

// truth reads a truth value. Most are 1, which needs no parsing.
func (t *table) truth(field string, offset int) (float64, bool) {
	if field == "1" || field == "1.0" {
		return 1, true
	}
	value, ok := truthOf(field)
	if ok {
		return value, true
	}
	hint := hintOfTruth(field) + t.origins[len(t.origins)-1].instead
	if _, err := strconv.ParseFloat(strings.TrimSpace(field), 64); err != nil || isGoNumber(field) {
		t.errorf("data-truth", offset, hint, "%q is not a truth value", field)
	} else {
		t.errorf("data-truth", offset, hint, "the truth value %s is not in [0, 1]", field)
	}
	return value, false
}

// constant interns the k-th argument in the canonical form of its type.
func (t *table) constant(k int, field string, offset int) (symbol.ID, bool) {
	name := field
	if kind := t.predicate.Types[k]; kind != program.String && !(kind == program.Int && isPlainInteger(field)) {
		var err error
		if name, err = kind.Canonical(strings.TrimSpace(field)); err != nil {
			t.errorf("data-type", offset, "", "argument %d of %s is of type %s, but %v", k+1, t.predicate.Name, kind, err)
			return 0, false
		}
	}
	if id, ok := t.symbols.Lookup(name); ok {
		return id, true
	}
	t.checkSpaces(k, name, offset)
	return t.symbols.Intern(name), true
}

// atom prints an atom as a rule would write it.
func (t *table) atom(tuple []symbol.ID) string {
	names := make([]string, len(tuple))
	for k, id := range tuple {
		names[k] = "'" + t.symbols.Name(id) + "'"
	}
	return t.predicate.Name + "(" + strings.Join(names, ", ") + ")"
}

// place says in words where a row is.
func (t *table) place(at relation.Place) string {
	o := &t.origins[at>>offsetBits]
	offset := int(at & (1<<offsetBits - 1))
	if span := o.span(offset); span.HasText() {
		return span.String()
	}
	return fmt.Sprintf("row %d of %s", offset+1, o.name())
}

// span returns where a row is: its line, its place in the configuration, or the file that has no lines.
func (o *origin) span(offset int) source.Span {
	switch {
	case o.binary:
		return o.file.Whole()
	case o.file != nil:
		_, end := o.file.Line(offset)
		return o.file.Span(offset, max(offset, end))
	case o.data.rows == nil:
		return o.data.Span // in memory
	}
	return node{o.data.rows.first.doc, int32(offset)}.span()
}

// errorf reports an error in the row at offset of the current origin, unless it has had enough.
func (t *table) errorf(id string, offset int, hint, format string, args ...any) {
	t.errors++
	if t.told >= maxErrors {
		return
	}
	t.told++
	o := &t.origins[len(t.origins)-1]
	span := o.span(offset)
	message := fmt.Sprintf(format, args...)
	if !span.HasText() {
		message = fmt.Sprintf("row %d of the %s of %s: %s", offset+1, o.what, t.predicate.Name, message)
	}
	t.diags.Errorf(id, span, hint, "%s", message)
}

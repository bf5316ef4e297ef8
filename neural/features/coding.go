package features

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/source"
)

// A table as people keep it has columns of text beside those of numbers, and gaps. A network sees a column of text as
// one feature for each of its texts, which is 1 where the column has it and else 0. A gap in a column of numbers is
// seen as the median of the others, with one feature more that is 1 where there are gaps; one in a column of text is
// none of its texts. A column of many dates is one of numbers, of days, and so is one of numbers that all have the same
// unit behind them.

// coding collects what is no number in the columns of a table.
type coding struct {
	header  bool     // whether names are those of a first line
	typed   bool     // whether categories are columns of a type, and not asked for
	commas  bool     // whether commas may be before decimals, as they do not separate columns
	names   []string // of the columns
	columns []column
}

// column is one of them.
type column struct {
	category bool // whether its numbers are texts too
	numbers  int
	gaps     []int32 // rows
	rows     []int32 // those with a text, which is texts[k] of rows[k]
	texts    []int32
	codes    map[string]int32 // by text
	odd      []oddity         // the first rows with a text
	unit     string           // that of its numbers, such as km
	order    string           // of day, month and year
	left     bool             // out, as its texts name the rows
	mixed    bool             // whether its numbers were taken for texts, as others are texts
	lost     int              // how many texts were taken for gaps, as others are numbers
}

// oddity is a row as messages show it.
type oddity struct {
	file  string
	line  int
	cells []string // its id first
}

// manyTexts is how many texts a column may have though most are of one row: more of them are names.
const manyTexts = 20

// missing are the signs that a value is missing, as people and programs write it: R, pandas, spreadsheets, SAS.
var missing = map[string]bool{"": true, "?": true, "-": true, ".": true, "na": true, "n/a": true, "n.a.": true,
	"#n/a": true, "<na>": true, "nan": true, "nat": true, "null": true, "none": true}

func isMissing(field string) bool { return missing[strings.ToLower(strings.TrimSpace(field))] }

// NewTable returns what a network sees of columns of text, as Read does of the format csv: numbers, texts and gaps.
// Names are those of the columns, of which the categories have no numbers.
func NewTable(ids, names []string, columns [][]string, categories []string) (*Table, error) {
	t := newTableReader(Form{Categories: categories})
	t.name, t.code.header, t.code.typed, t.code.names = "the features", true, true, slices.Clone(names)
	for k, column := range columns {
		if len(column) != len(ids) || len(names) != len(columns) {
			return nil, fmt.Errorf("%d ids and %d names need as many rows and columns, and not %d rows of column %d of %d",
				len(ids), len(names), len(column), k+1, len(columns))
		}
	}
	for row, id := range ids {
		t.line = row + 1
		cells := []string{id}
		for _, column := range columns {
			cells = append(cells, column[row])
		}
		if err := t.addCells(cells); err != nil && t.report(err) {
			break
		}
	}
	if err := t.err(); err != nil {
		return nil, err
	}
	return t.finish(CSV)
}

// begin makes room for the columns of the first row.
func (c *coding) begin(width int, categories []string) error {
	if len(c.columns) > 0 {
		return nil
	}
	c.columns = make([]column, width)
	for k := len(c.names); k < width; k++ {
		c.names = append(c.names, fmt.Sprintf("column %d", k+1))
	}
	for _, name := range categories {
		k := slices.Index(c.names, name)
		if k < 0 {
			return noColumn("categories", name, c.names)
		}
		c.columns[k].category = true
	}
	return nil
}

// noColumn says that a table has no column of a name that a key has.
func noColumn(key, name string, names []string) error {
	text := fmt.Sprintf("there is no column %q; there are %s", name, strings.Join(names, ", "))
	if hint := source.SuggestColumn(name, names); hint != "" {
		text += "; " + hint
	}
	return wrongKey(key, "%s", text)
}

// add returns the value of a field, after it has noted what is no number. Numbers beyond all bounds are none.
func (c *coding) add(row int32, k int, cells []string, file string, line int) (float32, error) {
	at, field := &c.columns[k], cells[k+1]
	text := strings.TrimSpace(field)
	if c.commas {
		field = pointed(text)
	}
	v, err := parse(field, 32)
	switch number := err == nil || errors.Is(err, strconv.ErrRange); {
	case number && !at.category && isFinite(v):
		at.numbers++
		return float32(v), nil
	case isMissing(field):
		at.gaps = append(at.gaps, row)
		return 0, nil
	}
	at.add(row, text)
	if len(at.odd) < maxErrors {
		at.odd = append(at.odd, oddity{file, line, slices.Clone(cells)})
	}
	return 0, nil
}

// add notes the text of a row.
func (at *column) add(row int32, text string) {
	code, known := at.codes[text]
	if !known {
		if at.codes == nil {
			at.codes = make(map[string]int32)
		}
		code = int32(len(at.codes))
		at.codes[text] = code
	}
	at.rows, at.texts = append(at.rows, row), append(at.texts, code)
}

// pointed returns a number that has a comma before its decimals with a point there. Three digits behind a comma may be
// thousands, unless there is nothing but 0 before it.
func pointed(field string) string {
	whole, decimals, _ := strings.Cut(field, ",")
	digits := func(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
	if unsigned := strings.TrimLeft(whole, "+-"); digits(unsigned) && digits(decimals) &&
		(len(decimals) != 3 || unsigned == "0") {
		return whole + "." + decimals
	}
	return field
}

// heading returns the names of the columns, if a table has them.
func (c *coding) heading() []string {
	if !c.header {
		return nil
	}
	return c.names
}

// plain tells whether all is numbers.
func (c *coding) plain() bool {
	return !slices.ContainsFunc(c.columns, func(at column) bool { return len(at.rows)+len(at.gaps) > 0 })
}

// measure makes columns of many texts that are all dates, or all numbers with the same unit, columns of numbers.
func (c *coding) measure(values []float32) {
	for k := range c.columns {
		at := &c.columns[k]
		if !c.header || at.category && !c.typed || at.numbers > 0 || len(at.codes) <= manyTexts {
			continue
		}
		numbers, unit, ok := at.measured(dayOf)
		if !ok {
			numbers, at.order, ok = at.dates()
		}
		if !ok {
			numbers, unit, ok = at.measured(quantity)
		}
		if !ok {
			continue
		}
		for i, row := range at.rows {
			values[int(row)*len(c.columns)+k] = numbers[at.texts[i]]
		}
		at.numbers, at.rows, at.texts, at.codes, at.odd, at.unit = len(at.rows), nil, nil, nil, nil, unit
	}
}

// measured reads all texts of a column as numbers of one unit, and tells whether they are.
func (at *column) measured(read func(text string) (float32, string, bool)) (numbers []float32, unit string, ok bool) {
	numbers = make([]float32, len(at.codes))
	first := true
	for text, code := range at.codes {
		number, its, ok := read(text)
		if !ok || !first && its != unit {
			return nil, "", false
		}
		numbers[code], unit, first = number, its, false
	}
	return numbers, unit, true
}

// quantity returns the number and the unit of a text such as 85 kW, but not of 17:30 or 3/31/2026.
func quantity(text string) (number float32, unit string, ok bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.,+-", r) })
	if end <= 0 || strings.ContainsRune("/:", rune(text[end])) {
		return 0, "", false
	}
	value, err := parse(text[:end], 32)
	return float32(value), strings.TrimSpace(text[end:]), err == nil && isFinite(value)
}

// dateForms are how dates, and times of them, are written (ISO 8601).
var dateForms = []string{time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05",
	time.RFC3339}

// dayOf returns the days from the beginning of 1970 to a date, and whether it is one. What days are needs no unit.
func dayOf(text string) (day float32, unit string, ok bool) {
	for _, form := range dateForms {
		if date, err := time.Parse(form, text); err == nil {
			return daysOf(date), "", true
		}
	}
	return 0, "", false
}

// daysOf returns the days from the beginning of 1970.
func daysOf(date time.Time) float32 { return float32(float64(date.Unix()) / (24 * 60 * 60)) }

// check reports columns that are neither of numbers nor of texts, and such whose texts only name the rows.
func (c *coding) check(t *tableReader) error {
	for k := range c.columns {
		at := &c.columns[k]
		switch present := len(at.rows); {
		case present == 0, at.left:
		case !c.header, at.numbers > 0:
			for _, row := range at.odd {
				t.name, t.line, t.cells = row.file, row.line, row.cells
				if t.report(c.mixed(k, row.cells[k+1])) {
					break
				}
			}
		case !at.category && at.misspelt():
			t.name, t.line, t.cells = at.odd[0].file, at.odd[0].line, at.odd[0].cells
			t.report(c.mixed(k, at.odd[0].cells[k+1]))
		case at.namesRows():
			return wrongKey("features", "column %q has %d different texts in %d rows, which tell rows apart and say nothing "+
				`about others: name the column of the ids and those of features, "columns": ["id", "age"]`,
				c.names[k], len(at.codes), present)
		}
	}
	return t.diags.Err()
}

// mixed says what is wrong with the text that a message is about.
func (c *coding) mixed(k int, text string) error {
	m := &mistake{field: k, text: fmt.Sprintf("%q is not a finite number", text),
		hint: "columns of text need names: a first line that has them"}
	_, _, counts := likeQuantity(text)
	names := fmt.Sprintf(`write them so, or "categories": [%q] if they are names`, c.names[k])
	_, err := parse(text, 32)
	switch {
	case err == nil, errors.Is(err, strconv.ErrRange):
		m.hint = "leave empty what is not known"
	case c.header && likeDate(text):
		m.hint = "dates are written as 2026-03-01: " + names
	case c.header && (counts || likeNumber(text)):
		m.hint = "numbers have a point before decimals, and no other sign: " + names
	case c.header:
		m.hint = fmt.Sprintf(`column %q has numbers too: write "categories": [%q] if they are names, and leave empty `+
			"what is missing", c.names[k], c.names[k])
	}
	return m
}

// misspelt tells whether all texts of a column are numbers as people write them, or many are quantities or dates.
func (at *column) misspelt() bool {
	if at.all(likeNumber) {
		return true
	}
	_, _, quantities := at.measured(likeQuantity)
	return len(at.codes) > manyTexts && (quantities || at.all(likeDate))
}

// all tells whether all texts of a column are of some kind, any whether one is.
func (at *column) all(kind func(text string) bool) bool {
	return !at.any(func(text string) bool { return !kind(text) })
}

func (at *column) any(kind func(text string) bool) bool {
	for text := range at.codes {
		if kind(text) {
			return true
		}
	}
	return false
}

// likeNumber recognises a number with a sign that no program writes: 14%, $5, 1,58 or 12,000.
func likeNumber(text string) bool {
	_, err := parse(strings.ReplaceAll(strings.Trim(text, "%$€£ "), ",", ""), 32)
	return err == nil
}

// likeQuantity is quantity of numbers that have commas.
func likeQuantity(text string) (number float32, unit string, ok bool) {
	return quantity(strings.ReplaceAll(text, ",", ""))
}

// likeDate recognises a date that is not written as in dateForms, perhaps with a time: 1.3.2026, 03/01/26 or 1-3-2026.
func likeDate(text string) bool {
	day, _, _ := strings.Cut(text, " ")
	parts := strings.FieldsFunc(day, func(r rune) bool { return strings.ContainsRune("./-", r) })
	return len(parts) == 3 && !slices.ContainsFunc(parts, func(part string) bool {
		_, err := strconv.ParseUint(part, 10, 16)
		return err != nil
	})
}

// coded returns the features of rows of values, and their names.
func (c *coding) coded(values []float32) ([]string, []float32) {
	width, names := len(c.columns), []string(nil)
	for k := range c.columns {
		names = append(names, c.columns[k].features(c.names[k])...)
	}
	rows := len(values) / width
	made := make([]float32, rows*len(names))
	at := 0
	for k := range c.columns {
		column := &c.columns[k]
		if column.left {
			continue
		}
		if len(column.rows) > 0 {
			places := column.places()
			for i, row := range column.rows {
				made[int(row)*len(names)+at+places[column.texts[i]]] = 1
			}
			at += len(column.codes)
			continue
		}
		for row := range rows {
			made[row*len(names)+at] = values[row*width+k]
		}
		if at++; len(column.gaps) > 0 && column.numbers > 0 {
			middle := column.median(values[k:], width)
			for _, row := range column.gaps {
				made[int(row)*len(names)+at-1], made[int(row)*len(names)+at] = middle, 1
			}
			at++
		}
	}
	return names, made
}

// features returns the names of the features that a column becomes.
func (at *column) features(name string) []string {
	if at.unit != "" {
		name += " in " + at.unit
	}
	switch {
	case at.left:
		return nil
	case len(at.rows) > 0:
		names := slices.Sorted(maps.Keys(at.codes))
		for k, text := range names {
			names[k] = name + "=" + text
		}
		return names
	case len(at.gaps) > 0 && at.numbers > 0:
		return []string{name, name + " missing"}
	}
	return []string{name}
}

// places returns, by code, the place of a text among all in alphabetical order.
func (at *column) places() []int {
	places := make([]int, len(at.codes))
	for k, text := range slices.Sorted(maps.Keys(at.codes)) {
		places[at.codes[text]] = k
	}
	return places
}

// median returns that of the numbers of a column, which are every width-th value.
func (at *column) median(values []float32, width int) float32 {
	var numbers []float32
	for _, row := range at.numbered(len(values), width) {
		numbers = append(numbers, values[int(row)*width])
	}
	slices.Sort(numbers)
	low, high := numbers[(len(numbers)-1)/2], numbers[len(numbers)/2]
	return low + (high-low)/2
}

// isHeader tells whether a file's first line has the names of columns: none of them a number or a sign that a value is
// missing, though one may be Na, as of sodium, if most are not; or their numbers from 0 or 1 after the name of the ids,
// as pandas writes them.
func isHeader(id string, fields []string) bool {
	named, gaps := len(fields) > 0, 0
	numbered := len(fields) > 1 && idNames[strings.ToLower(strings.TrimSpace(id))]
	first := math.NaN()
	for k, field := range fields {
		field := strings.ToLower(strings.TrimSpace(field))
		v, err := parse(field, 64)
		if k == 0 && (v == 0 || v == 1) {
			first = v
		}
		numbered = numbered && err == nil && v == first+float64(k)
		if missing[field] {
			gaps++
		}
		word := strings.Trim(field, "?-.") != ""
		named = named && word && !likeNumber(field) && (err != nil || missing[field])
	}
	return named && 2*gaps < len(fields) || numbered
}

// idNames are what the column of ids is called.
var idNames = map[string]bool{"": true, "id": true, "ids": true, "index": true, "name": true, "entity": true}

package features

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/source"
)

// Some columns of a table can be read in two ways, or are of no use. One of them is chosen, and told.

// orders are those of the parts of dates, as time has them, and what they are called.
var orders = []struct{ form, name string }{
	{"2/1/2006", "day, month, year"}, {"1/2/2006", "month, day, year"}, {"2006/1/2", "year, month, day"},
}

// dates reads all texts of a column as days, in the one order of day, month and year in which all of them are dates,
// and names it. Where several would do, none does.
func (at *column) dates() (days []float32, order string, ok bool) {
	for _, one := range orders {
		numbers, _, all := at.measured(func(text string) (float32, string, bool) { return writtenDay(text, one.form) })
		if !all {
			continue
		}
		if order != "" {
			return nil, "", false
		}
		days, order = numbers, one.name
	}
	return days, order, order != ""
}

// writtenDay returns the days from the beginning of 1970 to a date whose parts stand in an order, between /, . or -,
// perhaps with a time behind it.
func writtenDay(text, order string) (day float32, unit string, ok bool) {
	date, clock, _ := strings.Cut(text, " ")
	date = strings.NewReplacer(".", "/", "-", "/").Replace(date)
	for _, form := range []string{order, strings.Replace(order, "/2006", "/06", 1)} {
		for _, hours := range []string{"", "15:04", "15:04:05", "3:04 PM", "3:04:05 PM"} {
			if at, err := time.Parse(form+" "+hours, date+" "+clock); err == nil {
				return daysOf(at), "", true
			}
		}
	}
	return 0, "", false
}

// settle decides about columns in which texts are: of names, some of which look like numbers, all are taken for texts,
// and where they are names of rows, they are left out. Columns that were asked for are not left out. A few texts among
// numbers are taken for gaps.
func (c *coding) settle(values []float32, asked bool) {
	if !c.header {
		return
	}
	for k := range c.columns {
		if at := &c.columns[k]; at.mixes(values[k:], len(c.columns)) {
			at.asTexts(values[k:], len(c.columns))
			at.mixed = true
		} else if at.strays() {
			at.asGaps()
		}
	}
	seen := slices.ContainsFunc(c.columns, func(at column) bool { return !at.namesRows() })
	for k := range c.columns {
		at := &c.columns[k]
		at.left = seen && !asked && at.namesRows() && (at.category && c.typed || !at.category && !at.misspelt())
	}
}

// namesRows tells whether most texts of a column are of one row.
func (at *column) namesRows() bool {
	return at.numbers == 0 && len(at.codes) > manyTexts && 2*len(at.codes) > len(at.rows)
}

// fewValues is how many values a column has at least of which it may be said that they are names.
const fewValues = 10

// mixes tells whether numbers and texts of a column, a tenth of them at least, are names: most are texts, not all of
// which are numbers or dates that are written otherwise; or there are few, and no such text.
func (at *column) mixes(values []float32, width int) bool {
	texts, present := len(at.rows), len(at.rows)+at.numbers
	switch {
	case at.numbers == 0 || 10*texts < present || present < fewValues:
		return false
	case 2*texts >= present && !at.all(likeMeasure):
		return true
	}
	different := make(map[float32]bool)
	for _, row := range at.numbered(len(values), width) {
		if different[values[int(row)*width]] = true; len(different) > manyTexts {
			return false
		}
	}
	few := len(different) + len(at.codes)
	return few <= manyTexts && 2*few <= present && !at.any(likeNumber) && !at.any(likeDate)
}

// strays tells whether texts of a column are few among its numbers, and not numbers or dates that are written
// otherwise: these say what they are.
func (at *column) strays() bool {
	texts, present := len(at.rows), len(at.rows)+at.numbers
	return at.numbers > 0 && texts > 0 && 10*texts < present && present >= fewValues &&
		!at.any(likeNumber) && !at.any(likeDate)
}

// asGaps takes the texts of a column for gaps.
func (at *column) asGaps() {
	at.gaps = append(at.gaps, at.rows...)
	slices.Sort(at.gaps)
	at.lost, at.rows, at.texts, at.codes = len(at.rows), nil, nil, nil
}

// oddly tells of the texts of column k that were taken for gaps.
func (at *column) oddly(k int, name string) string {
	first, such := at.odd[0], ", such as"
	if at.lost == 1 {
		such = ","
	}
	return fmt.Sprintf("beside %s, column %q has %s%s %q in %s:%d: seen as missing", source.Count(at.numbers, "number"),
		name, source.Count(at.lost, "text"), such, first.cells[k+1], first.file, first.line)
}

// likeMeasure recognises what may be a number, a quantity or a date that is not written as such.
func likeMeasure(text string) bool {
	_, unit, quantity := likeQuantity(text)
	return quantity && !strings.ContainsAny(unit, "0123456789") || likeNumber(text) || likeDate(text)
}

// numbered returns the rows with a number, of a column whose values are every width-th of so many.
func (at *column) numbered(values, width int) (rows []int32) {
	other := make(map[int32]bool, len(at.rows)+len(at.gaps))
	for _, row := range slices.Concat(at.rows, at.gaps) {
		other[row] = true
	}
	for i := 0; i < values; i += width {
		if row := int32(i / width); !other[row] {
			rows = append(rows, row)
		}
	}
	return rows
}

// asTexts takes the numbers of a column, too, for texts.
func (at *column) asTexts(values []float32, width int) {
	for _, row := range at.numbered(len(values), width) {
		at.add(row, strconv.FormatFloat(float64(values[int(row)*width]), 'g', -1, 32))
	}
	at.numbers = 0
}

// readings tells of columns that were read in one of two ways.
func (c *coding) readings() (all []Reading) {
	tell := func(id string, are func(at *column) bool, text, hint string) {
		var names []string
		for k := range c.columns {
			if at := &c.columns[k]; are(at) {
				names = append(names, strconv.Quote(c.names[k]))
			}
		}
		if len(names) > 0 {
			list := strings.Join(names, ", ")
			all = append(all, Reading{id, fmt.Sprintf(text, list), strings.ReplaceAll(hint, "NAMES", list)})
		}
	}
	tell("features-names", func(at *column) bool { return at.left },
		"nearly every row has another text in %s, which says nothing about others: left out",
		`"columns": ["id", "age"] names the column of the ids and those of features; of sentences, count the words in a `+
			`table of their own, "format": "sparse"`)
	tell("features-mixed", func(at *column) bool { return at.mixed && !at.left },
		"of numbers and texts in %s, each is seen as a name",
		`"categories": [NAMES] says so; leave empty what is missing`)
	for k := range c.columns {
		if at := &c.columns[k]; at.lost > 0 {
			all = append(all, Reading{"features-odd", at.oddly(k, c.names[k]),
				fmt.Sprintf(`leave empty what is missing; "categories": [%q] if numbers are names, too`, c.names[k])})
		}
	}
	for _, one := range orders {
		tell("features-dates", func(at *column) bool { return at.order == one.name },
			"dates in %s are read as "+one.name, "2026-03-01 is a date without a doubt")
	}
	return all
}

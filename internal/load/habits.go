package load

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/source"
)

// This file is about what other programs write that a table does not have: another encoding, and, between tabs, names
// of columns and quotes.

// checkUTF8 warns of the first byte that is none of a text in UTF-8: its constant equals no other spelling of it.
func (t *table) checkUTF8(file *source.File) {
	if utf8.ValidString(file.Text) {
		return
	}
	at := strings.IndexRune(file.Text, utf8.RuneError)
	t.diags.Warnf("data-encoding", file.Span(at, at+1), "save it in UTF-8: what is in another encoding is something else",
		"the byte 0x%x is none of a text in UTF-8", file.Text[at])
}

// startRows is how many rows the start of a table has.
const startRows = 100

// start is the first rows of a table.
type start [][]string

// keep adds a row, whose slice may be used again, as long as it is one of the first.
func (s *start) keep(row []string) {
	if len(*s) < startRows {
		*s = append(*s, slices.Clone(row))
	}
}

// areAlike tells whether all rows, at least three, have the same letters around numbers in a column: p1, p27, p300.
func (s start) areAlike(column int) bool {
	seen := make(map[string]bool)
	for _, row := range s {
		if column >= len(row) || !hasDigit(row[column]) {
			return false
		}
		seen[strings.Map(withoutDigits, row[column])] = true
	}
	return len(s) >= 3 && len(seen) == 1
}

func hasDigit(field string) bool { return strings.ContainsAny(field, "0123456789") }

func withoutDigits(c rune) rune {
	if '0' <= c && c <= '9' {
		return -1
	}
	return c
}

// checkStart warns of a table between tabs whose constants stand in quotes, which are part of them there, and of one
// whose first row is likely to be the names of its columns.
func (t *table) checkStart(file *source.File) {
	var rows start
	first := 0
	for offset := 0; offset < len(file.Text) && len(rows) < startRows; {
		end := endOfLine(file.Text, offset)
		if line := strings.TrimSpace(file.Text[offset:end]); line != "" {
			if rows = append(rows, split(nil, line)); len(rows) == 1 {
				first = offset
			}
		}
		offset = end + 1
	}
	switch o := &t.origins[len(t.origins)-1]; {
	case len(rows) == 0 || len(rows[0]) < len(t.tuple):
	case slices.ContainsFunc(rows[0][:len(t.tuple)], isQuoted):
		t.diags.Warnf("data-quotes", o.span(first), "leave them out, or write commas and call the file .csv",
			"between tabs, quotes are part of a constant")
	case t.beginsWithNames(rows):
		t.diags.Warnf("data-header", o.span(first), "leave it out, or name the columns of each predicate: "+
			choiceHint(file.Name, rows[0][:len(t.tuple)]),
			"the first line of a table between tabs is a row, but this one looks like names of columns")
	}
}

func isQuoted(field string) bool {
	return len(field) > 1 && strings.HasPrefix(field, `"`) && strings.HasSuffix(field, `"`)
}

// beginsWithNames tells whether the first row has no digit where at least three rows that follow, and all of them, have
// some, or whether it begins with the name that columns of IDs mostly have.
func (t *table) beginsWithNames(rows start) bool {
	for k := range t.tuple {
		digits := 0
		for _, row := range rows[1:] {
			if k < len(row) && hasDigit(row[k]) {
				digits++
			}
		}
		if digits >= 3 && digits == len(rows)-1 && !hasDigit(rows[0][k]) {
			return true
		}
	}
	return len(t.tuple) > 0 && strings.EqualFold(rows[0][0], "id")
}

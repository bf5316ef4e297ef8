// Package source knows files, places in them, and how to tell a user what is wrong at a place.
package source

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// File is a text with a name. It is immutable.
type File struct {
	Name string
	Text string
	// In is where the text stands within another file, as a rule does in a configuration; zero if it is a file's own. It
	// is longer than the text if that is written with escapes.
	In Span

	once  sync.Once
	marks []mark // of a long text, every markEvery bytes
}

// Position returns the line and column, both counted from 1, of the byte at offset. Columns count runes, so that an
// editor that is told line:column goes to the right place in any language. Offsets beyond the text mean its end.
func (f *File) Position(offset int) (line, column int) {
	offset = f.clamp(offset)
	m := mark{line: 1, column: 1}
	if offset > markEvery {
		f.once.Do(f.setMarks)
		m = f.marks[max(0, sort.Search(len(f.marks), func(k int) bool { return f.marks[k].offset > offset })-1)]
	}
	m = m.to(f.Text, offset)
	return m.line, m.column
}

// mark is a place whose line and column are known, so that those of a later one are found without reading all that is
// before it: a file of one line can have many mistakes.
type mark struct{ offset, line, column int }

// markEvery is about how many bytes there are from mark to mark.
const markEvery = 1 << 12

// to returns the mark of an offset that is not before m.
func (m mark) to(text string, offset int) mark {
	between := text[m.offset:offset]
	if start := strings.LastIndexByte(between, '\n') + 1; start > 0 {
		m.line += strings.Count(between, "\n")
		m.column, between = 1, between[start:]
	}
	return mark{offset, m.line, m.column + utf8.RuneCountInString(between)}
}

// setMarks goes over the text once.
func (f *File) setMarks() {
	f.marks = []mark{{line: 1, column: 1}}
	for at := markEvery; at < len(f.Text); at += markEvery {
		for at < len(f.Text) && !utf8.RuneStart(f.Text[at]) { // no mark within a rune
			at++
		}
		f.marks = append(f.marks, f.marks[len(f.marks)-1].to(f.Text, at))
	}
}

// Line returns the bounds of the line that contains offset, without its line ending.
func (f *File) Line(offset int) (start, end int) {
	offset = f.clamp(offset)
	start = strings.LastIndexByte(f.Text[:offset], '\n') + 1
	end = len(f.Text)
	if length := strings.IndexByte(f.Text[start:], '\n'); length >= 0 {
		end = start + length
	}
	if end > start && f.Text[end-1] == '\r' {
		end--
	}
	return start, end
}

// clamp moves an offset into the text, so that a span that was computed wrongly shows a wrong place and no panic.
func (f *File) clamp(offset int) int { return max(0, min(offset, len(f.Text))) }

// Span returns the span [start, end) of the file.
func (f *File) Span(start, end int) Span { return Span{File: f, Start: start, End: end} }

// Whole returns the span that means the file and no place in it: its text is missing, or is not text.
func (f *File) Whole() Span { return Span{File: f, Start: -1, End: -1} }

// Span is the half-open byte range [Start, End) of a file. The zero Span is nowhere; a negative Start means the whole
// file.
type Span struct {
	File       *File
	Start, End int
}

// Written returns the span where it is written: within another file, if its own file stands there. Of a text that is
// written with escapes only the whole is known.
func (s Span) Written() Span {
	switch {
	case s.File == nil || s.File.In.File == nil:
		return s
	case s.Start < 0 || s.File.In.End-s.File.In.Start != len(s.File.Text):
		return s.File.In
	}
	in := s.File.In
	return in.File.Span(in.Start+s.File.clamp(s.Start), in.Start+s.File.clamp(s.End))
}

// HasText reports whether the span is a place in a text, which can be shown.
func (s Span) HasText() bool { return s.File != nil && s.Start >= 0 }

// Text returns the text of the span, "" if it has none.
func (s Span) Text() string {
	if !s.HasText() {
		return ""
	}
	return s.File.Text[s.File.clamp(s.Start):s.File.clamp(s.End)]
}

// To returns the span from the start of s to the end of t, which lies in the same file.
func (s Span) To(t Span) Span { return Span{File: s.File, Start: s.Start, End: t.End} }

// String returns name:line:column, or the file's name alone, or "" for the zero Span.
func (s Span) String() string {
	s = s.Written()
	switch {
	case s.File == nil:
		return ""
	case s.Start < 0:
		return s.File.Name
	}
	line, column := s.File.Position(s.Start)
	return fmt.Sprintf("%s:%d:%d", s.File.Name, line, column)
}

// Count is so many things in words: "1 row" or "3 rows".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

package load

import (
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// maxSpaces is how many constants with suspicious spaces are reported one by one.
const maxSpaces = 3

// checkSpaces reports a constant with a space at an end, which equals no other spelling of it, and one that looks like
// two columns with a space for a tab. It is asked about each constant once, when it is first read.
func (t *table) checkSpaces(k int, name string, offset int) {
	if t.predicate.Types[k] != program.String || !spaced(name) {
		return
	}
	trimmed := strings.TrimSpace(name)
	split := strings.LastIndexByte(trimmed, ' ')
	switch {
	case trimmed != name && strings.HasPrefix(name, trimmed):
		t.spacef(offset, "remove the space: it makes another constant of it", "the constant %s ends with a space", name)
	case trimmed != name:
		t.spacef(offset, "remove the space: it makes another constant of it", "the constant %s begins with a space", name)
	case k == t.predicate.Arity()-1 && isFraction(trimmed[split+1:]):
		t.spacef(offset, "columns are separated by tabs", "the constant %s looks like a constant and a truth value", name)
	}
}

// spaced tells whether a name has a space, such as the one without a break that web pages and spreadsheets leave.
func spaced(name string) bool { return strings.Contains(name, " ") || strings.Contains(name, "\u00a0") }

// isFraction recognises a decimal fraction in [0, 1]; whole numbers are too often part of a name.
func isFraction(text string) bool {
	value, err := strconv.ParseFloat(text, 64)
	return err == nil && value >= 0 && value <= 1 && strings.Contains(text, ".")
}

// spacef reports one suspicious constant, unless there have been enough.
func (t *table) spacef(offset int, hint, format, name string) {
	if t.spaces++; t.spaces <= maxSpaces {
		o := &t.origins[len(t.origins)-1]
		t.diags.Warnf("suspicious-space", o.span(offset), hint, format, syntax.Quote(name))
	}
}

// endSpaces says how many constants were left out.
func (t *table) endSpaces() {
	if rest := t.spaces - maxSpaces; rest > 0 {
		o := t.origins[len(t.origins)-1]
		t.diags.Warnf("suspicious-space", o.data.Span, "", "further constants with suspicious spaces in %s: %d",
			o.name(), rest)
	}
}

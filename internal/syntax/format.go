package syntax

import (
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
)

const (
	lineWidth    = 100 // longer rules are broken before operators
	continuation = "    "
)

// Format returns the file in canonical form: one rule or comment per line, comments and single blank lines kept where
// they are. Comments inside a rule move before it. If the file has errors, they are returned and the text is "".
func Format(file *source.File) (string, source.Diagnostics) {
	var diags source.Diagnostics
	p := newParser(file, &diags)
	rules, comments := p.rules(), p.comments
	if len(diags) > 0 {
		return "", diags
	}
	f := formatter{text: file.Text}
	for _, rule := range rules {
		for len(comments) > 0 && comments[0].start < rule.Span.End {
			f.comment(comments[0], min(comments[0].start, rule.Span.Start))
			comments = comments[1:]
		}
		f.begin(rule.Span.Start)
		f.b.WriteString(layout(rule))
		f.end(rule.Span.End)
	}
	for _, c := range comments {
		f.comment(c, c.start)
	}
	if f.b.Len() > 0 {
		f.b.WriteByte('\n')
	}
	return f.b.String(), nil
}

// formatter writes rules and comments in the order of the text.
type formatter struct {
	text string
	b    strings.Builder
	last int // how far the text has been written
}

// begin starts a new line for an item that the text has at start, after a blank line if there is one in the text.
func (f *formatter) begin(start int) {
	if f.b.Len() == 0 {
		return
	}
	f.b.WriteByte('\n')
	if start > f.last && strings.Count(f.text[f.last:start], "\n") > 1 {
		f.b.WriteByte('\n')
	}
}

// end notes that the text has been written up to at. An item inside a rule ends after the rule has begun.
func (f *formatter) end(at int) { f.last = max(f.last, at) }

// comment writes c as if it stood at place: its own, or the start of the rule that it stands in. It goes behind the
// previous item if it is on that item's line, else on a line of its own.
func (f *formatter) comment(c comment, place int) {
	trailing := f.b.Len() > 0 && place == c.start && !strings.Contains(f.text[f.last:place], "\n")
	if trailing {
		f.b.WriteByte(' ')
	} else {
		f.begin(place)
	}
	f.b.WriteString(strings.TrimRight(f.text[c.start:c.end], " \t\r"))
	f.end(c.end)
}

// layout prints a rule, broken into lines if it is long: each line takes as many operands as fit. An operand that is
// longer than a line stays whole, because a constant cannot be broken.
func layout(rule *Rule) string {
	var p printer
	p.rule(rule)
	text := p.b.String()
	if len(text) <= lineWidth {
		return text
	}
	var b strings.Builder
	start, column := 0, 0
	for k, at := range p.breaks {
		next := len(text)
		if k+1 < len(p.breaks) {
			next = p.breaks[k+1]
		}
		b.WriteString(text[start:at])
		column += at - start
		start = at
		if column+next-at > lineWidth {
			b.WriteString("\n" + continuation)
			start, column = at+1, len(continuation)
		}
	}
	b.WriteString(text[start:])
	return b.String()
}

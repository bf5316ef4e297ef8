package source

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Render writes the diagnostics in the order they have, each as
//
//	name:line:column: error: message [id]
//	    the source line
//	        ^~~~
//	    hint: what to do
//
// and at most limit of them, then how many there are besides; a limit of 0 or less writes all. No warning takes the
// place of an error.
func (d Diagnostics) Render(w io.Writer, color bool, limit int) {
	paint := palette{on: color}
	shown, rest := d.divide(limit)
	for _, x := range shown {
		x.render(w, paint)
	}
	if len(rest) > 0 {
		fmt.Fprintf(w, "... and %s more\n", rest.count())
	}
}

// divide takes the first errors, and then warnings, up to limit, out of the others; both parts keep their order.
func (d Diagnostics) divide(limit int) (shown, rest Diagnostics) {
	if limit <= 0 || len(d) <= limit {
		return d, nil
	}
	var counts [2]int
	for _, x := range d {
		counts[x.Severity]++
	}
	left := [2]int{Error: min(limit, counts[Error])}
	left[Warning] = limit - left[Error]
	for _, x := range d {
		if left[x.Severity]--; left[x.Severity] >= 0 {
			shown = append(shown, x)
		} else {
			rest = append(rest, x)
		}
	}
	return shown, rest
}

// count returns "2 errors and 1 warning".
func (d Diagnostics) count() string {
	var counts [2]int
	for _, x := range d {
		counts[x.Severity]++
	}
	var parts []string
	for severity, n := range counts {
		if n == 1 {
			parts = append(parts, fmt.Sprintf("1 %s", Severity(severity)))
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n, Severity(severity)))
		}
	}
	return strings.Join(parts, " and ")
}

// indent sets the lines that belong to a message off from the message.
const indent = "    "

// render writes one diagnostic in the form that Render describes.
func (x Diagnostic) render(w io.Writer, paint palette) {
	if place := x.Span.String(); place != "" {
		fmt.Fprintf(w, "%s: ", paint.bold(place))
	}
	fmt.Fprintf(w, "%s: %s [%s]\n", paint.severity(x.Severity), paint.bold(x.Message), x.ID)
	if x.Span.HasText() {
		text, mark := x.Span.excerpt()
		fmt.Fprintf(w, "%s%s\n%s%s\n", indent, text, indent, paint.mark(mark))
	}
	if x.Hint != "" {
		fmt.Fprintf(w, "%s%s %s\n", indent, paint.hint("hint:"), x.Hint)
	}
}

const (
	tabWidth     = 4
	excerptWidth = 110 // longer lines, such as generated ones, are cut to this many runes around the mark
)

// excerpt returns the line on which the span begins, with tabs expanded, and the mark that goes below it: a caret at
// the span's first rune and tildes to its end or the end of the line.
func (s Span) excerpt() (text, mark string) {
	start, end := s.nearby()
	from := max(start, min(s.Start, end))
	to := max(from, min(s.End, end))
	line := expand(nil, s.File.Text[start:from])
	column := len(line)
	line = expand(line, s.File.Text[from:to])
	width := max(1, len(line)-column)
	line, column, width = window(expand(line, s.File.Text[to:end]), column, width)
	return strings.TrimRight(string(line), " "), strings.Repeat(" ", column) + "^" + strings.Repeat("~", width-1)
}

// nearbyWidth is how many bytes before and after a place are looked at: enough for excerptWidth runes of four bytes.
const nearbyWidth = 4 * excerptWidth

// nearby returns the bounds of the line on which the span begins, or of the part of a long one that can be shown.
func (s Span) nearby() (start, end int) {
	text := s.File.Text
	start, end = s.File.Line(s.Start)
	if first := s.Start - nearbyWidth; first > start {
		for start = first; !utf8.RuneStart(text[start]) && start < s.Start; start++ {
		}
	}
	if last := s.Start + nearbyWidth; last < end {
		for end = last; !utf8.RuneStart(text[end]) && end > s.Start; end-- {
		}
	}
	return start, end
}

// expand appends text to line with spaces for tabs, and with a visible sign for other control characters and bytes
// that are no UTF-8, which could otherwise do things to a terminal.
func expand(line []rune, text string) []rune {
	for _, r := range text {
		switch {
		case r == '\t':
			for more := true; more; more = len(line)%tabWidth != 0 {
				line = append(line, ' ')
			}
		case r < ' ' || r == 0x7f:
			line = append(line, '\uFFFD')
		default:
			line = append(line, r)
		}
	}
	return line
}

// window cuts a long line to the runes around its marked part and moves the mark accordingly.
func window(line []rune, column, width int) ([]rune, int, int) {
	if len(line) <= excerptWidth {
		return line, column, width
	}
	first := max(0, min(column-excerptWidth/3, len(line)-excerptWidth))
	last := min(len(line), first+excerptWidth)
	cut := append([]rune(nil), line[first:last]...)
	if first > 0 {
		cut[0] = '…'
	}
	if last < len(line) {
		cut[len(cut)-1] = '…'
	}
	column -= first
	return cut, column, max(1, min(width, len(cut)-column))
}

// palette paints with the terminal's colours, or not at all.
type palette struct{ on bool }

// paint wraps text in the escape sequence of code.
func (p palette) paint(code, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string { return p.paint("1", text) }
func (p palette) mark(text string) string { return p.paint("1;32", text) }
func (p palette) hint(text string) string { return p.paint("36", text) }

func (p palette) severity(s Severity) string {
	if s == Warning {
		return p.paint("1;33", s.String())
	}
	return p.paint("1;31", s.String())
}

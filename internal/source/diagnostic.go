package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a diagnostic stops the program.
type Severity uint8

const (
	// Error means that the input has no meaning: nothing after this stage runs.
	Error Severity = iota
	// Warning means that the input has a meaning, which is probably not the one intended.
	Warning
)

// String returns the word that begins a rendered diagnostic.
func (s Severity) String() string { return [...]string{"error", "warning"}[s] }

// Diagnostic tells what is wrong at a place and what to do about it.
type Diagnostic struct {
	ID       string // stable, kebab-case: what a user searches for and what tests compare
	Severity Severity
	Span     Span
	Message  string // one sentence, lower case, without a full stop
	Hint     string // what to do; may be empty
	Cause    error  // the error that it tells of, if it is one of another package; not shown
}

// Diagnostics collects what a stage has to say. The zero value is ready to use.
type Diagnostics []Diagnostic

// Add appends one diagnostic, at the place where its span is written.
func (d *Diagnostics) Add(diagnostic Diagnostic) {
	diagnostic.Span = diagnostic.Span.Written()
	diagnostic.Message, diagnostic.Hint = Shortened(diagnostic.Message), Shortened(diagnostic.Hint)
	*d = append(*d, diagnostic)
}

// longest bounds a message: what it quotes, such as a key, may be as long as a file.
const longest = 1000

// Shortened leaves out the middle of a long message.
func Shortened(message string) string {
	if len(message) <= longest {
		return message
	}
	return strings.ToValidUTF8(message[:longest/2], "") + " … " + strings.ToValidUTF8(message[len(message)-longest/4:], "")
}

// Errorf adds an error. The hint is shown as it is; format and args make the message.
func (d *Diagnostics) Errorf(id string, span Span, hint, format string, args ...any) {
	d.Add(Diagnostic{ID: id, Severity: Error, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Warnf adds a warning. The hint is shown as it is; format and args make the message.
func (d *Diagnostics) Warnf(id string, span Span, hint, format string, args ...any) {
	d.Add(Diagnostic{ID: id, Severity: Warning, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// HasErrors reports whether any diagnostic is an Error.
func (d Diagnostics) HasErrors() bool { return d.Errors() > 0 }

// Errors counts the diagnostics that are an Error.
func (d Diagnostics) Errors() int {
	n := 0
	for _, x := range d {
		if x.Severity == Error {
			n++
		}
	}
	return n
}

// Plain is a diagnostic as other programs take it. Line and column count from 1, and are 0 if there is no place.
type Plain struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// Plain returns the diagnostics as other programs take them.
func (d Diagnostics) Plain() []Plain {
	all := make([]Plain, len(d))
	for k, x := range d {
		all[k] = Plain{ID: x.ID, Severity: x.Severity.String(), Message: x.Message, Hint: x.Hint, File: x.Span.name()}
		if x.Span.HasText() {
			all[k].Line, all[k].Column = x.Span.File.Position(x.Span.Start)
		}
	}
	return all
}

// Sort orders the diagnostics by file, position and id, and removes repetitions. Files of one name, such as the rules
// written inside one configuration, keep the order in which they first appear.
func (d *Diagnostics) Sort() {
	rank := make(map[*File]int)
	for _, x := range *d {
		if _, ok := rank[x.Span.File]; !ok {
			rank[x.Span.File] = len(rank)
		}
	}
	slices.SortStableFunc(*d, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.Span.name(), b.Span.name()),
			cmp.Compare(rank[a.Span.File], rank[b.Span.File]),
			cmp.Compare(a.Span.Start, b.Span.Start),
			strings.Compare(a.ID, b.ID),
			cmp.Compare(a.Span.End, b.Span.End),
			strings.Compare(a.Message, b.Message),
		)
	})
	*d = slices.Compact(*d)
}

// name returns the name of the span's file, which sorts before all others if there is none.
func (s Span) name() string {
	if s.File == nil {
		return ""
	}
	return s.File.Name
}

// Err returns nil if there is no Error among the diagnostics, otherwise a *Failure holding all of them, sorted.
func (d Diagnostics) Err() error {
	if !d.HasErrors() {
		return nil
	}
	sorted := slices.Clone(d)
	sorted.Sort()
	return &Failure{Diagnostics: sorted}
}

// Failure is the error made of diagnostics, at least one of which is an Error.
type Failure struct {
	Diagnostics Diagnostics // sorted
}

// Unwrap returns the errors that diagnostics were made of, so that errors.Is finds them.
func (f *Failure) Unwrap() (causes []error) {
	for _, d := range f.Diagnostics {
		if d.Cause != nil {
			causes = append(causes, d.Cause)
		}
	}
	return causes
}

// Error renders all diagnostics, without colour.
func (f *Failure) Error() string {
	var b strings.Builder
	f.Diagnostics.Render(&b, false, 0)
	return strings.TrimSuffix(b.String(), "\n")
}

// Package option is the table of everything that a configuration's "options", and -D on the command line, can set:
// name, type, default, unit, meaning and the phases it acts in. What is printed, documented, completed and read comes
// from it. Java PSL's names for the same are a translation beside it.
package option

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Kind is the type of an option's values.
type Kind int

// The kinds, with how their values are written.
const (
	Flag    Kind = iota // true or false
	Count               // a whole number
	Number              // a number
	Seconds             // a number of seconds
	Size                // a number of bytes, with a unit such as GiB
	Choice              // one of some words
	Text                // anything that what reads it understands
	Path                // a file or a folder
)

var kindNames = [...]string{"true or false", "whole number", "number", "seconds", "size", "word", "text", "path"}

// String names the type as tables show it.
func (k Kind) String() string { return kindNames[k] }

// An Option is a row of the table.
type Option struct {
	Name string
	Kind Kind
	// Default is the value where none is written, Otherwise that of some methods of learning. Both are written as users
	// write them. "" is no value: then Unset says what happens.
	Default   string
	Otherwise []Case
	Unset     string
	// Unit is what a number counts or measures, or "".
	Unit string
	Doc  string
	// Phases are those that it acts in.
	Phases Phases
	// Words are the values of a Choice, or Rows the registry that has them with what they mean; PSL's names for some of
	// them are accepted by what reads it, if Classes.
	Words   []string
	Rows    func() []Row
	Classes bool
	// Least and Most bound numbers; above Least if Above. Most of 0 is no bound.
	Least, Most float64
	Above       bool
	// Special is a number out of that range with a meaning of its own, which Means says.
	Special, Means string
}

// A Row is a value that a registry has.
type Row struct{ Name, Doc string }

// Among lists the values of a Choice.
func (o *Option) Among() []string {
	if o.Rows == nil {
		return o.Words
	}
	var names []string
	for _, row := range o.Rows() {
		names = append(names, row.Name)
	}
	return names
}

// About says what the option is, and what each of a registry's values means.
func (o *Option) About() string {
	if o.Rows == nil {
		return o.Doc
	}
	var all []string
	for _, row := range o.Rows() {
		all = append(all, fmt.Sprintf("%s (%s)", row.Name, row.Doc))
	}
	return o.Doc + ": " + strings.Join(all, ", ")
}

// A Case is the default of some methods of learning.
type Case struct {
	Methods []string
	Value   string
}

// Phases are those in which an option acts.
type Phases int

// The phases.
const (
	Learning Phases = 1 << iota
	Inference
	Both = Learning | Inference
)

// String names the phases.
func (p Phases) String() string {
	return [...]string{Learning: "learning", Inference: "inference", Both: "both"}[p]
}

// DefaultOf returns the default for a method of learning, "" if there is none.
func (o *Option) DefaultOf(method string) string {
	for _, c := range o.Otherwise {
		if slices.Contains(c.Methods, method) || slices.Contains(c.Methods, likeness(method)) {
			return c.Value
		}
	}
	return o.Default
}

// Find returns the option that a name stands for, one of Java PSL's included, or nil.
func Find(name string) *Option {
	name = Translate(name)
	at := slices.IndexFunc(Table, func(o Option) bool { return o.Name == name })
	if at < 0 {
		return nil
	}
	return &Table[at]
}

// Names lists every name that is accepted: of the table, and of Java PSL.
func Names() []string {
	names := make([]string, len(Table), len(Table)+len(pslNames))
	for k := range Table {
		names[k] = Table[k].Name
	}
	return append(names, PSLNames()...)
}

// A Value is what an option was set to, of the option's kind.
type Value struct {
	Text   string
	Flag   bool
	Number float64 // of Number and Seconds
	Count  int     // of Count; no more than the largest int, where Whole is exact
	Whole  uint64
}

// Parse reads a value and checks that it is one of the option's. The error says what is wanted.
func (o *Option) Parse(text string) (v Value, err error) {
	v.Text = text
	switch o.Kind {
	case Flag:
		if v.Flag, err = strconv.ParseBool(text); err != nil {
			return v, fmt.Errorf("want true or false")
		}
	case Count:
		v.Whole, err = strconv.ParseUint(text, 10, 64)
		v.Count = int(min(v.Whole, math.MaxInt))
		if err != nil || !o.within(float64(v.Whole)) {
			return v, fmt.Errorf("want a whole number%s", o.Range())
		}
	case Number, Seconds:
		v.Number, err = strconv.ParseFloat(text, 64)
		inRange := o.within(v.Number) || o.Special != "" && text == o.Special
		if err != nil || math.Abs(v.Number) > largest || !inRange {
			return v, o.wantNumber(v.Number, err)
		}
	case Choice:
		if words := o.Among(); !o.Classes && !slices.Contains(words, text) {
			return v, fmt.Errorf("want one of %s", strings.Join(words, ", "))
		}
	}
	return v, nil
}

// largest is the size of the largest number that options take: squares of larger ones are none.
const largest = 1e300

// wantNumber is the error of a number that is none, or out of range. That 0 is no value of what has to be above it is
// worth a word of its own: elsewhere, 0 means "none" or "the default".
func (o *Option) wantNumber(v float64, err error) error {
	if o.Special != "" {
		return fmt.Errorf("want a number%s, or %s for %s", o.Range(), o.Special, o.Means)
	}
	if err == nil && v == 0 && o.Name == "inference.gap" || err == nil && v == 0 && o.Name == "inference.feasibility" {
		return fmt.Errorf("want a number above 0: arithmetic rounds, so that 0 cannot be shown, but 1e-9 can")
	}
	if err == nil && o.within(v) && !math.IsInf(v, 0) {
		return fmt.Errorf("want a number of no more than %g", float64(largest))
	}
	return fmt.Errorf("want a number%s", o.Range())
}

// within tells whether a number is in the option's range.
func (o *Option) within(v float64) bool {
	return (v > o.Least || v == o.Least && !o.Above) && (o.Most == 0 || v <= o.Most)
}

// Range says what numbers an option takes, to follow the word "number"; "" if it has none.
func (o *Option) Range() string {
	if o.Kind != Count && o.Kind != Number && o.Kind != Seconds || math.IsInf(o.Least, -1) {
		return ""
	}
	from := " of at least "
	if o.Above {
		from = " above "
	}
	text := from + strconv.FormatFloat(o.Least, 'g', -1, 64)
	if o.Most != 0 {
		text += " and at most " + strconv.FormatFloat(o.Most, 'g', -1, 64)
	}
	return text
}

// Type describes an option's values.
func (o *Option) Type() string {
	switch {
	case o.Kind == Choice && o.Classes:
		return strings.Join(o.Among(), ", ") + ", or a class of PSL's"
	case o.Kind == Choice:
		return strings.Join(o.Among(), ", ")
	case o.Special != "":
		return o.Kind.String() + o.Range() + ", or " + o.Special
	case o.Kind == Count || o.Kind == Number || o.Kind == Seconds:
		return o.Kind.String() + o.Range()
	}
	return o.Kind.String()
}

// Defaults describes an option's defaults in words: "75; 40 with auto".
func (o *Option) Defaults() string {
	text := o.Default
	if text == "" {
		text = o.Unset
	}
	for _, c := range o.Otherwise {
		value := c.Value
		if value == "" {
			value = o.Unset
		}
		text += fmt.Sprintf("; %s with %s", value, strings.Join(withLike(c.Methods), ", "))
	}
	return text
}

// Package eval scores answers against known truth: the evaluators that PSL has, with their names and defaults, and a
// confidence interval over repetitions.
package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Value is one named number of a Result.
type Value struct {
	Name   string
	Number float64 // NaN if it is undefined, such as a ROC curve without negatives
	// Interval holds the bounds of the 95 % confidence interval over what was scored, taken as independent; NaN where
	// there is none.
	Interval [2]float64
	// LowerIsBetter is true for errors, false for scores.
	LowerIsBetter bool
}

// Result is what an evaluator says, in a fixed order.
type Result struct {
	Evaluator string
	Values    []Value
	// Count is how many things were scored: atoms, or objects with a category.
	Count int
	// Representative is the index in Values of the number that stands for the result, such as to guide learning.
	Representative int
}

// index returns the place of a name in Values, ignoring case and underscores, so that PSL's F1 and POSITIVE_PRECISION
// are found, or -1.
func (r Result) index(name string) int {
	return slices.IndexFunc(r.Values, func(v Value) bool { return plain(v.Name) == plain(name) })
}

// plain is the form in which names of values are compared.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// Primary returns the representative value.
func (r Result) Primary() Value { return r.Values[r.Representative] }

// Evaluate runs the evaluator called name: discrete, continuous, auc or categorical. Options are PSL's, such as
// discreteevaluator.threshold; those of other evaluators are ignored. An unknown evaluator, or a bad value of one of
// its options, is an error.
func Evaluate(name string, options map[string]string, s *Scored) (Result, error) {
	o := optionReader{prefix: name + "evaluator.", options: options}
	var r Result
	switch name {
	case "discrete":
		threshold := o.threshold()
		r = discrete(s, threshold, s.decision(threshold))
	case "continuous":
		r = continuous(s)
	case "auc":
		r = auc(s, o.threshold())
	case "categorical":
		if categories := o.categories(s.arity()); o.err == nil {
			r = categorical(s, categories...)
		}
	default:
		return r, fmt.Errorf("no evaluator %q; there are discrete, continuous, auc and categorical", name)
	}
	if o.err == nil {
		o.representative(&r)
	}
	return r, o.err
}

// optionReader reads one evaluator's options and keeps the first error.
type optionReader struct {
	prefix  string
	options map[string]string
	err     error
}

// fail keeps the first error only: one is enough to correct the options.
func (o *optionReader) fail(key, want string) {
	if o.err == nil {
		o.err = fmt.Errorf("option %s%s must be %s, not %q", o.prefix, key, want, o.options[o.prefix+key])
	}
}

// DefaultThreshold is the value from which an atom counts as true where nobody says another.
const DefaultThreshold = 0.5

// threshold is the value from which an atom counts as true.
func (o *optionReader) threshold() float64 {
	value, ok := o.options[o.prefix+"threshold"]
	if !ok {
		return DefaultThreshold
	}
	threshold, err := strconv.ParseFloat(value, 64)
	if err != nil || !(0 <= threshold && threshold <= 1) {
		o.fail("threshold", "a number in [0, 1]")
	}
	return threshold
}

// categories are the arguments that name the category; the default is the last one, which is also written -1.
func (o *optionReader) categories(arity int) []int {
	value, ok := o.options[o.prefix+"categoryindexes"]
	if !ok {
		value = "-1"
	}
	var out []int
	for _, field := range strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ',' }) {
		at, err := strconv.Atoi(strings.TrimSpace(field))
		if at < 0 {
			at += arity
		}
		if err != nil || at < 0 || at >= arity {
			o.fail("categoryindexes", fmt.Sprintf("argument numbers from 0 to %d, such as 0:2", arity-1))
			return nil
		}
		out = append(out, at)
	}
	return out
}

// representative makes another value than the evaluator's own stand for the result.
func (o *optionReader) representative(r *Result) {
	name, ok := o.options[o.prefix+"representative"]
	if !ok {
		return
	}
	if at := r.index(name); at >= 0 {
		r.Representative = at
		return
	}
	names := make([]string, len(r.Values))
	for k, v := range r.Values {
		names[k] = v.Name
	}
	o.fail("representative", "one of "+strings.Join(names, ", "))
}

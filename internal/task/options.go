package task

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// Option is an option of a configuration.
type Option struct{ Name, Value string }

// usualSeed is the command line's, which a project need not say.
const usualSeed = 1

// OfRun returns the options of a project as a run has them: the task's own, those that were set in their place, and the
// seed. So deeppsl run repeats, with the files that the run leaves, what it did.
func OfRun(own []Option, set []string, seed uint64) []Option {
	all := slices.Clone(own)
	for _, assignment := range set {
		name, value, ok := strings.Cut(assignment, "=")
		if !ok {
			continue // what reads the options says so
		}
		all = slices.DeleteFunc(all, func(o Option) bool { return strings.EqualFold(o.Name, name) })
		all = append(all, Option{name, value})
	}
	seeded := slices.ContainsFunc(all, func(o Option) bool { return strings.EqualFold(o.Name, "random.seed") })
	if seed != usualSeed && !seeded {
		all = append(all, Option{"random.seed", strconv.FormatUint(seed, 10)})
	}
	return all
}

// Functions are what the templates of configurations call.
var Functions = template.FuncMap{"json": func(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}}

// Set makes a list of names and values that take turns.
func Set(pairs ...string) (options []Option) {
	for k := 0; k < len(pairs); k += 2 {
		options = append(options, Option{pairs[k], pairs[k+1]})
	}
	return options
}

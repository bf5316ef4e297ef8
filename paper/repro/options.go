package repro

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// namedValue is an option of a configuration.
type namedValue struct{ Name, Value string }

// usualSeed is the command line's, which a project need not say.
const usualSeed = 1

// ofRun returns the options of a project as a run has them: the task's own, those that were set in their place, and the
// seed. So deeppsl run repeats, with the files that the run leaves, what it did.
func ofRun(own []namedValue, set []string, seed uint64) []namedValue {
	all := slices.Clone(own)
	for _, assignment := range set {
		name, value, ok := strings.Cut(assignment, "=")
		if !ok {
			continue // what reads the options says so
		}
		all = slices.DeleteFunc(all, func(o namedValue) bool { return strings.EqualFold(o.Name, name) })
		all = append(all, namedValue{name, value})
	}
	seeded := slices.ContainsFunc(all, func(o namedValue) bool { return strings.EqualFold(o.Name, "random.seed") })
	if seed != usualSeed && !seeded {
		all = append(all, namedValue{"random.seed", strconv.FormatUint(seed, 10)})
	}
	return all
}

// configFunctions are what the templates of configurations call.
var configFunctions = template.FuncMap{"json": func(v any) (string, error) {
	text, err := json.Marshal(v)
	return string(text), err
}}

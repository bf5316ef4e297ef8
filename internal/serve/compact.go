package serve

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/change"
)

// compacted returns changes that come to the same as those of all updates: of each atom the first, which may say that
// it is there at all, and the last; of each rule's weight and activity the last. Rules come first, since the others
// name them by number.
func compacted(updates [][]change.Change) []change.Change {
	var rules []change.Change
	first, last, at := make(map[string]change.Change), make(map[string]change.Change), make(map[string]int)
	n := 0
	for _, update := range updates {
		for _, c := range update {
			n++
			if c.Kind == change.RuleAdded {
				rules = append(rules, c)
				continue
			}
			key := subject(c)
			if _, known := at[key]; !known {
				first[key], at[key] = c, n
			}
			last[key] = c
		}
	}
	short := rules
	keys := make([]string, 0, len(at))
	for key := range at {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(at[a], at[b]) })
	for _, key := range keys {
		if first[key].Kind != last[key].Kind && aboutAtom(first[key]) {
			short = append(short, first[key])
		}
		short = append(short, last[key])
	}
	return short
}

// aboutAtom tells changes of atoms from those of rules.
func aboutAtom(c change.Change) bool { return c.Predicate != "" }

// subject names what a change is about: an atom, a rule's weight, or whether a rule is active.
func subject(c change.Change) string {
	if aboutAtom(c) {
		return strings.ToLower(c.Predicate) + "\x00" + strings.Join(c.Arguments, "\x00")
	}
	kind := c.Kind
	if kind == change.RuleOn {
		kind = change.RuleOff
	}
	return "\x00" + string(kind) + strconv.Itoa(c.Rule)
}

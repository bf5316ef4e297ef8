package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Suggest returns the hint "did you mean X?" where X is the candidate nearest to name by edit distance, ignoring case,
// or "" if none is near: at most 2 edits or a third of the name's length, and never more than half of it. Of equally
// near candidates the first wins.
func Suggest(name string, candidates []string) string {
	wanted := []rune(strings.ToLower(name))
	limit := min(len(wanted)/2, max(2, len(wanted)/3))
	best := ""
	for _, candidate := range candidates {
		if max(len(wanted)-utf8.RuneCountInString(candidate), utf8.RuneCountInString(candidate)-len(wanted)) > limit {
			continue // as many edits at least; names may be as long as files
		}
		if d := distance(wanted, []rune(strings.ToLower(candidate))); d <= limit {
			best, limit = candidate, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// Unknown says that a value of something is not among those allowed, and which one may have been meant.
func Unknown[T ~string](what string, value T, allowed []T) error {
	names := make([]string, len(allowed))
	for i, name := range allowed {
		names[i] = string(name)
	}
	text := fmt.Sprintf("unknown %s %q; allowed are %s", what, string(value), strings.Join(names, ", "))
	if hint := Suggest(string(value), names); hint != "" {
		text += "; " + hint
	}
	return errors.New(text)
}

// SuggestColumn returns the hint that Suggest has of a table's names, or else what stands between its columns if all
// names are in one, or that a name looks like a value.
func SuggestColumn(name string, names []string) string {
	if hint := Suggest(name, names); hint != "" {
		return hint
	}
	for _, found := range names {
		switch {
		case len(names) == 1 && strings.ContainsAny(found, ",;"):
			return "its columns stand between commas or semicolons; call it .csv, or write tabs"
		case IsNumber(found):
			return fmt.Sprintf("the first line names the columns, and %q looks like a value", found)
		}
	}
	return ""
}

// IsNumber recognises what is hardly the name of a column.
func IsNumber(name string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(name), 64)
	return err == nil
}

// distance returns the Levenshtein distance of a and b.
func distance(a, b []rune) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j, s := range b {
			next[j+1] = min(row[j]+1, next[j]+1, row[j+1]+1)
			if r == s {
				next[j+1] = row[j]
			}
			if i > 0 && j > 0 && r == b[j-1] && a[i-1] == s {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

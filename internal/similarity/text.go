package similarity

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// tokens returns the maximal runs of letters and digits of s, in lower case. Combining marks belong to their letters.
func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark)
	})
}

// bigrams returns the pairs of neighbouring runes of s. A string of one rune is its own bigram.
func bigrams(s string) []string {
	runes := []rune(s)
	if len(runes) == 1 {
		return []string{string(runes)}
	}
	var all []string
	for k := 1; k < len(runes); k++ {
		all = append(all, string(runes[k-1:k+1]))
	}
	return all
}

// spelling returns the bigrams of the tokens of s without what separates them, so that "Memory-based." has those of
// "memorybased".
func spelling(s string) []string { return bigrams(strings.Join(tokens(s), "")) }

// written returns the tokens of s without what separates them as one feature, or none if there are no tokens.
func written(s string) []string {
	if all := strings.Join(tokens(s), ""); all != "" {
		return []string{all}
	}
	return nil
}

// initials returns the first letters of the tokens of s, in alphabetical order and as one feature, so that "Knuth,
// Donald E." has those of "D. E. Knuth".
func initials(s string) []string {
	var first []rune
	for _, token := range tokens(s) {
		for _, r := range token {
			first = append(first, r)
			break
		}
	}
	return joined(first)
}

// numbers returns the tokens of s that hold a digit, in alphabetical order and as one feature. House numbers and years
// tell apart what is otherwise the same.
func numbers(s string) []string {
	var found []string
	for _, token := range tokens(s) {
		if strings.IndexFunc(token, unicode.IsDigit) >= 0 {
			found = append(found, token)
		}
	}
	slices.Sort(found)
	return []string{strings.Join(found, " ")}
}

// length returns the number of tokens of s as one feature.
func length(s string) []string { return []string{strconv.Itoa(len(tokens(s)))} }

// joined sorts runes into one feature, or none if there are no runes.
func joined(runes []rune) []string {
	if len(runes) == 0 {
		return nil
	}
	slices.Sort(runes)
	return []string{string(runes)}
}

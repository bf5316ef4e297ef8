// Package similarity measures how alike two strings are, as a number in [0, 1], and finds all pairs of a list that are
// alike enough without comparing every two of them.
//
// Measures of characters (Levenshtein, Jaro, Jaro-Winkler, the bigram ones) take a string as it is, rune by rune;
// measures of tokens see its maximal runs of letters and digits, in lower case. A string equals itself with 1 by every
// measure, also where it has no token at all. Bytes that are no UTF-8 count as U+FFFD each.
package similarity

import (
	"strings"
)

// Measure is a similarity of two strings. The ones there are stand in measures.
type Measure struct {
	Name string
	// Symmetric says that the order of the two strings does not matter.
	Symmetric bool
	// Corpus says that values depend on how many documents of a corpus have a token.
	Corpus bool
	// prepare brings strings into the form that the measure compares.
	prepare func(names []string, corpus *Corpus) comparison
}

// comparison is a list of strings made ready for one measure. It is read-only.
type comparison interface {
	// worker returns what compares the strings, with scratch space for one goroutine.
	worker() worker
}

// worker compares strings of its comparison by their numbers.
type worker interface {
	// compare returns the similarity of the different strings i and j. Many j after one another for one i are cheapest.
	compare(i, j int) float64
	// candidates returns strings, each once and in any order, among them all that are similar to i by threshold or
	// more; threshold is above 0. The slice is valid until the next call.
	candidates(i int, threshold float64) []int32
}

// measures lists all measures, in the order of their documentation.
var measures = []*Measure{
	{Name: "Levenshtein", Symmetric: true, prepare: prepareLevenshtein},
	{Name: "Jaro", Symmetric: true, prepare: prepareJaro},
	{Name: "JaroWinkler", Symmetric: true, prepare: prepareJaroWinkler},
	{Name: "Jaccard", Symmetric: true, prepare: prepareSets(tokens, jaccard)},
	{Name: "JaccardBigrams", Symmetric: true, prepare: prepareSets(bigrams, jaccard)},
	{Name: "JaccardLetters", Symmetric: true, prepare: prepareSets(spelling, jaccard)},
	{Name: "Dice", Symmetric: true, prepare: prepareSets(bigrams, dice)},
	{Name: "DiceTokens", Symmetric: true, prepare: prepareSets(tokens, dice)},
	{Name: "Cosine", Symmetric: true, prepare: prepareCosine},
	{Name: "TFIDF", Symmetric: true, Corpus: true, prepare: prepareTFIDF},
	{Name: "SoftTFIDF", Corpus: true, prepare: prepareSoftTFIDF},
	{Name: "MongeElkan", prepare: prepareMongeElkan},
	{Name: "SameLetters", Symmetric: true, prepare: prepareSets(written, jaccard)},
	{Name: "SameInitials", Symmetric: true, prepare: prepareSets(initials, jaccard)},
	{Name: "SameNumbers", Symmetric: true, prepare: prepareSets(numbers, jaccard)},
	{Name: "SameNumTokens", Symmetric: true, prepare: prepareSets(length, jaccard)},
}

// Find returns the measure with the given name, or nil. Case does not matter, nor do the package and the suffix that
// PSL's classes have: org.linqs.psl.utils.textsimilarity.LevenshteinSimilarity is Levenshtein.
func Find(name string) *Measure {
	short := name[strings.LastIndexByte(name, '.')+1:]
	if n := len(short) - len("Similarity"); n > 0 && strings.EqualFold(short[n:], "Similarity") {
		short = short[:n]
	}
	for _, m := range measures {
		if strings.EqualFold(m.Name, short) {
			return m
		}
	}
	return nil
}

// Names lists the names of all measures.
func Names() []string {
	names := make([]string, len(measures))
	for k, m := range measures {
		names[k] = m.Name
	}
	return names
}

// Bind returns the measure as a function, which any number of goroutines may call. Documents counts for measures with
// Corpus only; see NewCorpus.
func (m *Measure) Bind(corpus *Corpus) func(a, b string) float64 {
	return func(a, b string) float64 {
		if a == b {
			return 1
		}
		return m.prepare([]string{a, b}, corpus).worker().compare(0, 1)
	}
}

// unit cuts off what rounding, or a sum of several best matches, has added beyond 1.
func unit(x float64) float64 { return min(x, 1) }

// slack is subtracted from bounds that decide which pairs are compared at all, so that rounding loses none.
const slack = 1e-9

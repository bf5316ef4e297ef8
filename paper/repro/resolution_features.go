package repro

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/deeppsl/deeppsl/paper/published"
)

// featurizer turns strings into the sparse rows that twins read.
type featurizer interface {
	// columns is how many there are.
	columns() int
	// row calls set for what is not 0; a column may be set again, and adds up.
	row(text string, set func(column int, value float64))
}

// featureTable writes a sparse table with a row for each text, of several featurizers side by side.
func featureTable(texts []string, parts ...featurizer) []byte {
	var b bytes.Buffer
	for _, text := range texts {
		values, first := map[int]float64{}, 0
		for _, part := range parts {
			part.row(text, func(column int, value float64) { values[first+column] += value })
			first += part.columns()
		}
		columns := make([]int, 0, len(values))
		for column := range values {
			columns = append(columns, column)
		}
		slices.Sort(columns)
		b.WriteString(text + "\t")
		for k, column := range columns {
			if k > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%d:%s", column, strconv.FormatFloat(values[column], 'g', 6, 64))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// alphabet has the 56 symbols of the paper's one-hot encoding, and longestName is how many of a name are encoded.
const (
	alphabet    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz .,'"
	longestName = 32
)

// oneHot encodes the symbol in each place, as the paper does; symbols beyond the alphabet are left out.
type oneHot struct{}

func (oneHot) columns() int { return longestName * len(alphabet) }

func (oneHot) row(text string, set func(column int, value float64)) {
	place := 0
	for _, symbol := range text {
		if at := strings.IndexRune(alphabet, symbol); at >= 0 && place < longestName {
			set(place*len(alphabet)+at, 1)
			place++
		}
	}
}

// grams tells which runs of characters a text has, weighed by how rare they are: of those that the texts to learn from
// have, since the weights of others would stay as they were drawn.
type grams struct {
	of     func(text string) []string
	number map[string]int
	weight []float64
}

// newGrams finds the grams that at least two texts have.
func newGrams(texts []string, of func(text string) []string) *grams {
	having := map[string]int{}
	for _, text := range texts {
		for _, gram := range of(text) {
			having[gram]++
		}
	}
	g := &grams{of: of, number: map[string]int{}}
	for gram, n := range having {
		if n < 2 {
			delete(having, gram)
		}
	}
	all := make([]string, 0, len(having))
	for gram := range having {
		all = append(all, gram)
	}
	slices.Sort(all)
	for k, gram := range all {
		g.number[gram] = k
		g.weight = append(g.weight, math.Log(float64(len(texts))/float64(having[gram])))
	}
	return g
}

// wordGrams returns the different words of a text, and the runs of two and three letters in them, with their borders.
func wordGrams(text string) (found []string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range words {
		bounded := []rune("^" + word + "$")
		found = append(found, string(bounded))
		found = appendRuns(found, bounded, 2, 3)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// symbolGrams returns the different runs of one to three symbols of a text as it is written, with its case, its
// punctuation and its borders: by words alone, titles that differ in these are the same.
func symbolGrams(text string) []string {
	found := appendRuns(nil, []rune("^"+strings.Join(strings.Fields(text), " ")+"$"), 1, 3)
	slices.Sort(found)
	return slices.Compact(found)
}

// appendRuns appends all runs of so many symbols.
func appendRuns(found []string, symbols []rune, shortest, longest int) []string {
	for n := shortest; n <= longest; n++ {
		for k := range len(symbols) - n + 1 {
			found = append(found, string(symbols[k:k+n]))
		}
	}
	return found
}

func (g *grams) columns() int { return len(g.weight) }

func (g *grams) row(text string, set func(column int, value float64)) {
	for _, gram := range g.of(text) {
		if k, known := g.number[gram]; known {
			set(k, g.weight[k])
		}
	}
}

// wordMeans are the mean word vectors of a text, those of several spaces side by side.
type wordMeans []*published.Vectors

func (w wordMeans) columns() (n int) {
	for _, vectors := range w {
		n += vectors.Dimensions
	}
	return n
}

func (w wordMeans) row(text string, set func(column int, value float64)) {
	words, first := published.TextWords(text), 0
	for _, vectors := range w {
		mean, _ := vectors.Mean(words)
		for k, value := range mean {
			if value != 0 {
				set(first+k, float64(value))
			}
		}
		first += vectors.Dimensions
	}
}

// coverage says which vectors there are, and how many words of the texts, and different ones, have one.
func (w wordMeans) coverage(names []string, texts []string) string {
	known, all, tokens, hits := map[string]bool{}, map[string]bool{}, 0, 0
	for _, text := range texts {
		for _, word := range published.TextWords(text) {
			all[word] = true
			tokens++
			if slices.ContainsFunc(w, func(v *published.Vectors) bool { return v.Of(word) != nil }) {
				known[word] = true
				hits++
			}
		}
	}
	return fmt.Sprintf("%s: %d of %d words, %.1f %% of their occurrences", strings.Join(names, " + "), len(known),
		len(all), 100*float64(hits)/float64(max(1, tokens)))
}

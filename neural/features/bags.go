package features

import (
	"math"
	"slices"
)

// Bags of words have at least so many columns, of which such a share is 0 in most rows, and none of numbers that many
// times as great as those of a middling column. About so many rows are looked at.
const (
	leastWords   = 20
	rareWords    = 0.5
	greatestWord = 10
	mostTexts    = 1 << 13
)

// OfWords tells whether rows look like bags of words, or of anything else that is counted, weighed or there: nothing is
// below 0, half of the columns are 0 in most rows, and no column is of another scale than the others. Categories, of
// which each row has one of each kind, are none: some rows have more words than others. Nor are bits that are about as
// frequent as each other: of words, few are in many texts, and most are in few.
func (f *Table) OfWords() bool {
	if f.names != nil || f.width < leastWords || slices.ContainsFunc(f.values, func(v float32) bool { return v < 0 }) {
		return false
	}
	there, squares, rows := make([]int, f.width), make([]float64, f.width), 0
	fewest, most, bits := f.width, 0, true
	for r := 0; r < f.Len(); r += 1 + f.Len()/mostTexts {
		rows++
		lo, hi := f.Span(r)
		words := 0
		for k := lo; k < hi; k++ {
			if v := float64(f.values[k]); v > 0 {
				words++
				c := f.ColumnOf(k)
				there[c]++
				squares[c] += v * v
				bits = bits && v == 1
			}
		}
		fewest, most = min(fewest, words), max(most, words)
	}
	var sizes []float64
	rare := 0
	for c, n := range there {
		if n == 0 {
			continue
		}
		sizes = append(sizes, math.Sqrt(squares[c]/float64(n)))
		if 2*n < rows {
			rare++
		}
	}
	slices.Sort(sizes)
	if bits && !unlike(there) {
		return false
	}
	return fewest < most && len(sizes) >= leastWords && float64(rare) >= rareWords*float64(len(sizes)) &&
		sizes[len(sizes)-1] <= greatestWord*sizes[len(sizes)/2]
}

// unlike tells whether columns differ in how many rows have them as words do: by a standard deviation that is no less
// than the mean. Those that no row has do not count.
func unlike(there []int) bool {
	columns, sum, squares := 0., 0., 0.
	for _, n := range there {
		if n > 0 {
			columns++
			sum += float64(n)
			squares += float64(n) * float64(n)
		}
	}
	return columns*squares >= 2*sum*sum
}

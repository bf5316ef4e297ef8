package neural

import (
	"math"
	"slices"
)

// A column with heavy tails, such as incomes or counts, is bent before it is scaled: what counts is where a value lies
// among those of learning, as a normal score, so that a few great values neither drown the others nor look all alike.
// That is interpolated between knots; what lies beyond them is as the outermost.
const (
	// knots is how many values bend a column: the quantiles of the normal scores from −outermost to outermost.
	knots     = 17
	outermost = 3.2
	// heavyTail is from where on a column is bent: see heavy. Of a normal distribution it is 2.9, of an exponential one
	// 4.8, of a lognormal one of deviation 1 in the logarithm 7, and of deviation 2.5 65.
	heavyTail = 6
	// farthest is how many times the middling deviation the greatest has to be, too: pixels end sooner.
	farthest = 20
	// leastBent is how many values have to differ from the median, so that their tails can be told.
	leastBent = 20
)

// heavy tells of the magnitudes of what differs from the median, sorted, whether one in twenty is heavyTail times the
// middling one, and the greatest much more.
func heavy(magnitudes []float32) bool {
	n := len(magnitudes)
	if n < leastBent {
		return false
	}
	middling := float64(magnitudes[n/2])
	return float64(magnitudes[n-1-n/20]) > heavyTail*middling && float64(magnitudes[n-1]) > farthest*middling
}

// bend takes the knots from values that are sorted.
func bend(at, values []float32) {
	n := len(values)
	for k := range at {
		place := normal(scoreOf(k))*float64(n) - 0.5
		lo := max(0, min(int(math.Floor(place)), n-1))
		hi := min(lo+1, n-1)
		share := max(0, min(place-float64(lo), 1))
		at[k] = float32((1-share)*float64(values[lo]) + share*float64(values[hi]))
	}
}

// scoreOf is the normal score of a knot.
func scoreOf(k int) float64 { return outermost * (2*float64(k)/(knots-1) - 1) }

// normal is the distribution function of the standard normal distribution.
func normal(score float64) float64 { return math.Erfc(-score/math.Sqrt2) / 2 }

// bentBy returns the normal score of a value by the knots; where several are equal to it, that of the middle of their
// ranks.
func bentBy(at []float32, v float32) float32 {
	lo, found := slices.BinarySearch(at, v)
	switch {
	case found:
		hi := lo
		for hi+1 < len(at) && at[hi+1] == v {
			hi++
		}
		return float32(math.Sqrt2 * math.Erfinv(normal(scoreOf(lo))+normal(scoreOf(hi))-1))
	case lo == 0:
		return float32(scoreOf(0))
	case lo == len(at):
		return float32(scoreOf(lo - 1))
	}
	share := (float64(v) - float64(at[lo-1])) / (float64(at[lo]) - float64(at[lo-1]))
	return float32(scoreOf(lo-1) + share*(scoreOf(lo)-scoreOf(lo-1)))
}

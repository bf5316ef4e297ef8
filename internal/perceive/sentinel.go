package perceive

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lintSentinels warns, once, of a column with a number that stands for a value that is missing: it is seen as a number.
func (n *Networks) lintSentinels(network *load.Network, diags *source.Diagnostics) {
	features := n.Features[network.Name]
	if features == nil || features.Sparse() || n.sentinels[network.Name] {
		return
	}
	rows := make([]int32, features.Len())
	for r := range rows {
		rows[r] = int32(r)
	}
	for column := range features.Width() {
		name := features.Heading(column)
		if name == "" {
			continue
		}
		values := features.Column(rows, column)
		slices.Sort(values)
		sign, count, least, greatest := sentinel(values)
		if count == 0 {
			continue
		}
		n.sentinels[network.Name] = true
		diags.Warnf("features-sentinel", network.At("features"), "leave the field empty if the value is missing",
			"%d of %d rows have %v in column %q of network %q, where all others are between %v and %v", count, len(values), sign,
			name, network.Name, least, greatest)
		return
	}
}

// sentinel finds among sorted values a number of nines, such as -999 or 9999, that is there more than once and farther
// from all others than these are from each other; count is 0 if there is none.
func sentinel(values []float32) (sign float32, count int, least, greatest float32) {
	first, last := values[0], values[len(values)-1]
	after := slices.IndexFunc(values, func(v float32) bool { return v != first })
	if after < 0 {
		return 0, 0, 0, 0
	}
	before, _ := slices.BinarySearch(values, last)
	if of := values[after:]; after > 1 && nines(first) && of[0]-first > last-of[0] {
		return first, after, of[0], last
	}
	if of := values[:before]; len(values)-before > 1 && nines(last) && last-of[len(of)-1] > of[len(of)-1]-first {
		return last, len(values) - before, first, of[len(of)-1]
	}
	return 0, 0, 0, 0
}

// nines tells whether a number is ±99, ±999 and so on.
func nines(v float32) bool {
	log := math.Log10(math.Abs(float64(v)) + 1)
	return log >= 2 && log == math.Trunc(log)
}

// lintReadings warns, once, of columns that mean something else to somebody else.
func (n *Networks) lintReadings(network *load.Network, diags *source.Diagnostics) {
	features := n.Features[network.Name]
	if features == nil || n.read[network.Name] {
		return
	}
	n.read[network.Name] = true
	for _, reading := range features.Readings() {
		diags.Warnf(reading.ID, network.At("features"), reading.Hint, "network %q: %s", network.Name, reading.Text)
	}
}

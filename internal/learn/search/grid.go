package search

import (
	"math"
	"strconv"
	"strings"
)

// enumerable is the number of combinations up to which they are listed and shuffled; more are drawn.
const enumerable = 1 << 16

// grid tries combinations of levels, each ratio of weights once.
func (r *run) grid() error {
	next := r.drawn()
	if count := math.Pow(float64(len(r.Levels)), float64(len(r.free))); count <= enumerable {
		next = r.listed(int(count))
	}
	seen := make(map[string]bool)
	for limit := r.limit(150); len(r.trials) < limit; {
		digits, ok := next()
		if !ok {
			return nil
		}
		sought := make([]float64, len(digits))
		for k, digit := range digits {
			sought[k] = r.Levels[digit]
		}
		key := r.key(sought)
		if seen[key] {
			continue
		}
		seen[key] = true
		if _, err := r.try(r.all(sought), 1); err != nil {
			return err
		}
	}
	return nil
}

// listed returns all combinations in a random order, one per call.
func (r *run) listed(count int) func() ([]int, bool) {
	order := r.generate.Perm(count)
	at := 0
	return func() ([]int, bool) {
		if at == count {
			return nil, false
		}
		digits := make([]int, len(r.free))
		for k, rest := 0, order[at]; k < len(digits); k, rest = k+1, rest/len(r.Levels) {
			digits[k] = rest % len(r.Levels)
		}
		at++
		return digits, true
	}
}

// drawn returns random combinations. It ends, as repetitions are possible, after many more calls than trials.
func (r *run) drawn() func() ([]int, bool) {
	calls := 0
	return func() ([]int, bool) {
		digits := make([]int, len(r.free))
		for k := range digits {
			digits[k] = r.generate.IntN(len(r.Levels))
		}
		calls++
		return digits, calls <= 100*r.limit(150)
	}
}

// key is the same for weights that give the same MAP state: those of equal ratios, if ratios are all that matters.
func (r *run) key(sought []float64) string {
	largest := 1.0
	if r.Relative {
		largest = 0
		for _, w := range sought {
			largest = math.Max(largest, w)
		}
	}
	var b strings.Builder
	for _, w := range sought {
		b.WriteString(strconv.FormatFloat(w/largest, 'g', 9, 64))
		b.WriteByte(' ')
	}
	return b.String()
}

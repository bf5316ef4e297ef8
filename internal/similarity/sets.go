package similarity

import "math"

// setMeasure compares two sets of features by their sizes and by how many features they share.
type setMeasure struct {
	score func(shared, a, b int) float64
	// least returns how many features, not necessarily an integer, a set of so many shares at least with one that is
	// similar to it by threshold. It decides how many features need to be looked up: a set that has none of all but
	// least-1 features of another cannot share enough (the prefix filter of Chaudhuri, Ganti and Kaushik 2006).
	least func(threshold float64, size int) float64
}

// jaccard is |A∩B| / |A∪B| (Jaccard 1901). The union is no smaller than A, so that |A∩B| ≥ threshold·|A|.
var jaccard = setMeasure{
	score: func(shared, a, b int) float64 { return float64(shared) / float64(a+b-shared) },
	least: func(threshold float64, size int) float64 { return threshold * float64(size) },
}

// dice is 2·|A∩B| / (|A|+|B|) (Dice 1945). B is no smaller than what it shares, so that |A∩B| ≥ t·|A| / (2-t).
var dice = setMeasure{
	score: func(shared, a, b int) float64 { return 2 * float64(shared) / float64(a+b) },
	least: func(threshold float64, size int) float64 { return threshold * float64(size) / (2 - threshold) },
}

// prepareSets returns the preparation of a measure of what split finds in strings.
func prepareSets(split func(string) []string, m setMeasure) func([]string, *Corpus) comparison {
	return func(names []string, _ *Corpus) comparison { return &sets{index(names, split), m} }
}

// sets are strings as sets of features.
type sets struct {
	*vocabulary
	setMeasure
}

func (s *sets) worker() worker { return &setWorker{sets: s} }

type setWorker struct {
	*sets
	gathering
}

func (w *setWorker) compare(i, j int) float64 {
	a, b := w.docs[i], w.docs[j]
	shared := overlap(a, b)
	if shared == 0 {
		return 0
	}
	return w.score(shared, len(a), len(b))
}

// overlap counts the features that two strings share.
func overlap(a, b []occurrence) (shared int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].feature < b[0].feature:
			a = a[1:]
		case a[0].feature > b[0].feature:
			b = b[1:]
		default:
			shared++
			a, b = a[1:], b[1:]
		}
	}
	return shared
}

func (w *setWorker) candidates(i int, threshold float64) []int32 {
	w.reset(len(w.docs))
	features := w.rarest(i)
	least := max(1, int(math.Ceil(w.least(threshold, len(features))-slack)))
	for k := range len(features) - least + 1 {
		w.add(w.postings[features[k]])
	}
	return w.found
}

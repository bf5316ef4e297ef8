package similarity

import (
	"cmp"
	"maps"
	"slices"
)

// vocabulary numbers the features of a list of strings, in their own order, and knows which strings have each: an
// inverted index. The numbers keep sums over the features of two strings the same to the bit, whatever other strings
// there are.
type vocabulary struct {
	features []string       // sorted
	docs     [][]occurrence // by string: its different features, ascending
	postings [][]int32      // by feature: the strings that have it, ascending
}

// occurrence says how often a string has a feature.
type occurrence struct{ feature, count int32 }

// index makes the vocabulary of what split finds in the names.
func index(names []string, split func(string) []string) *vocabulary {
	v := &vocabulary{docs: make([][]occurrence, len(names))}
	found := make([][]string, len(names))
	ids := make(map[string]int32)
	for i, name := range names {
		found[i] = split(name)
		for _, feature := range found[i] {
			ids[feature] = 0
		}
	}
	v.features = slices.Sorted(maps.Keys(ids))
	for id, feature := range v.features {
		ids[feature] = int32(id)
	}
	for i := range names {
		own := make([]int32, len(found[i]))
		for k, feature := range found[i] {
			own[k] = ids[feature]
		}
		slices.Sort(own)
		v.docs[i] = count(own)
	}
	v.invert()
	return v
}

// count turns sorted numbers into occurrences.
func count(sorted []int32) (doc []occurrence) {
	for _, id := range sorted {
		if n := len(doc); n > 0 && doc[n-1].feature == id {
			doc[n-1].count++
		} else {
			doc = append(doc, occurrence{id, 1})
		}
	}
	return doc
}

// invert lists the strings of each feature.
func (v *vocabulary) invert() {
	v.postings = make([][]int32, len(v.features))
	for i, doc := range v.docs {
		for _, o := range doc {
			v.postings[o.feature] = append(v.postings[o.feature], int32(i))
		}
	}
}

// rarest returns the features of string i, those of the fewest strings first.
func (v *vocabulary) rarest(i int) []int32 {
	features := make([]int32, len(v.docs[i]))
	for k, o := range v.docs[i] {
		features[k] = o.feature
	}
	slices.SortStableFunc(features, func(a, b int32) int {
		return cmp.Compare(len(v.postings[a]), len(v.postings[b]))
	})
	return features
}

// gathering collects strings, each once.
type gathering struct {
	found []int32
	seen  []bool
}

// reset empties the gathering and makes room for n strings.
func (g *gathering) reset(n int) {
	if g.seen == nil {
		g.seen = make([]bool, n)
	}
	for _, j := range g.found {
		g.seen[j] = false
	}
	g.found = g.found[:0]
}

// add takes in the strings that are new.
func (g *gathering) add(strings []int32) {
	for _, j := range strings {
		if !g.seen[j] {
			g.seen[j] = true
			g.found = append(g.found, j)
		}
	}
}

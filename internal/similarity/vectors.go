package similarity

import (
	"math"
)

// Corpus knows how many documents have each token. It is read-only.
type Corpus struct {
	documents   int
	frequencies map[string]int32
}

// NewCorpus counts the tokens of documents; a document that is there twice counts twice.
func NewCorpus(documents []string) *Corpus {
	c := &Corpus{documents: len(documents), frequencies: make(map[string]int32)}
	seen := make(map[string]int) // the last document that a token was counted for
	for k, document := range documents {
		for _, token := range tokens(document) {
			if seen[token] != k+1 {
				seen[token] = k + 1
				c.frequencies[token]++
			}
		}
	}
	return c
}

// weight returns log(count + 1) · log(N / df), the weight of a token that a string has count times (Cohen, Ravikumar
// and Fienberg 2003, section 2.3). A token that no document has counts as one of a single document.
func (c *Corpus) weight(token string, count int32) float64 {
	frequency := max(1, c.frequencies[token])
	return math.Log(float64(count)+1) * math.Log(float64(max(1, c.documents))/float64(frequency))
}

// vectors are strings as unit vectors over their tokens, with weights of 0 and more.
type vectors struct {
	*vocabulary
	weights [][]float64 // as vocabulary.docs
	order   [][]int32   // by string: the places of its tokens in docs, the heaviest first
}

// prepareCosine weighs tokens by their counts.
func prepareCosine(names []string, _ *Corpus) comparison {
	return newVectors(names, func(_ string, count int32) float64 { return float64(count) })
}

// prepareTFIDF weighs tokens by how rare they are in the corpus.
func prepareTFIDF(names []string, corpus *Corpus) comparison { return newVectors(names, corpus.weight) }

// newVectors makes unit vectors of the tokens' weights.
func newVectors(names []string, weight func(token string, count int32) float64) *vectors {
	v := &vectors{vocabulary: index(names, tokens)}
	for _, doc := range v.docs {
		weights := make([]float64, len(doc))
		for k, o := range doc {
			weights[k] = weight(v.features[o.feature], o.count)
		}
		normalise(weights, doc)
		v.weights = append(v.weights, weights)
		v.order = append(v.order, descending(weights))
	}
	return v
}

// normalise scales the weights to length 1. If all are 0, because every document has these tokens, document frequencies
// tell nothing and the counts alone decide.
func normalise(weights []float64, doc []occurrence) {
	length := norm(weights)
	if length == 0 {
		for k, o := range doc {
			weights[k] = math.Log(float64(o.count) + 1)
		}
		length = norm(weights)
	}
	for k := range weights {
		weights[k] /= length
	}
}

// norm returns the Euclidean length.
func norm(x []float64) float64 {
	sum := 0.0
	for _, value := range x {
		sum += value * value
	}
	return math.Sqrt(sum)
}

func (v *vectors) worker() worker { return &vectorWorker{vectors: v} }

type vectorWorker struct {
	*vectors
	gathering
}

// compare returns the cosine of the angle between two strings.
func (w *vectorWorker) compare(i, j int) float64 {
	a, b, x, y := w.docs[i], w.docs[j], w.weights[i], w.weights[j]
	sum := 0.0
	for p, q := 0, 0; p < len(a) && q < len(b); {
		switch {
		case a[p].feature < b[q].feature:
			p++
		case a[p].feature > b[q].feature:
			q++
		default:
			sum += x[p] * y[q]
			p, q = p+1, q+1
		}
	}
	return unit(sum)
}

// candidates looks up tokens until those that remain cannot reach the threshold: their product with a unit vector is
// at most their own length, by Cauchy and Schwarz.
func (w *vectorWorker) candidates(i int, threshold float64) []int32 {
	w.reset(len(w.docs))
	rest := 1.0
	for _, k := range w.order[i] {
		if rest+slack < threshold*threshold {
			break
		}
		w.add(w.postings[w.docs[i][k].feature])
		rest -= w.weights[i][k] * w.weights[i][k]
	}
	return w.found
}

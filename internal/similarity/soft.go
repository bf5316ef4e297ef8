package similarity

// softThreshold is the Jaro-Winkler similarity from which two tokens count as close (Cohen, Ravikumar and Fienberg
// 2003).
const softThreshold = 0.9

// prepareSoftTFIDF compares by Σ V(w, a) · V(c(w), b) · D(w), over the tokens w of a for which the closest token c(w)
// of b has a Jaro-Winkler similarity D(w) ≥ 0.9; V are the weights of TFIDF, scaled to length 1 (Cohen, Ravikumar and
// Fienberg 2003, section 2.5). Two tokens of a may be closest to one of b, so that the order of the strings matters and
// a sum beyond 1 is cut.
func prepareSoftTFIDF(names []string, corpus *Corpus) comparison {
	v := newVectors(names, corpus.weight)
	return &soft{vectors: v, near: closeTokens(v.features)}
}

// soft are weighted strings with, for each token, those that are close to it.
type soft struct {
	*vectors
	near [][]neighbour
}

// neighbour is a close token.
type neighbour struct {
	token int32
	value float64
}

// closeTokens lists the close tokens of each token, itself included, ascending.
func closeTokens(features []string) [][]neighbour {
	near := make([][]neighbour, len(features))
	w := prepareJaroWinkler(features, nil).worker()
	for a := range features {
		for _, b := range w.candidates(a, softThreshold) {
			if int(b) < a {
				if value := w.compare(a, int(b)); value >= softThreshold {
					near[a] = append(near[a], neighbour{b, value})
					near[b] = append(near[b], neighbour{int32(a), value})
				}
			}
		}
	}
	for a := range near {
		near[a] = withSelf(near[a], int32(a))
	}
	return near
}

// withSelf inserts a token at its place among its neighbours.
func withSelf(near []neighbour, token int32) []neighbour {
	at := 0
	for at < len(near) && near[at].token < token {
		at++
	}
	near = append(near, neighbour{})
	copy(near[at+1:], near[at:])
	near[at] = neighbour{token, 1}
	return near
}

func (s *soft) worker() worker { return &softWorker{soft: s} }

type softWorker struct {
	*soft
	gathering
}

func (w *softWorker) compare(i, j int) float64 {
	sum := 0.0
	for k, o := range w.docs[i] {
		value, weight := w.closest(w.near[o.feature], j)
		sum += w.weights[i][k] * weight * value
	}
	return unit(sum)
}

// closest returns the similarity and the weight of string j's token that is the closest of near, the heavier one of two
// that are equally close; zeros if it has none of them.
func (w *softWorker) closest(near []neighbour, j int) (value, weight float64) {
	doc := w.docs[j]
	for p, q := 0, 0; p < len(near) && q < len(doc); {
		switch n := near[p]; {
		case n.token < doc[q].feature:
			p++
		case n.token > doc[q].feature:
			q++
		default:
			if own := w.weights[j][q]; n.value > value || n.value == value && own > weight {
				value, weight = n.value, own
			}
			p, q = p+1, q+1
		}
	}
	return value, weight
}

// candidates looks up tokens until those that remain cannot reach the threshold: each adds at most its own weight.
func (w *softWorker) candidates(i int, threshold float64) []int32 {
	w.reset(len(w.docs))
	rest := 0.0
	for _, weight := range w.weights[i] {
		rest += weight
	}
	for _, k := range w.order[i] {
		if rest+slack < threshold {
			break
		}
		for _, n := range w.near[w.docs[i][k].feature] {
			w.add(w.postings[n.token])
		}
		rest -= w.weights[i][k]
	}
	return w.found
}

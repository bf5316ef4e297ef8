package repro

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/paper/published"
)

// question is what there is to resolve about one kind of reference, with what was inferred.
type question struct {
	items  []published.Named
	values map[pair]float64 // by candidate pair
	truth  map[pair]bool    // the true pairs of different references
}

func (a *foldAnswer) authorQuestion() *question {
	return &question{a.AuthorName, a.sameAuthor, truePairs(a.SameAuthor)}
}

func (a *foldAnswer) paperQuestion() *question {
	return &question{a.PaperTitle, a.samePaper, truePairs(a.SamePaper)}
}

// truePairs makes unordered pairs of ordered ones, without those of a reference with itself.
func truePairs(ordered [][2]int) map[pair]bool {
	pairs := map[pair]bool{}
	for _, p := range ordered {
		if p[0] != p[1] {
			pairs[newPair(p[0], p[1])] = true
		}
	}
	return pairs
}

// resolve scores the answers of the test fold, with the threshold of the learning fold beside 1/2.
func resolve(test, learn *question) *Resolved {
	seen := map[int]bool{}
	for _, item := range learn.items {
		seen[item.ID] = true
	}
	r := &Resolved{Half: test.score(0.5, all), Threshold: learn.bestThreshold(),
		Unseen: test.score(0.5, func(p pair) bool { return !seen[p[0]] || !seen[p[1]] }),
		Pairs:  len(test.values), True: len(test.truth), Lost: test.lost()}
	r.Chosen = test.score(r.Threshold, all)
	found, truth := test.clusters(0.5)
	r.Clusters = eval.ScoreClusters(found, truth)
	r.entities = map[int]int32{}
	for i, item := range test.items {
		r.entities[item.ID] = found[i]
	}
	return r
}

func all(pair) bool { return true }

// score counts the pairs that are wanted.
func (q *question) score(threshold float64, wanted func(pair) bool) eval.PrecisionRecall {
	var hits, found, truth float64
	for p, value := range q.values {
		if value >= threshold && wanted(p) {
			found++
			if q.truth[p] {
				hits++
			}
		}
	}
	for p := range q.truth {
		if wanted(p) {
			truth++
		}
	}
	return eval.NewPrecisionRecall(hits, found, truth)
}

// bestThreshold is the value with the largest F1 when all pairs from it on are taken; of equals the largest.
func (q *question) bestThreshold() float64 {
	values := make([]eval.Pair, 0, len(q.values))
	for p, value := range q.values {
		hit := int32(0)
		if q.truth[p] {
			hit = 1
		}
		values = append(values, eval.Pair{A: hit, Value: value})
	}
	slices.SortFunc(values, func(a, b eval.Pair) int { return cmp.Compare(b.Value, a.Value) })
	best, threshold, hits := 0.0, 0.5, 0.0
	for k, v := range values {
		hits += float64(v.A)
		last := k+1 == len(values) || values[k+1].Value < v.Value
		if f1 := eval.NewPrecisionRecall(hits, float64(k+1), float64(len(q.truth))).F1; last && f1 > best {
			best, threshold = f1, v.Value
		}
	}
	return threshold
}

// lost is the share of the true pairs that are no candidates.
func (q *question) lost() float64 {
	lost := 0
	for p := range q.truth {
		if _, candidate := q.values[p]; !candidate {
			lost++
		}
	}
	return float64(lost) / float64(max(1, len(q.truth)))
}

// clusters returns each item's entity as inferred and as it is.
func (q *question) clusters(threshold float64) (found, truth []int32) {
	place := map[int]int32{}
	for i, item := range q.items {
		place[item.ID] = int32(i)
	}
	var inferred, real []eval.Pair
	for p, value := range q.values {
		inferred = append(inferred, eval.Pair{A: place[p[0]], B: place[p[1]], Value: value})
	}
	for p := range q.truth {
		real = append(real, eval.Pair{A: place[p[0]], B: place[p[1]], Value: 1})
	}
	return eval.Cluster(len(q.items), inferred, threshold), eval.Cluster(len(q.items), real, threshold)
}

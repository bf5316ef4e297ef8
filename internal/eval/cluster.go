package eval

import (
	"cmp"
	"slices"
)

// Pair is how surely two items, numbered from 0, are the same, in [0, 1].
type Pair struct {
	A, B  int32
	Value float64
}

// Cluster makes consistent clusters of pairwise answers, which need not be transitive: from the surest pair down, two
// clusters join if all pairs between them have a mean of at least the threshold, where a pair that is not listed counts
// as 0. It returns each of n items' cluster, numbered from 0 by first item. Each pair must be listed once.
func Cluster(n int, pairs []Pair, threshold float64) []int32 {
	c := newClusters(n, pairs)
	order := slices.Clone(pairs)
	slices.SortFunc(order, func(p, q Pair) int {
		return cmp.Or(cmp.Compare(q.Value, p.Value), cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
	})
	for _, p := range order {
		if p.Value < threshold {
			break
		}
		if a, b := c.of[p.A], c.of[p.B]; a != b && c.mean(a, b) >= threshold {
			c.join(a, b)
		}
	}
	return c.numbered()
}

// clusters are disjoint sets of items, named by one of their members.
type clusters struct {
	of      []int32
	members [][]int32
	// near holds each item's pairs.
	near []map[int32]float64
}

func newClusters(n int, pairs []Pair) *clusters {
	c := &clusters{of: make([]int32, n), members: make([][]int32, n), near: make([]map[int32]float64, n)}
	for i := range c.of {
		c.of[i], c.members[i], c.near[i] = int32(i), []int32{int32(i)}, map[int32]float64{}
	}
	for _, p := range pairs {
		c.near[p.A][p.B], c.near[p.B][p.A] = p.Value, p.Value
	}
	return c
}

// mean is that of all pairs between two clusters.
func (c *clusters) mean(a, b int32) float64 {
	sum := 0.0
	for _, i := range c.members[a] {
		for _, j := range c.members[b] {
			sum += c.near[i][j]
		}
	}
	return sum / float64(len(c.members[a])*len(c.members[b]))
}

// join moves the smaller cluster's items.
func (c *clusters) join(a, b int32) {
	if len(c.members[a]) < len(c.members[b]) {
		a, b = b, a
	}
	for _, i := range c.members[b] {
		c.of[i] = a
	}
	c.members[a] = append(c.members[a], c.members[b]...)
	c.members[b] = nil
}

// numbered names the clusters by 0, 1, … in the order of their first items.
func (c *clusters) numbered() []int32 {
	number := map[int32]int32{}
	out := make([]int32, len(c.of))
	for i, of := range c.of {
		if _, known := number[of]; !known {
			number[of] = int32(len(number))
		}
		out[i] = number[of]
	}
	return out
}

// ClusterScore compares clusters with the true ones: pairwise, which large clusters decide, and by B-cubed, the mean
// over the items of how much an item's cluster and its true cluster share (Bagga and Baldwin 1998).
type ClusterScore struct {
	Pairwise PrecisionRecall `json:"pairwise"`
	BCubed   PrecisionRecall `json:"b_cubed"`
	Clusters int             `json:"clusters"`
	True     int             `json:"true_clusters"`
}

// PrecisionRecall is a precision and a recall with their harmonic mean, F1. A ratio of 0 to 0 is 0.
type PrecisionRecall struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// NewPrecisionRecall computes the ratios of counts, or of sums.
func NewPrecisionRecall(hits, found, wanted float64) PrecisionRecall {
	return PrecisionRecall{divided(hits, found), divided(hits, wanted), divided(2*hits, found+wanted)}
}

func divided(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// ScoreClusters compares each item's cluster with its true one.
func ScoreClusters(found, truth []int32) ClusterScore {
	both, mine, theirs := map[[2]int32]float64{}, map[int32]float64{}, map[int32]float64{}
	for i := range found {
		both[[2]int32{found[i], truth[i]}]++
		mine[found[i]]++
		theirs[truth[i]]++
	}
	var precision, recall float64
	for i := range found {
		shared := both[[2]int32{found[i], truth[i]}]
		precision += shared / mine[found[i]]
		recall += shared / theirs[truth[i]]
	}
	n := float64(len(found))
	b := PrecisionRecall{Precision: divided(precision, n), Recall: divided(recall, n)}
	b.F1 = divided(2*b.Precision*b.Recall, b.Precision+b.Recall)
	return ClusterScore{
		Pairwise: NewPrecisionRecall(pairsWithin(both), pairsWithin(mine), pairsWithin(theirs)),
		BCubed:   b, Clusters: len(mine), True: len(theirs),
	}
}

// pairsWithin counts the unordered pairs of items that share a set.
func pairsWithin[K comparable](sizes map[K]float64) (pairs float64) {
	for _, n := range sizes {
		pairs += n * (n - 1) / 2
	}
	return pairs
}

package ldl

import (
	"math"
	"slices"
)

// quotient is the graph that elimination leaves, in little memory: a variable has variables and elements for
// neighbours, and an element, an eliminated variable, stands for a clique of the variables in its list. Variables with
// the same neighbours are one supervariable, and degrees are upper bounds that are cheap to keep.
type quotient struct {
	n      int
	pool   []int32 // all lists
	start  []int   // of each list
	length []int32 // of each list; of an element, of its variables
	// elements is the number of elements at the head of a variable's list.
	elements []int32
	// weight is the number of rows that a supervariable stands for: 0 if it was merged into another, negative while it
	// is in the clique at hand.
	weight []int32
	degree []int32
	kind   []uint8

	// The variables by degree: heads of lists, in both directions.
	head, next, previous []int32
	least                int32

	// mark is, of elements, stamp and the weight of those of its variables that are not in the clique at hand, alive or
	// more, and 0 if they are gone.
	mark    []int32
	stamp   int32
	largest int32    // degree of an element so far: marks are at most so much above their stamps
	hash    []uint32 // of the variables in the clique
	bucket  []int32  // by hash: the first variable
	chain   []int32  // the next variable in the bucket
	member  []int32  // the next row that the same pivot stands for
	tail    []int32  // the last one
	done    int
	flops   float64 // that eliminating what is done takes, to the leading order
	garbage int     // when the pool is this long, it is compacted
}

// The kinds of a node of the quotient graph.
const (
	variable uint8 = iota
	element
	gone // merged or absorbed
)

const nobody, alive = -1, 1

// between is how many rows are eliminated between two looks whether to stop.
const between = 256

// order returns the rows in the order of an approximate minimum degree; false if to eliminate them takes more flops, or
// if it was told to stop.
func order(p *Pattern, flops float64, stop func() bool) (rows []int32, ok bool) {
	q := newQuotient(p)
	out := make([]int32, 0, q.n)
	pivots := q.dense()
	out = q.leaves(out)
	for n := 0; q.done < q.n && q.flops+q.rest() <= flops; n++ {
		if stop != nil && n%between == 0 && stop() {
			return nil, false
		}
		out = q.appendMembers(out, q.eliminate())
	}
	for _, i := range pivots {
		out = q.appendMembers(out, i)
	}
	return out, q.done == q.n && q.flops <= flops
}

// rest is what eliminating the others takes at least, whatever the order, if degrees are what they are taken for: a
// graph of n rows, each with d neighbours or more, has nd/2 edges, which are all in the factor, and n columns with so
// many entries in all take at least the square of it divided by n. Graphs that fill up show so long before the pivots
// are reached that take most flops, and most of the time of ordering them.
func (q *quotient) rest() float64 {
	d := float64(q.least)
	return float64(q.n-q.done) * d * d / 4
}

func (q *quotient) appendMembers(out []int32, i int32) []int32 {
	for ; i != nobody; i = q.member[i] {
		out = append(out, i)
	}
	return out
}

func newQuotient(p *Pattern) *quotient {
	n := p.Size()
	vector := func(value int32) []int32 {
		v := make([]int32, n)
		for i := range v {
			v[i] = value
		}
		return v
	}
	q := &quotient{n: n, start: make([]int, n+1), length: vector(0), elements: vector(0), weight: vector(1),
		degree: vector(0), kind: make([]uint8, n), head: vector(nobody), next: vector(nobody), previous: vector(nobody),
		mark: vector(0), stamp: alive + 1, hash: make([]uint32, n), bucket: vector(nobody), chain: vector(nobody),
		member: vector(nobody), tail: vector(0)}
	for i := range q.tail {
		q.tail[i] = int32(i)
	}
	q.pool = symmetric(p, q.start, q.length)
	q.garbage = 2*len(q.pool) + 4*n
	copy(q.degree, q.length)
	return q
}

// symmetric returns the neighbours of all rows, and sets start and length to where they are.
func symmetric(p *Pattern, start []int, length []int32) []int32 {
	n := p.Size()
	for j := range n {
		for _, i := range p.Row[p.Start[j]:p.Start[j+1]] {
			length[i]++
			length[j]++
		}
	}
	total := 0
	for j := range n {
		start[j] = total
		total += int(length[j])
	}
	start[n] = total
	pool, at := make([]int32, total), slices.Clone(start)
	for j := range n {
		for _, i := range p.Row[p.Start[j]:p.Start[j+1]] {
			pool[at[j]] = i
			at[j]++
			pool[at[i]] = int32(j)
			at[i]++
		}
	}
	return pool
}

// dense takes rows with very many neighbours out of the graph, to be the last, and puts the others in their lists.
func (q *quotient) dense() (last []int32) {
	limit := int32(min(float64(q.n), max(16, 10*math.Sqrt(float64(q.n)))))
	for i := range int32(q.n) {
		if q.degree[i] > limit {
			last = append(last, i)
			q.weight[i], q.kind[i] = 0, gone
			q.done++
			continue
		}
		q.insert(i)
	}
	slices.SortStableFunc(last, func(a, b int32) int { return int(q.length[a]) - int(q.length[b]) })
	return last
}

// few is the number of neighbours that a leaf has at most, and longer how many times as many each of them has.
const few, longer = 16, 8

// leaves eliminates the rows with few neighbours all of which have many, such as the variables of long sums, at once:
// by minimum degree they come first whatever follows, but one by one each has its neighbours' lists gone through, which
// takes as long as the squares of the lists. They are no neighbours of each other.
func (q *quotient) leaves(out []int32) []int32 {
	first := len(out)
	for i := range int32(q.n) {
		if q.weight[i] == 0 || !q.leaf(i) {
			continue
		}
		q.remove(i)
		out = append(out, i)
		clique := q.list(i)[:0]
		for _, j := range q.list(i) {
			if q.weight[j] > 0 {
				clique = append(clique, j)
			}
		}
		q.kind[i], q.mark[i], q.weight[i] = element, alive, 0
		q.length[i], q.degree[i] = int32(len(clique)), int32(len(clique))
		if len(clique) == 0 {
			q.kind[i], q.mark[i] = gone, 0
		}
		q.done++
		q.flops += float64(len(clique)) * float64(len(clique))
	}
	if len(out) > first {
		q.largest = few
		q.surround()
	}
	return out
}

// leaf tells whether a row has few neighbours, each with many.
func (q *quotient) leaf(i int32) bool {
	if q.degree[i] > few {
		return false
	}
	for _, j := range q.list(i) {
		if q.weight[j] > 0 && q.degree[j] < longer*q.degree[i] {
			return false
		}
	}
	return true
}

// surround puts the elements that leaves has made at the heads of their variables' lists, and finds the degrees of
// these.
func (q *quotient) surround() {
	seen := make([]int32, q.n)
	for i := range int32(q.n) {
		if q.weight[i] == 0 {
			continue
		}
		list := q.list(i)
		elements, kept, degree := 0, 0, int32(0)
		seen[i] = i + 1
		count := func(j int32) {
			if seen[j] != i+1 {
				seen[j] = i + 1
				degree++
			}
		}
		for _, j := range list {
			switch {
			case q.kind[j] == element:
				list[kept] = list[elements]
				list[elements] = j
				elements++
				for _, k := range q.list(j) {
					count(k)
				}
			case q.weight[j] > 0:
				list[kept] = j
				count(j)
			default:
				continue
			}
			kept++
		}
		if elements == 0 {
			continue
		}
		q.remove(i)
		q.elements[i], q.length[i], q.degree[i] = int32(elements), int32(kept), degree
		q.insert(i)
	}
}

func (q *quotient) insert(i int32) {
	d := q.degree[i]
	q.previous[i], q.next[i] = nobody, q.head[d]
	if q.head[d] != nobody {
		q.previous[q.head[d]] = i
	}
	q.head[d] = i
	q.least = min(q.least, d)
}

func (q *quotient) remove(i int32) {
	if q.next[i] != nobody {
		q.previous[q.next[i]] = q.previous[i]
	}
	if q.previous[i] != nobody {
		q.next[q.previous[i]] = q.next[i]
	} else {
		q.head[q.degree[i]] = q.next[i]
	}
}

// eliminate eliminates a variable of least degree and returns it.
func (q *quotient) eliminate() int32 {
	for q.head[q.least] == nobody {
		q.least++
	}
	pivot := q.head[q.least]
	q.remove(pivot)
	weight := q.weight[pivot]
	q.done += int(weight)
	q.gather(pivot, weight)
	q.flops += float64(weight) * float64(q.degree[pivot]) * float64(q.degree[pivot])
	clique := q.list(pivot)
	q.measure(clique)
	absorbed := int32(0)
	for _, i := range clique {
		absorbed += q.update(i, pivot)
	}
	q.done += int(absorbed)
	q.degree[pivot] -= absorbed
	q.largest = max(q.largest, q.degree[pivot]+absorbed)
	q.stamp += q.largest + 1
	q.refresh()
	q.merge(clique)
	q.finish(pivot, clique)
	return pivot
}

func (q *quotient) list(i int32) []int32 { return q.pool[q.start[i] : q.start[i]+int(q.length[i])] }

// gather makes the pivot an element: the clique of its neighbours, whose weights it turns negative, and which leave
// their lists. Elements that it was a neighbour of are part of it.
func (q *quotient) gather(pivot, weight int32) {
	q.weight[pivot] = -weight
	if len(q.pool) > q.garbage {
		q.compact()
	}
	own, elements := q.start[pivot], int(q.elements[pivot])
	end := own + int(q.length[pivot])
	first, degree := len(q.pool), int32(0)
	take := func(from, to int) {
		for at := from; at < to; at++ {
			i := q.pool[at]
			if w := q.weight[i]; w > 0 {
				degree += w
				q.weight[i] = -w
				q.pool = append(q.pool, i)
				q.remove(i)
			}
		}
	}
	take(own+elements, end)
	for at := own; at < own+elements; at++ {
		e := q.pool[at]
		take(q.start[e], q.start[e]+int(q.length[e]))
		q.kind[e], q.mark[e] = gone, 0
	}
	q.kind[pivot], q.start[pivot], q.length[pivot] = element, first, int32(len(q.pool)-first)
	q.mark[pivot] = alive
	q.elements[pivot], q.degree[pivot] = 0, degree
}

// compact moves the lists that are still needed to the front of a new pool.
func (q *quotient) compact() {
	pool := make([]int32, 0, len(q.pool)/2)
	for i := range int32(q.n) {
		if q.kind[i] == gone || q.weight[i] == 0 && q.kind[i] == variable {
			continue
		}
		first := len(pool)
		pool = append(pool, q.list(i)...)
		q.start[i] = first
	}
	q.pool = pool
	q.garbage = max(q.garbage, 2*len(pool)+4*q.n)
}

// measure sets the marks of all elements around the clique: how much of each lies outside.
func (q *quotient) measure(clique []int32) {
	for _, i := range clique {
		w := -q.weight[i]
		for _, e := range q.pool[q.start[i] : q.start[i]+int(q.elements[i])] {
			if m := q.mark[e]; m >= q.stamp {
				q.mark[e] = m - w
			} else if m != 0 {
				q.mark[e] = q.degree[e] + q.stamp - w
			}
		}
	}
}

// update rewrites the list of a variable of the clique, computes its degree and its hash, and returns its weight if it
// has no neighbour outside of the clique: then it is eliminated with the pivot.
func (q *quotient) update(i, pivot int32) (absorbed int32) {
	list := q.list(i)
	kept, degree, sum := 0, int32(0), uint32(0)
	for _, e := range list[:q.elements[i]] {
		m := q.mark[e]
		if outside := m - q.stamp; outside > 0 {
			degree += outside
			list[kept] = e
			kept++
			sum += uint32(e)
		} else if m != 0 {
			q.kind[e], q.mark[e] = gone, 0 // the clique has all of it
		}
	}
	elements := kept
	for _, j := range list[q.elements[i]:] {
		if w := q.weight[j]; w > 0 {
			degree += w
			list[kept] = j
			kept++
			sum += uint32(j)
		}
	}
	if kept == 0 {
		weight := -q.weight[i]
		q.weight[i], q.kind[i] = 0, gone
		q.join(pivot, i)
		return weight
	}
	q.degree[i] = min(q.degree[i], degree)
	// There is room for the pivot: the list had it, or an element that it absorbed.
	list = list[:kept+1]
	list[kept] = list[elements]
	list[elements] = list[0]
	list[0] = pivot
	q.elements[i], q.length[i] = int32(elements+1), int32(kept+1)
	q.hash[i] = (sum + uint32(pivot)) % uint32(q.n)
	return 0
}

// join lets what i stands for follow what the pivot stands for.
func (q *quotient) join(pivot, i int32) {
	q.member[q.tail[pivot]] = i
	q.tail[pivot] = q.tail[i]
}

// refresh keeps the marks' stamps from overflowing.
func (q *quotient) refresh() {
	if q.stamp > math.MaxInt32/2 {
		for i, m := range q.mark {
			q.mark[i] = min(m, alive)
		}
		q.stamp = alive + 1
	}
}

// merge finds variables of the clique that have the same neighbours, and makes them one.
func (q *quotient) merge(clique []int32) {
	for _, i := range clique {
		if q.weight[i] < 0 {
			q.chain[i] = q.bucket[q.hash[i]]
			q.bucket[q.hash[i]] = i
		}
	}
	for _, i := range clique {
		if q.weight[i] == 0 {
			continue
		}
		first := q.bucket[q.hash[i]]
		q.bucket[q.hash[i]] = nobody
		for ; first != nobody && q.chain[first] != nobody; first = q.chain[first] {
			q.mergeInto(first)
		}
	}
}

// mergeInto merges the variables that follow i in its bucket into it, if they have its neighbours.
func (q *quotient) mergeInto(i int32) {
	own := q.list(i)
	for _, e := range own[1:] {
		q.mark[e] = q.stamp
	}
	last := i
	for j := q.chain[i]; j != nobody; j = q.chain[j] {
		if q.length[j] == q.length[i] && q.elements[j] == q.elements[i] && q.same(q.list(j)[1:]) {
			q.weight[i] += q.weight[j]
			q.weight[j], q.kind[j] = 0, gone
			q.join(i, j)
			q.chain[last] = q.chain[j]
		} else {
			last = j
		}
	}
	q.stamp++
}

// same tells whether all nodes are marked with the stamp.
func (q *quotient) same(nodes []int32) bool {
	for _, e := range nodes {
		if q.mark[e] != q.stamp {
			return false
		}
	}
	return true
}

// finish puts the variables of the clique back into the lists, by their new degrees.
func (q *quotient) finish(pivot int32, clique []int32) {
	kept, left := 0, int32(q.n-q.done)
	for _, i := range clique {
		w := -q.weight[i]
		if w <= 0 {
			continue
		}
		q.weight[i] = w
		q.degree[i] = max(0, min(q.degree[i]+q.degree[pivot]-w, left-w))
		q.insert(i)
		clique[kept] = i
		kept++
	}
	q.length[pivot] = int32(kept)
	q.weight[pivot] = 0
	if kept == 0 {
		q.kind[pivot], q.mark[pivot] = gone, 0
	}
	q.pool = q.pool[:q.start[pivot]+kept]
}

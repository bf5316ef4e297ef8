package presolve

import (
	"math"
	"slices"
)

// balance gives every tied variable the mean gradient of its group. The ties of a group are a tree: from its leaves on,
// each variable passes what it has too much to the next.
func (d *decisions) balance(g, restored []float64) {
	d.route(g, restored)
	if len(d.ties) == 0 {
		return
	}
	mean, size := make([]float64, len(g)), make([]float64, len(g))
	for i, v := range g {
		mean[d.twin(int32(i))] += v
		size[d.twin(int32(i))]++
	}
	degree, across := d.incidence()
	for k := range degree {
		for i := int32(k); degree[i] == 1; {
			e := across[i]
			t := d.ties[e]
			other, coef := t.k, t.coef
			if t.k == i {
				other, coef = t.i, -t.coef
			}
			root := d.twin(i)
			mu := (mean[root]/size[root] - g[i]) / coef
			restored[t.place] += mu
			g[i], g[other] = mean[root]/size[root], g[other]-mu*coef
			degree[i], degree[other] = 0, degree[other]-1
			across[other] ^= e
			i = other
		}
	}
}

// incidence returns the number of ties of each variable and the exclusive or of their numbers, which is the number of
// the last one when the others are taken away.
func (d *decisions) incidence() (degree []int32, across []int) {
	degree, across = make([]int32, len(d.lo)), make([]int, len(d.lo))
	for e, t := range d.ties {
		for _, i := range [...]int32{t.i, t.k} {
			degree[i]++
			across[i] ^= e
		}
	}
	return degree, across
}

// link is an order that says no more than y_from ≤ y_to, as the constraint coef·(y_from - y_to) ≤ 0.
type link struct {
	order
	coef float64
}

// circles are groups of variables that are equal, as orders lead from each to all others of its group: its strongly
// connected component (Sharir 1981).
type circles struct {
	// gather has a link to each variable of a group but one, and scatter a link from each: trees of ways from and to that
	// one, from there on.
	gather, scatter []link
	// twins leads to the variable that stands for those that equalities tie together; nil if none are.
	twins []int32
}

// circle makes the variables of each circle one.
func (d *decisions) circle() {
	n := d.field.Model.Variables
	all := slices.DeleteFunc(d.orders(), func(o order) bool { return !o.leads || !o.goes })
	rank := ranks(all, n)
	all = slices.DeleteFunc(all, func(o order) bool { return rank[o.from] >= 0 || rank[o.to] >= 0 })
	if len(all) == 0 {
		return
	}
	ahead, behind := newWeb(all, n, true), newWeb(all, n, false)
	group := make([]int32, n) // of each variable: the one that its circle was found from, plus one
	var gather, scatter []order
	for _, i := range slices.Backward(ahead.finished()) {
		if group[i] == 0 {
			scatter = behind.search(i, scatter, func(k int32) bool { return enter(&group[k], 0, i+1) })
		}
	}
	for i := range group {
		if root := int32(i); group[i] == root+1 {
			gather = ahead.search(root, gather, func(k int32) bool { return enter(&group[k], root+1, -1) })
		}
	}
	d.twins = slices.Clone(d.parent)
	d.gather, d.scatter = d.links(gather), d.links(scatter)
	for _, l := range d.scatter {
		d.join(l.from, l.to)
	}
}

// enter changes a mark, and tells whether it was what it has to be.
func enter(mark *int32, from, to int32) bool {
	if *mark != from {
		return false
	}
	*mark = to
	return true
}

// links finds the coefficients of orders.
func (d *decisions) links(orders []order) (links []link) {
	var r row
	for _, o := range orders {
		k, j := d.locate(o.place)
		d.normalise(d.field.Model.Blocks[k], j, 0, &r)
		links = append(links, link{o, math.Abs(r.coef[0])})
	}
	return links
}

// web has orders by the variables that they lead from, or to.
type web struct {
	start  []int32
	orders []order
	ahead  bool
}

func newWeb(all []order, variables int, ahead bool) *web {
	w := &web{start: make([]int32, variables+1), orders: make([]order, len(all)), ahead: ahead}
	for _, o := range all {
		near, _ := w.ends(o)
		w.start[near+1]++
	}
	for i := range variables {
		w.start[i+1] += w.start[i]
	}
	at := slices.Clone(w.start)
	for _, o := range all {
		near, _ := w.ends(o)
		w.orders[at[near]] = o
		at[near]++
	}
	return w
}

// ends are the variable by which an order is found, and the other one.
func (w *web) ends(o order) (near, far int32) {
	if w.ahead {
		return o.from, o.to
	}
	return o.to, o.from
}

// finished lists the variables in the order in which a depth-first search leaves them.
func (w *web) finished() (out []int32) {
	next, seen := slices.Clone(w.start), make([]bool, len(w.start)-1)
	var stack []int32
	for i := range seen {
		if seen[i] || w.start[i] == w.start[i+1] {
			continue
		}
		seen[i], stack = true, append(stack, int32(i))
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			if next[k] == w.start[k+1] {
				out, stack = append(out, k), stack[:len(stack)-1]
				continue
			}
			_, far := w.ends(w.orders[next[k]])
			if next[k]++; !seen[far] {
				seen[far], stack = true, append(stack, far)
			}
		}
	}
	return out
}

// search appends the tree of orders by which a breadth-first search enters variables.
func (w *web) search(root int32, tree []order, enter func(i int32) bool) []order {
	if !enter(root) {
		return tree
	}
	first := len(tree)
	for k, i := first, root; ; k++ {
		for _, o := range w.orders[w.start[i]:w.start[i+1]] {
			if _, far := w.ends(o); enter(far) {
				tree = append(tree, o)
			}
		}
		if k == len(tree) {
			return tree
		}
		_, i = w.ends(tree[k])
	}
}

// twin returns the variable that stands for those that equalities tie to i.
func (d *decisions) twin(i int32) int32 {
	if d.twins == nil {
		return i
	}
	return d.twins[i]
}

// route has the variables of circles hand on what their gradient is more than its mean over the circle: along the links
// that lead to them to where these come from, and from there to those that lack it. No multiplier is less than 0.
func (d *decisions) route(g, restored []float64) {
	if len(d.gather) == 0 {
		return
	}
	whole, size, count := d.slopes(g), make([]float64, len(g)), make([]float64, len(g))
	excess, lack := make([]float64, len(g)), make([]float64, len(g))
	for v := range g {
		i := int32(v)
		excess[d.twin(i)] += g[v]
		size[d.twin(i)]++
		count[d.root(i)]++
	}
	for v := range g {
		if i := int32(v); d.twin(i) == i {
			excess[v] -= whole[d.root(i)] * (size[v] / count[d.root(i)])
			excess[v], lack[v] = max(excess[v], 0), max(-excess[v], 0)
		}
	}
	for _, l := range slices.Backward(d.gather) {
		d.push(l.place, excess[l.to]/l.coef, whole, g, restored)
		excess[l.from] += excess[l.to]
	}
	for _, l := range slices.Backward(d.scatter) {
		d.push(l.place, lack[l.from]/l.coef, whole, g, restored)
		lack[l.to] += lack[l.from]
	}
}

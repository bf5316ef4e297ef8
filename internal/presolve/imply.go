package presolve

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// An order is a constraint y_from + c ≤ y_to. It leads on where c is at least 0, and may go where it is at most 0: what
// leads from one variable to another implies it.
type order struct {
	from, to, place int32
	leads, goes     bool
}

// imply finds the orders that others imply, along a path of those that lead: what is left is the transitive reduction
// (Aho, Garey and Ullman 1972), but for cycles, which are left alone with what is behind them.
func (d *decisions) imply() {
	all := d.orders()
	if !slices.ContainsFunc(all, func(o order) bool { return o.goes }) {
		return
	}
	d.implied = bitset.New(d.field.Model.Potentials())
	rank := ranks(all, d.field.Model.Variables)
	all = slices.DeleteFunc(all, func(o order) bool { return rank[o.from] < 0 || rank[o.to] < 0 })
	for k := range all {
		all[k].from, all[k].to = rank[all[k].from], rank[all[k].to]
	}
	for _, p := range poset(all, d.field.Model.Variables) {
		p.reduce(d.implied, d.stop)
	}
}

// orders lists them.
func (d *decisions) orders() []order {
	m := d.field.Model
	wanted := pieces(m, func(b *mrf.Block) bool {
		return b.Kind == mrf.LessEqual && (b.VarStart != nil || len(b.Coef) == 2)
	})
	found := make([][]order, len(wanted))
	parallel.For(d.field.Threads, len(wanted), func(task int) {
		first := d.first[wanted[task].k]
		d.rows(wanted[task], func(j int, _ float64, r *row) {
			if len(r.vars) != 2 || r.coef[0] != -r.coef[1] || r.largest() <= 0 {
				return
			}
			o := order{r.vars[0], r.vars[1], int32(first + j), r.constant >= 0, r.constant <= 0}
			if r.coef[0] < 0 {
				o.from, o.to = o.to, o.from
			}
			found[task] = append(found[task], o)
		})
	})
	return slices.Concat(found...)
}

// ranks numbers variables so that each is before those that orders lead to; what has none is on a cycle or behind one.
func ranks(all []order, variables int) []int32 {
	start, before := make([]int32, variables+1), make([]int32, variables)
	for _, o := range all {
		if o.leads {
			start[o.from+1]++
			before[o.to]++
		}
	}
	for i := range variables {
		start[i+1] += start[i]
	}
	next, at := make([]int32, start[variables]), slices.Clone(start)
	for _, o := range all {
		if o.leads {
			next[at[o.from]] = o.to
			at[o.from]++
		}
	}
	rank, queue := make([]int32, variables), make([]int32, 0, variables)
	for i := range rank {
		if rank[i] = -1; before[i] == 0 {
			queue = append(queue, int32(i))
		}
	}
	for k := 0; k < len(queue); k++ {
		i := queue[k]
		rank[i] = int32(k)
		for _, to := range next[start[i]:start[i+1]] {
			if before[to]--; before[to] == 0 {
				queue = append(queue, to)
			}
		}
	}
	return rank
}

// partial is a part of the orders that shares no variable with others, sorted by where they begin; variables are
// numbered in it, in the order of their ranks.
type partial struct {
	orders    []order
	variables int
}

// large is how many variables a part has at most that is reduced: each of its orders takes a word for 64 of these.
const large = 1 << 18

// poset sorts orders into parts. A tree implies nothing.
func poset(all []order, variables int) (parts []partial) {
	groups := forest.New(variables)
	for _, o := range all {
		groups.Join(o.from, o.to)
	}
	of, count := groups.Number()
	size, orders, local := make([]int32, count), make([]int32, count), make([]int32, variables)
	for i, group := range of {
		local[i] = size[group]
		size[group]++
	}
	for _, o := range all {
		orders[of[o.from]]++
	}
	all = slices.DeleteFunc(all, func(o order) bool {
		group := of[o.from]
		return orders[group] < size[group] || size[group] > large
	})
	slices.SortFunc(all, func(a, b order) int { return cmp.Or(cmp.Compare(of[a.from], of[b.from]), a.compare(&b)) })
	for len(all) > 0 {
		group := of[all[0].from]
		p := partial{all[:orders[group]], int(size[group])}
		for k := range p.orders {
			o := &p.orders[k]
			o.from, o.to = local[o.from], local[o.to]
		}
		parts, all = append(parts, p), all[orders[group]:]
	}
	return parts
}

// compare puts orders of a variable that lead first, to the nearest ones; of those to one, the one that stays.
func (o *order) compare(p *order) int {
	return cmp.Or(cmp.Compare(o.from, p.from), cmp.Compare(turn(!o.leads), turn(!p.leads)), cmp.Compare(o.to, p.to),
		cmp.Compare(turn(o.goes), turn(p.goes)), cmp.Compare(o.place, p.place))
}

// turn is 1 for what comes later.
func turn(later bool) int {
	if later {
		return 1
	}
	return 0
}

// breadth is for how many words of variables at a time it is found out what leads to them.
const breadth = 32

// reduce adds to a set the places of the orders that others of the part imply.
func (p *partial) reduce(implied bitset.Set, stop func() bool) {
	w := window{words: min(breadth, p.variables/64+1)}
	w.reached = make([]uint64, p.variables*w.words)
	for ; w.lo < p.variables && !stop(); w.lo = w.hi {
		w.hi = w.lo + 64*w.words
		clear(w.reached)
		for end := len(p.orders); end > 0; {
			begin := end - 1
			for begin > 0 && p.orders[begin-1].from == p.orders[begin].from {
				begin--
			}
			w.follow(p.orders[begin:end], implied)
			end = begin
		}
	}
}

// window is what of the variables from lo to hi, a bit each, orders lead to from each variable.
type window struct {
	lo, hi, words int
	reached       []uint64
}

// of are the bits of a variable.
func (w *window) of(i int32) bitset.Set { return w.reached[int(i)*w.words : (int(i)+1)*w.words] }

// follow finds what the orders of a variable lead to, once that is known of the variables behind it, and adds those to
// a set that others imply.
func (w *window) follow(orders []order, implied bitset.Set) {
	own := w.of(orders[0].from)
	for _, o := range orders {
		at := int(o.to) - w.lo
		within := at >= 0 && int(o.to) < w.hi
		if within && o.goes && own.Has(at) {
			implied.Add(int(o.place))
			continue
		}
		if !o.leads || int(o.to) >= w.hi {
			continue
		}
		for k, bits := range w.of(o.to) {
			own[k] |= bits
		}
		if within {
			own.Add(at)
		}
	}
}

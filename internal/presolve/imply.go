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

// large is how many variables a part has at most that is reduced: it takes a word of 64 bits for each order and 64 of
// them.
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

// compare puts orders that lead first, and what leads the least far.
func (o *order) compare(p *order) int {
	return cmp.Or(cmp.Compare(o.from, p.from), compareBool(p.leads, o.leads), cmp.Compare(o.to, p.to),
		compareBool(o.goes, p.goes), cmp.Compare(o.place, p.place))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// breadth is for how many words of variables at a time it is found out what leads to them.
const breadth = 32

// reduce adds to a set the places of the orders that others of the part imply.
func (p *partial) reduce(implied bitset.Set, stop func() bool) {
	words := min(breadth, p.variables/64+1)
	reached := make([]uint64, p.variables*words)
	for lo := 0; lo < p.variables && !stop(); lo += 64 * words {
		hi := min(p.variables, lo+64*words)
		clear(reached)
		row := func(i int32) bitset.Set { return reached[int(i)*words : (int(i)+1)*words] }
		for end := len(p.orders); end > 0; {
			i, begin := p.orders[end-1].from, end
			for begin > 0 && p.orders[begin-1].from == i {
				begin--
			}
			own := row(i)
			for _, o := range p.orders[begin:end] {
				within := int(o.to) >= lo && int(o.to) < hi
				switch {
				case within && o.goes && own.Has(int(o.to)-lo):
					implied.Add(int(o.place))
				case o.leads && int(o.to) < hi:
					for k, bits := range row(o.to) {
						own[k] |= bits
					}
					if within {
						own.Add(int(o.to) - lo)
					}
				}
			}
			end = begin
		}
	}
}

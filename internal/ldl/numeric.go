package ldl

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Factor factors the matrix with this diagonal and these numbers at the pattern's places. Pivots that rounding leaves
// nothing of, or turns to the wrong sign, are taken for infinite: the solution is 0 there. It returns how many were.
// Now and then it asks stop, if there is one, from several goroutines, and leaves off if told to: then it is not whole,
// and there is nothing to solve with.
func (f *Factor) Factor(diagonal, numbers []float64, stop func() bool) (lost int, whole bool) {
	f.clock = clock{stop: stop}
	for i, v := range diagonal {
		f.diagonal[f.s.tree.place[i]] = v
	}
	parallel.For(f.threads, len(f.groups), func(n int) { f.factorGroup(&f.groups[n], numbers, 1) })
	f.factorGroup(&f.rest, numbers, f.threads)
	for n := range f.groups {
		lost += f.groups[n].lost
	}
	return lost + f.rest.lost, !f.clock.over.Load()
}

// Pivot returns the entry of D of a row of the matrix. One that was lost is infinite, and has the sign that it should.
func (f *Factor) Pivot(row int) float64 {
	place := int(f.s.tree.place[row])
	k, found := slices.BinarySearchFunc(f.s.fronts, place, func(fr front, at int) int { return cmp.Compare(fr.first, at) })
	if !found {
		k--
	}
	fr := &f.s.fronts[k]
	return f.numbers[f.layout[k].panel+(place-fr.first)*(fr.order+1)]
}

// factorGroup factors the fronts of a group, in their order.
func (f *Factor) factorGroup(g *group, numbers []float64, threads int) {
	g.lost = 0
	g.work.threads, g.work.clock = threads, &f.clock
	var top [2]int
	for _, k := range g.fronts {
		fr, l := &f.s.fronts[k], &f.layout[k]
		if g.work.ends(float64(fr.width) * float64(fr.order) * float64(fr.order)) {
			return
		}
		below, own := fr.below(), l.stack
		if !fr.thin() {
			f.updates[k] = g.stacks[own][top[own] : top[own]+below*below]
			clearLower(f.updates[k], below, below)
		}
		if !f.early[k] {
			f.write(k, numbers)
			top[1-own] -= f.gather(k)
		}
		panel, last := f.panel(k), fr.first+fr.width
		g.lost += g.work.factor(panel, fr.order, fr.width, f.diagonal[fr.first:last], f.sign[fr.first:last])
		if below > 0 && !fr.thin() {
			g.work.downdate(panel, fr.order, fr.width, f.updates[k])
		}
		up := fr.parent
		if up == nobody || !f.early[up] {
			top[own] += int(fr.update())
			continue
		}
		if f.s.fronts[up].children[0] == k {
			f.write(up, numbers)
		}
		f.add(k, up)
	}
}

// gather adds to a front what its children leave, and returns how much of that lay on the stack of its group.
func (f *Factor) gather(k int32) (size int) {
	for _, c := range f.s.fronts[k].children {
		f.add(c, k)
		if f.home[c] == f.home[k] {
			size += int(f.s.fronts[c].update())
		}
	}
	return size
}

// panel is the columns of a front.
func (f *Factor) panel(k int32) []float64 {
	fr, first := &f.s.fronts[k], f.layout[k].panel
	return f.numbers[first : first+fr.width*fr.order]
}

// clearLower makes the lower part of so many columns 0, of so many numbers each. What is above is never looked at.
func clearLower(columns []float64, count, order int) {
	for c := range count {
		clear(columns[c*order+c : (c+1)*order])
	}
}

// write writes what the matrix has in a front.
func (f *Factor) write(k int32, numbers []float64) {
	fr, panel := &f.s.fronts[k], f.panel(k)
	clear(panel)
	for c, v := range f.diagonal[fr.first : fr.first+fr.width] {
		panel[c*(fr.order+1)] = v
	}
	first, last := f.layout[k].source, f.layout[k+1].source
	targets := f.targets[first:last]
	for n, e := range f.sources[first:last] {
		panel[targets[n]] = numbers[e]
	}
}

// add adds to the front of its parent what a child leaves.
func (f *Factor) add(child, parent int32) {
	add := f.assemble
	if f.s.fronts[child].thin() {
		add = f.assembleThin
	}
	add(child, f.panel(parent), f.updates[parent], &f.s.fronts[parent])
}

// assemble adds the update of a child to the front of its parent, below the diagonal.
func (f *Factor) assemble(child int32, panel, update []float64, parent *front) {
	c, u := &f.s.fronts[child], f.updates[child]
	below, at := c.below(), f.layout[child].relative
	relative := f.relative[at : at+below]
	for k, column := range relative {
		from := u[k*below : (k+1)*below]
		var to []float64
		if w := parent.width; int(column) < w {
			to = panel[int(column)*parent.order : (int(column)+1)*parent.order]
			for n := k; n < below; n++ {
				to[relative[n]] += from[n]
			}
		} else {
			size := parent.below()
			to = update[(int(column)-w)*size : (int(column)-w+1)*size]
			for n := k; n < below; n++ {
				to[int(relative[n])-w] += from[n]
			}
		}
	}
}

// assembleThin does what assemble does, from the columns of a child that has left no update.
func (f *Factor) assembleThin(child int32, panel, update []float64, parent *front) {
	c, l := &f.s.fronts[child], f.layout[child]
	below, size := c.below(), parent.below()
	relative := f.relative[l.relative : l.relative+below]
	for j := range c.width {
		column := f.numbers[l.panel+j*c.order : l.panel+(j+1)*c.order]
		pivot, low := column[j], column[c.width:]
		for k, a := range relative {
			v := low[k] * pivot
			if v == 0 {
				continue
			}
			rest, places := low[k:], relative[k:]
			if w := parent.width; int(a) < w {
				to := panel[int(a)*parent.order : (int(a)+1)*parent.order]
				for n, i := range places {
					to[i] -= rest[n] * v
				}
			} else {
				to := update[(int(a)-w)*size : (int(a)-w+1)*size]
				for n, i := range places {
					to[int(i)-w] -= rest[n] * v
				}
			}
		}
	}
}

// Solve replaces b, by rows of the matrix, by the solution.
func (f *Factor) Solve(b []float64) {
	place, x := f.s.tree.place, f.x
	for i, k := range place {
		x[k] = b[i]
	}
	for k := range f.s.fronts {
		f.forward(k, x)
	}
	for k := len(f.s.fronts) - 1; k >= 0; k-- {
		f.backward(k, x)
	}
	for i, k := range place {
		b[i] = x[k]
	}
}

// forward solves with L, front by front, and divides by D.
func (f *Factor) forward(k int, x []float64) {
	fr, l := &f.s.fronts[k], &f.layout[k]
	own := x[fr.first : fr.first+fr.width]
	if !slices.ContainsFunc(own, func(v float64) bool { return v != 0 }) {
		return
	}
	panel := f.numbers[l.panel : l.panel+fr.width*fr.order]
	rows := f.rows[l.rows+fr.width : l.rows+fr.order]
	if len(rows) < wide {
		for c, v := range own {
			column := panel[c*fr.order : (c+1)*fr.order]
			if rest := own[c+1:]; len(rest) >= wide {
				kernel.SubtractMultiple(rest, column[c+1:fr.width], v)
			} else {
				for n, a := range column[c+1 : fr.width] {
					rest[n] -= float64(a * v)
				}
			}
			low := column[fr.width:]
			for n, i := range rows {
				x[i] -= float64(low[n] * v)
			}
			own[c] = v / column[c]
		}
		return
	}
	part := f.collect(rows, x)
	for c, v := range own {
		column := panel[c*fr.order : (c+1)*fr.order]
		kernel.SubtractMultiple(own[c+1:], column[c+1:fr.width], v)
		kernel.SubtractMultiple(part, column[fr.width:], v)
		own[c] = v / column[c]
	}
	for n, i := range rows {
		x[i] = part[n]
	}
}

// wide is the number of rows below a front from which on their part of a vector is copied while columns are gone
// through.
const wide = 8

// collect copies the part of a vector that some rows have.
func (f *Factor) collect(rows []int32, x []float64) []float64 {
	part := f.part[:len(rows)]
	for n, i := range rows {
		part[n] = x[i]
	}
	return part
}

// backward solves with Lᵀ. What columns have below their front is summed up for four of them side by side.
func (f *Factor) backward(k int, x []float64) {
	fr, l := &f.s.fronts[k], &f.layout[k]
	own := x[fr.first : fr.first+fr.width]
	panel := f.numbers[l.panel : l.panel+fr.width*fr.order]
	part := f.collect(f.rows[l.rows+fr.width:l.rows+fr.order], x)
	c, w := fr.width-1, fr.width
	for ; c >= 3; c -= 4 {
		low := func(back int) []float64 { return panel[(c-back)*fr.order+w : (c-back+1)*fr.order] }
		own[c], own[c-1], own[c-2], own[c-3] = subtractProducts(part, low(0), low(1), low(2), low(3),
			own[c], own[c-1], own[c-2], own[c-3])
		for back := range 4 {
			finish(own, panel[(c-back)*fr.order:], c-back)
		}
	}
	for ; c >= 0; c-- {
		low := panel[c*fr.order+w : (c+1)*fr.order]
		sum := own[c]
		for n, v := range part {
			sum -= float64(low[n] * v)
		}
		own[c] = sum
		finish(own, panel[c*fr.order:], c)
	}
}

// finish subtracts from a front's unknown what the columns right of its own add, which are known.
func finish(own, column []float64, c int) {
	sum, column := own[c], column[:len(own)]
	for n := c + 1; n < len(own); n++ {
		sum -= float64(column[n] * own[n])
	}
	own[c] = sum
}

// subtractProducts subtracts from four numbers the inner products of a vector with four others.
func subtractProducts(v, a, b, c, d []float64, p, q, r, s float64) (float64, float64, float64, float64) {
	a, b, c, d = a[:len(v)], b[:len(v)], c[:len(v)], d[:len(v)]
	for n, x := range v {
		p -= float64(a[n] * x)
		q -= float64(b[n] * x)
		r -= float64(c[n] * x)
		s -= float64(d[n] * x)
	}
	return p, q, r, s
}

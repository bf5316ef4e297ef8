package ldl

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Factor factors the matrix with this diagonal and these numbers at the pattern's places. Pivots that rounding leaves
// nothing of, or turns to the wrong sign, are taken for infinite: the solution is 0 there. It returns how many were.
func (f *Factor) Factor(diagonal, numbers []float64) (lost int) {
	clear(f.numbers)
	for i, v := range diagonal {
		f.numbers[f.targets[i]] += v
		f.whole[f.s.tree.place[i]] = math.Abs(v)
	}
	targets := f.targets[len(diagonal):]
	for e, v := range numbers {
		f.numbers[targets[e]] += v
	}
	parallel.For(f.threads, len(f.groups), func(n int) { f.factorGroup(&f.groups[n], 1) })
	f.factorGroup(&f.rest, f.threads)
	for n := range f.groups {
		lost += f.groups[n].lost
	}
	return lost + f.rest.lost
}

// Pivot returns the entry of D of a row of the matrix. One that was lost is infinite, and has the sign that it should.
func (f *Factor) Pivot(row int) float64 { return f.numbers[f.targets[row]] }

// factorGroup factors the fronts of a group, in their order.
func (f *Factor) factorGroup(g *group, threads int) {
	g.lost = 0
	g.work.threads = threads
	top := 0
	for _, k := range g.fronts {
		fr, l := &f.s.fronts[k], f.layout[k]
		below := fr.below()
		var update []float64
		if !fr.thin() {
			update = g.stack[top : top+below*below]
			clear(update)
		}
		panel := f.numbers[l.panel : l.panel+fr.width*fr.order]
		for _, c := range fr.children {
			if f.s.fronts[c].thin() {
				f.assembleThin(c, panel, update, fr)
				continue
			}
			f.assemble(c, panel, update, fr)
			if f.home[c] == f.home[k] {
				top -= len(f.updates[c])
			}
		}
		last := fr.first + fr.width
		g.lost += g.work.factor(panel, fr.order, fr.width, f.whole[fr.first:last], f.sign[fr.first:last])
		if fr.thin() {
			continue
		}
		if below > 0 {
			g.work.downdate(panel, fr.order, fr.width, update)
		}
		f.updates[k] = g.stack[top : top+len(update)]
		if len(fr.children) > 0 { // whose updates it takes the place of
			copy(f.updates[k], update)
		}
		top += len(update)
	}
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
	fr, l := &f.s.fronts[k], f.layout[k]
	own := x[fr.first : fr.first+fr.width]
	panel := f.numbers[l.panel : l.panel+fr.width*fr.order]
	rows := f.rows[l.rows+fr.width : l.rows+fr.order]
	for c, v := range own {
		column := panel[c*fr.order : (c+1)*fr.order]
		for n := c + 1; n < fr.width; n++ {
			own[n] -= column[n] * v
		}
		low := column[fr.width:]
		for n, i := range rows {
			x[i] -= low[n] * v
		}
		own[c] = v / column[c]
	}
}

// backward solves with Lᵀ.
func (f *Factor) backward(k int, x []float64) {
	fr, l := &f.s.fronts[k], f.layout[k]
	own := x[fr.first : fr.first+fr.width]
	panel := f.numbers[l.panel : l.panel+fr.width*fr.order]
	rows := f.rows[l.rows+fr.width : l.rows+fr.order]
	for c := fr.width - 1; c >= 0; c-- {
		column := panel[c*fr.order : (c+1)*fr.order]
		low := column[fr.width:]
		sum := own[c]
		for n, i := range rows {
			sum -= low[n] * x[i]
		}
		for n := c + 1; n < fr.width; n++ {
			sum -= column[n] * own[n]
		}
		own[c] = sum
	}
}

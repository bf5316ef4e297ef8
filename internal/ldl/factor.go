package ldl

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Factor is a factorisation and its memory, for matrices of one pattern.
type Factor struct {
	s        *Symbolic
	rows     []int32   // of all fronts, one after the other, in places: their own columns first, then ascending
	relative []int32   // of each row below a front's columns, its number in the parent's rows
	layout   []layout  // of the fronts
	sources  []int32   // the pattern's entries, front by front
	targets  []int     // where they go in its panel
	numbers  []float64 // the panels, by columns: L below the diagonal, D on it
	diagonal []float64 // of the matrix, by place
	sign     []float64 // by place
	updates  [][]float64
	x        []float64 // a vector in places
	part     []float64 // of it: what a front has below
	groups   []group
	rest     group   // the fronts above all groups
	home     []int32 // the group of each front, nobody for the rest
	early    []bool  // of the fronts, those that are begun with the first of their children
	threads  int
	clock    clock
}

// layout says where a front lies, and which of two stacks its update is on: another one than those of its children,
// from which it is made.
type layout struct{ rows, relative, panel, source, stack int }

// group is fronts in postorder, with the memory that factoring them takes.
type group struct {
	fronts []int32
	stacks [2][]float64
	work   dense
	lost   int // pivots
}

// NewFactor makes room for factors of matrices with the pattern. signs tells which pivots are negative.
func NewFactor(s *Symbolic, negative []bool, threads int) *Factor {
	n := len(s.tree.place)
	f := &Factor{s: s, layout: make([]layout, len(s.fronts)+1), sources: make([]int32, len(s.pattern.Row)),
		targets: make([]int, len(s.pattern.Row)), numbers: make([]float64, int(s.Entries)),
		diagonal: make([]float64, n), sign: make([]float64, n),
		updates: make([][]float64, len(s.fronts)), x: make([]float64, n), threads: parallel.Threads(threads)}
	for i, k := range s.tree.place {
		f.sign[k] = 1
		if negative[i] {
			f.sign[k] = -1
		}
	}
	f.lay()
	f.aim()
	below := 0
	for k := range s.fronts {
		below = max(below, s.fronts[k].below())
	}
	f.part = make([]float64, below)
	f.share()
	return f
}

// lay finds the rows of all fronts.
func (f *Factor) lay() {
	t := f.s.tree
	total, relative := 0, 0
	for k := range f.s.fronts {
		total += f.s.fronts[k].order
		relative += f.s.fronts[k].below()
	}
	f.rows, f.relative = make([]int32, 0, total), make([]int32, relative)
	mark := make([]int32, len(t.place))
	panel, at := 0, 0
	for k := range f.s.fronts {
		fr := &f.s.fronts[k]
		f.layout[k] = layout{rows: len(f.rows), relative: at, panel: panel}
		panel += fr.width * fr.order
		at += fr.below()
		last := fr.first + fr.width
		for c := fr.first; c < last; c++ {
			f.rows = append(f.rows, int32(c))
		}
		add := func(rows []int32) {
			for _, i := range rows {
				if int(i) >= last && mark[i] != int32(k)+1 {
					mark[i] = int32(k) + 1
					f.rows = append(f.rows, i)
				}
			}
		}
		for c := fr.first; c < last; c++ {
			add(t.column(c))
		}
		for _, c := range fr.children {
			add(f.below(c))
		}
		below := f.rows[f.layout[k].rows+fr.width:]
		if len(below) != fr.below() {
			panic("ldl: a front has other rows than were counted")
		}
		slices.Sort(below)
	}
	f.relate()
}

// below returns the rows below the columns of a front.
func (f *Factor) below(k int32) []int32 {
	fr, first := &f.s.fronts[k], f.layout[k].rows
	return f.rows[first+fr.width : first+fr.order]
}

// relate finds the places of the fronts' rows in their parents'.
func (f *Factor) relate() {
	place := make([]int32, len(f.s.tree.place))
	for k := range f.s.fronts {
		fr := &f.s.fronts[k]
		if len(fr.children) == 0 {
			continue
		}
		for n, i := range f.rows[f.layout[k].rows : f.layout[k].rows+fr.order] {
			place[i] = int32(n)
		}
		for _, c := range fr.children {
			out := f.relative[f.layout[c].relative:]
			for n, i := range f.below(c) {
				out[n] = place[i]
			}
		}
	}
}

// aim finds where the numbers of the matrix go.
func (f *Factor) aim() {
	p, place := f.s.pattern, f.s.tree.place
	of := make([]int32, len(place))
	for k := range f.s.fronts {
		for c := range f.s.fronts[k].width {
			of[f.s.fronts[k].first+c] = int32(k)
		}
	}
	each := func(visit func(e int, column, row int32)) {
		for j := range p.Size() {
			for e := p.Start[j]; e < p.Start[j+1]; e++ {
				a, b := place[j], place[p.Row[e]]
				visit(e, min(a, b), max(a, b))
			}
		}
	}
	each(func(_ int, column, _ int32) { f.layout[of[column]+1].source++ })
	for k := range f.s.fronts {
		f.layout[k+1].source += f.layout[k].source
	}
	at := make([]int, len(f.s.fronts))
	for k := range at {
		at[k] = f.layout[k].source
	}
	each(func(e int, column, row int32) {
		k := of[column]
		fr := &f.s.fronts[k]
		line := int(row) - fr.first
		if line >= fr.width {
			below, _ := slices.BinarySearch(f.below(k), row)
			line = fr.width + below
		}
		f.sources[at[k]], f.targets[at[k]] = int32(e), (int(column)-fr.first)*fr.order+line
		at[k]++
	})
}

// pieces is about how many groups of fronts the work is cut into, and shareable the flops from which that is done.
const (
	pieces    = 16
	shareable = 1e6
)

// share deals out the fronts to groups: for several threads, those of parts of the tree, and for one all of them in
// their order, where hardly any update waits long for its parent.
func (f *Factor) share() {
	fronts := f.s.fronts
	for k := len(fronts) - 1; k >= 0; k-- {
		if up := fronts[k].parent; up != nobody {
			f.layout[k].stack = 1 - f.layout[up].stack
		}
	}
	if f.threads > 1 {
		f.split()
	} else {
		for k := len(fronts) - 1; k >= 0; k-- {
			f.rest.fronts = append(f.rest.fronts, int32(k))
		}
	}
	f.home = make([]int32, len(fronts))
	f.settle(&f.rest, nobody)
	for n := range f.groups {
		f.settle(&f.groups[n], int32(n))
	}
	f.begin()
	f.prepare(&f.rest)
	for n := range f.groups {
		f.prepare(&f.groups[n])
	}
}

// settle puts the fronts of a group, which are listed from the last one on, in their order.
func (f *Factor) settle(g *group, number int32) {
	slices.Reverse(g.fronts)
	for _, k := range g.fronts {
		f.home[k] = number
	}
}

// split cuts the tree: subtrees of at most a part of the work are groups, which are factored side by side.
func (f *Factor) split() {
	fronts := f.s.fronts
	flops, size := make([]float64, len(fronts)), make([]int, len(fronts))
	for k := range fronts {
		fr := &fronts[k]
		flops[k] += float64(fr.width) * float64(fr.order) * float64(fr.order)
		size[k]++
		if fr.parent != nobody {
			flops[fr.parent] += flops[k]
			size[fr.parent] += size[k]
		}
	}
	limit := 0.0
	if f.s.Flops >= shareable {
		limit = f.s.Flops / pieces
	}
	filled := limit
	for k := len(fronts) - 1; k >= 0; {
		if flops[k] > limit {
			f.rest.fronts = append(f.rest.fronts, int32(k))
			k--
			continue
		}
		if filled += flops[k]; filled > limit {
			f.groups = append(f.groups, group{})
			filled = flops[k]
		}
		g := &f.groups[len(f.groups)-1]
		for range size[k] {
			g.fronts = append(g.fronts, int32(k))
			k--
		}
	}
}

// begin finds the fronts that are begun with the first of their children, and take what each leaves as soon as it is
// factored: of one group with these, and without an update of their own, which would wait all the while.
func (f *Factor) begin() {
	f.early = make([]bool, len(f.s.fronts))
	for k := range f.s.fronts {
		fr := &f.s.fronts[k]
		away := func(c int32) bool { return f.home[c] != f.home[k] }
		f.early[k] = fr.below() == 0 && len(fr.children) > 0 && !slices.ContainsFunc(fr.children, away)
	}
}

// prepare makes the memory of a group.
func (f *Factor) prepare(g *group) {
	var top, depth [2]int
	for _, k := range g.fronts {
		fr, own := &f.s.fronts[k], f.layout[k].stack
		depth[own] = max(depth[own], top[own]+int(fr.update()))
		if fr.parent == nobody || !f.early[fr.parent] {
			top[own] += int(fr.update())
		}
		for _, c := range fr.children {
			if f.home[c] == f.home[k] && !f.early[k] {
				top[1-own] -= int(f.s.fronts[c].update())
			}
		}
	}
	for n := range depth {
		g.stacks[n] = make([]float64, depth[n])
	}
}

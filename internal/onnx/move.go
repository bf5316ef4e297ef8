package onnx

import "slices"

// moved is an operator whose elements are those of its first input, elsewhere: as tells the shape of the output and,
// for each element, its place in the input; -1 for the filling.
func moved(
	as func(m *memory, in []*tensor) (shape []int, places []int32), filling func(in []*tensor) float32,
) operator {
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			shape, places := as(m, in)
			y := m.like(in[0], shape...)
			fill := float32(0)
			if filling != nil {
				fill = filling(in)
			}
			for i, from := range places {
				switch {
				case from < 0 && y.isInt():
					y.ints[i] = int64(fill)
				case from < 0:
					y.reals[i] = fill
				case y.isInt():
					y.ints[i] = in[0].ints[from]
				default:
					y.reals[i] = in[0].reals[from]
				}
			}
			return one(y)
		},
		backward: func(in []*tensor, out *tensor) {
			down := in[0].ascend()
			if down == nil {
				return
			}
			_, places := as(nil, in)
			for i, from := range places {
				if from >= 0 {
					down[from] += out.gradient[i]
				}
			}
		},
	}
}

// places combines tables that say, for each dimension of a result, where its elements are along that of a shape; -1 for
// nowhere.
func places(m *memory, shape []int, tables [][]int) []int32 {
	result := make([]int, len(tables))
	for k, table := range tables {
		result[k] = len(table)
	}
	n := size(result)
	m.take(n)
	list := make([]int32, 0, n)
	return gather(list, strides(shape), tables, 0, false)
}

// gather appends the places of all combinations of the tables.
func gather(list []int32, steps []int, tables [][]int, at int, nowhere bool) []int32 {
	if len(tables) == 0 {
		if nowhere {
			at = -1
		}
		return append(list, int32(at))
	}
	for _, k := range tables[0] {
		list = gather(list, steps[1:], tables[1:], at+max(0, k)*steps[0], nowhere || k < 0)
	}
	return list
}

// all returns 0, 1, …, n-1.
func (m *memory) all(n int) []int {
	m.take(n)
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// whole returns tables that leave a shape as it is.
func (m *memory) whole(shape []int) [][]int {
	size(shape)
	tables := make([][]int, len(shape))
	for k, d := range shape {
		tables[k] = m.all(d)
	}
	return tables
}

// lengths returns how long tables are.
func lengths(tables [][]int) []int {
	shape := make([]int, len(tables))
	for k, table := range tables {
		shape[k] = len(table)
	}
	return shape
}

func turn(a *attributes) operator {
	order := a.ints("perm")
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		from, perm := in[0].shape, order
		if perm == nil {
			for k := range from {
				perm = append(perm, len(from)-1-k)
			}
		}
		if len(axes(perm, len(from))) != len(from) {
			fail("perm %v does not fit the shape %v", perm, from)
		}
		shape, steps, own := make([]int, len(from)), make([]int, len(from)), strides(from)
		for k, p := range perm {
			p = axis(p, len(from))
			shape[k], steps[k] = from[p], own[p]
		}
		m.take(in[0].len())
		list := make([]int32, 0, in[0].len())
		return shape, gather(list, steps, m.whole(shape), 0, false)
	}, nil)
}

// slice takes ranges: by attributes, as until version 9, or by inputs.
func slice(a *attributes) operator {
	starts, ends, at := a.ints("starts"), a.ints("ends"), a.ints("axes")
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		starts, ends, at, steps := starts, ends, at, []int(nil)
		for k, list := range []*[]int{&starts, &ends, &at, &steps} {
			if t := given(in, 1+k); t != nil {
				*list = t.whole()
			}
		}
		if at == nil {
			at = m.all(len(starts))
		}
		if steps == nil {
			steps = slices.Repeat([]int{1}, len(starts))
		}
		if len(starts) != len(ends) || len(starts) != len(at) || len(starts) != len(steps) {
			fail("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(at), len(steps))
		}
		axes(at, len(in[0].shape))
		tables := m.whole(in[0].shape)
		for k, a := range at {
			a = axis(a, len(in[0].shape))
			tables[a] = between(starts[k], ends[k], steps[k], in[0].shape[a])
		}
		return lengths(tables), places(m, in[0].shape, tables)
	}, nil)
}

// between lists start, start+step, … up to end, of a dimension of n. Negative bounds count from its end.
func between(start, end, step, n int) []int {
	if step == 0 {
		fail("a slice by steps of 0")
	}
	bound := func(v, lo, hi int) int {
		if v < 0 {
			v = max(v, -n-1) + n
		}
		return min(max(v, lo), hi)
	}
	list := []int{}
	step = min(max(step, -n-1), n+1)
	if step > 0 {
		for k := bound(start, 0, n); k < bound(end, 0, n); k += step {
			list = append(list, k)
		}
		return list
	}
	last := -1
	if end >= -n {
		last = bound(end, -1, n-1)
	}
	for k := bound(start, 0, n-1); k > last; k += step {
		list = append(list, k)
	}
	return list
}

func expand(*attributes) operator {
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		shape := broadcast(in[0].shape, in[1].whole())
		m.fits(shape)
		from := append(slices.Repeat([]int{1}, len(shape)-len(in[0].shape)), in[0].shape...)
		tables := make([][]int, len(shape))
		for k, d := range shape {
			if tables[k] = m.all(d); from[k] != d {
				clear(tables[k])
			}
		}
		return shape, places(m, from, tables)
	}, nil)
}

func tile(*attributes) operator {
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		repeats := in[1].whole()
		if len(repeats) != len(in[0].shape) {
			fail("repeats %v do not fit the shape %v", repeats, in[0].shape)
		}
		shape := slices.Clone(in[0].shape)
		for k, r := range repeats {
			shape[k] = size([]int{shape[k], r})
		}
		m.fits(shape)
		tables := m.whole(shape)
		for k, table := range tables {
			for i := range table {
				table[i] %= in[0].shape[k]
			}
		}
		return shape, places(m, in[0].shape, tables)
	}, nil)
}

// take picks elements along an axis, by indices.
func take(a *attributes) operator {
	at := a.integer("axis", 0)
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		from := in[0].shape
		k := axis(at, len(from))
		size(in[1].shape)
		list := make([]int, in[1].len())
		for i, v := range in[1].integers() {
			if v < int64(-from[k]) || v >= int64(from[k]) {
				fail("there is no element %d of %d", v, from[k])
			}
			if list[i] = int(v); v < 0 {
				list[i] += from[k]
			}
		}
		tables := m.whole(from)
		tables[k] = list
		shape := slices.Concat(from[:k], in[1].shape, from[k+1:])
		return shape, places(m, from, tables)
	}, nil)
}

// takeEach picks one element for each index, which lies where its own is but along an axis.
func takeEach(a *attributes) operator {
	at := a.integer("axis", 0)
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		from, shape := in[0].shape, in[1].shape
		k := axis(at, len(from))
		if len(shape) != len(from) {
			fail("indices of shape %v do not fit the shape %v", shape, from)
		}
		tables := m.whole(shape)
		for d := range shape {
			if d != k && shape[d] > from[d] {
				fail("indices of shape %v do not fit the shape %v", shape, from)
			}
		}
		clear(tables[k])
		list := places(m, from, tables)
		step := strides(from)[k]
		for i, v := range in[1].integers() {
			if v < 0 {
				v += int64(from[k])
			}
			if v < 0 || v >= int64(from[k]) {
				fail("there is no element %d of %d", v, from[k])
			}
			list[i] += int32(int(v) * step)
		}
		return shape, list
	}, nil)
}

// pad adds margins: by attributes, as until version 10, or by inputs.
func pad(a *attributes) operator {
	mode, margins, value := a.text("mode", "constant"), a.ints("pads"), a.real("value", 0)
	if mode != "constant" && mode != "reflect" && mode != "edge" {
		a.wrong("mode = %q is not supported; constant, reflect and edge are", mode)
	}
	as := func(m *memory, in []*tensor) ([]int, []int32) {
		from, margins := in[0].shape, margins
		if t := given(in, 1); t != nil {
			margins = t.whole()
		}
		at := m.all(len(from))
		if t := given(in, 3); t != nil {
			at = t.whole()
			axes(at, len(from))
		}
		if len(margins) != 2*len(at) {
			fail("pads %v do not fit the shape %v", margins, from)
		}
		tables := m.whole(from)
		for k, a := range at {
			a = axis(a, len(from))
			m.fits([]int{max(0, margins[k]), 1})
			m.fits([]int{max(0, margins[k+len(at)]), 1})
			tables[a] = padded(from[a], margins[k], margins[k+len(at)], mode)
		}
		return lengths(tables), places(m, from, tables)
	}
	return moved(as, func(in []*tensor) float32 {
		if t := given(in, 2); t != nil && t.isInt() && t.len() == 1 {
			return float32(t.ints[0])
		} else if t != nil {
			return t.scalar()
		}
		return value
	})
}

// padded lists the elements of a dimension of n with margins, which may be negative.
func padded(n, before, after int, mode string) []int {
	const most = 1 << 20
	if max(before, after) > most || min(before, after) < -n {
		fail("margins of %d and %d around %d elements", before, after, n)
	}
	list := []int{}
	for k := -before; k < n+after; k++ {
		at := k
		switch {
		case k >= 0 && k < n:
		case mode == "constant":
			at = -1
		case mode == "edge":
			at = min(max(k, 0), n-1)
		default:
			if at < 0 {
				at = -at
			} else {
				at = 2*(n-1) - at
			}
			if at < 0 || at >= n {
				fail("margins of %d and %d do not reflect %d elements", before, after, n)
			}
		}
		list = append(list, at)
	}
	return list
}

// triangle keeps the elements on one side of a diagonal.
func triangle(a *attributes) operator {
	upper := a.integer("upper", 1) != 0
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		shape, diagonal := in[0].shape, 0
		if t := given(in, 1); t != nil && len(t.whole()) == 1 {
			diagonal = t.whole()[0]
		}
		if len(shape) < 2 {
			fail("shape %v is none of matrices", shape)
		}
		rows, columns := shape[len(shape)-2], shape[len(shape)-1]
		list := places(m, shape, m.whole(shape))
		for i := range list {
			if row, column := i/columns%rows, i%columns; upper && column-row < diagonal || !upper && column-row > diagonal {
				list[i] = -1
			}
		}
		return shape, list
	}, nil)
}

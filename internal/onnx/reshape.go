package onnx

import "slices"

// reshaped is an operator whose elements are those of its first input, in another shape.
func reshaped(shape func(in []*tensor) []int) operator {
	return operator{
		forward:  func(_ *memory, in []*tensor) []*tensor { return one(in[0].view(shape(in)...)) },
		backward: func(in []*tensor, out *tensor) { pass(in[0], out) },
	}
}

func identity(*attributes) operator {
	return reshaped(func(in []*tensor) []int { return in[0].shape })
}

// dropout drops nothing: outputs must depend on nothing but the row.
func dropout(a *attributes) operator {
	a.take("ratio")
	a.take("seed")
	a.take("is_test")
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			if t := given(in, 2); t != nil && slices.ContainsFunc(t.integers(), func(v int64) bool { return v != 0 }) {
				fail("it is written for training; export the network for inference")
			}
			kept := m.newInts(in[0].shape...)
			for k := range kept.ints {
				kept.ints[k] = 1
			}
			return []*tensor{in[0].view(in[0].shape...), kept}
		},
		backward: func(in []*tensor, out *tensor) { pass(in[0], out) },
	}
}

func reshape(a *attributes) operator {
	zero := a.integer("allowzero", 0) != 0
	return reshaped(func(in []*tensor) []int {
		shape, free, rest := in[1].whole(), -1, 1
		for k, d := range shape {
			switch {
			case d == -1 && free < 0:
				free = k
				continue
			case d == 0 && !zero && k < len(in[0].shape):
				shape[k] = in[0].shape[k]
			}
			rest = size([]int{rest, shape[k]})
		}
		if free >= 0 {
			if rest == 0 || in[0].len()%rest != 0 {
				fail("shape %v does not become %v", in[0].shape, shape)
			}
			shape[free] = in[0].len() / rest
		}
		return shape
	})
}

func flatten(a *attributes) operator {
	at := a.integer("axis", 1)
	return reshaped(func(in []*tensor) []int {
		shape, k := in[0].shape, at
		if k != len(shape) {
			k = axis(k, len(shape))
		}
		return []int{product(shape[:k]), product(shape[k:])}
	})
}

// listed returns the axes that an attribute gives, as until version 12, or the second input.
func listed(attribute []int, in []*tensor) []int {
	if t := given(in, 1); t != nil {
		return t.whole()
	}
	return attribute
}

func squeeze(a *attributes) operator {
	list := a.ints("axes")
	return reshaped(func(in []*tensor) []int {
		gone, every := axes(listed(list, in), len(in[0].shape)), listed(list, in) == nil
		shape := []int{}
		for k, d := range in[0].shape {
			switch {
			case slices.Contains(gone, k) && d != 1:
				fail("dimension %d of the shape %v is not 1", k, in[0].shape)
			case slices.Contains(gone, k), every && d == 1:
			default:
				shape = append(shape, d)
			}
		}
		return shape
	})
}

func unsqueeze(a *attributes) operator {
	list := a.ints("axes")
	return reshaped(func(in []*tensor) []int {
		added := listed(list, in)
		rank := len(in[0].shape) + len(added)
		if rank > maxRank {
			fail("a tensor of %d dimensions: %d are allowed", rank, maxRank)
		}
		shape, next := make([]int, rank), 0
		for _, k := range axes(added, rank) {
			shape[k] = 1
		}
		for k := range shape {
			if shape[k] == 0 {
				shape[k] = in[0].shape[next]
				next++
			}
		}
		return shape
	})
}

func shapeOf(a *attributes) operator {
	start, end := a.integer("start", 0), a.integer("end", maxRank)
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		shape := in[0].shape
		part := between(start, end, 1, len(shape))
		y := m.newInts(len(part))
		for i, k := range part {
			y.ints[i] = int64(shape[k])
		}
		return one(y)
	}}
}

func sizeOf(*attributes) operator {
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		y := m.newInts()
		y.ints[0] = int64(in[0].len())
		return one(y)
	}}
}

// concat puts tensors beside each other along an axis.
func concat(a *attributes) operator {
	if !a.has("axis") {
		a.wrong("axis is missing")
	}
	at := a.integer("axis", 0)
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			shape := slices.Clone(in[0].shape)
			k := axis(at, len(shape))
			shape[k] = 0
			for _, t := range in {
				if len(t.shape) != len(shape) || t.isInt() != in[0].isInt() ||
					!slices.Equal(t.shape[:k], shape[:k]) || !slices.Equal(t.shape[k+1:], shape[k+1:]) {
					fail("shapes %v and %v do not fit beside each other along axis %d", in[0].shape, t.shape, k)
				}
				shape[k] += t.shape[k]
			}
			y := m.like(in[0], shape...)
			from := 0
			for _, t := range in {
				beside(t.shape, k, shape[k], from, func(part, all, n int) {
					if y.isInt() {
						copy(y.ints[all:all+n], t.ints[part:])
					} else {
						copy(y.reals[all:all+n], t.reals[part:])
					}
				})
				from += t.shape[k]
			}
			return one(y)
		},
		backward: func(in []*tensor, out *tensor) {
			k, from := axis(at, len(out.shape)), 0
			for _, t := range in {
				if down := t.ascend(); down != nil {
					beside(t.shape, k, out.shape[k], from, func(part, all, n int) {
						for i, g := range out.gradient[all : all+n] {
							down[part+i] += g
						}
					})
				}
				from += t.shape[k]
			}
		},
	}
}

// beside calls body with the stretches of a part, of a shape, within what has n elements along axis k, of which the
// part's begin at from.
func beside(shape []int, k, n, from int, body func(part, all, length int)) {
	inner := product(shape[k+1:])
	for o := range product(shape[:k]) {
		body(o*shape[k]*inner, (o*n+from)*inner, shape[k]*inner)
	}
}

// split is the inverse of concat. It is one operator for each output: see splitParts.
func split(at, part, parts int, list []int) operator {
	return moved(func(m *memory, in []*tensor) ([]int, []int32) {
		from := in[0].shape
		k := axis(at, len(from))
		list := listed(list, in)
		if list == nil {
			each := (from[k] + parts - 1) / parts
			for p := range parts {
				list = append(list, min(each, max(0, from[k]-p*each)))
			}
		}
		start := 0
		for p, n := range list {
			if n < 0 || start+n > from[k] || len(list) != parts {
				fail("%d parts of %v do not fit %d elements", parts, list, from[k])
			}
			if p == part {
				tables := m.whole(from)
				tables[k] = tables[k][start : start+n]
				return lengths(tables), places(m, from, tables)
			}
			start += n
		}
		fail("%d parts do not fit %v", parts, list)
		return nil, nil
	}, nil)
}

package onnx

import "math"

// constant is a tensor that the node has itself.
func constant(a *attributes) operator {
	var t *tensor
	switch {
	case a.has("value"):
		t = a.take("value").tensor
	case a.has("value_float"):
		t = &tensor{reals: []float32{a.real("value_float", 0)}}
	case a.has("value_int"):
		t = &tensor{ints: []int64{int64(a.integer("value_int", 0))}}
	case a.has("value_floats"):
		list := a.take("value_floats").reals
		t = &tensor{shape: []int{len(list)}, reals: list}
	case a.has("value_ints"):
		list := a.take("value_ints").ints
		t = &tensor{shape: []int{len(list)}, ints: append([]int64{}, list...)}
	}
	if t == nil {
		a.wrong("it has no value that is supported")
	}
	return operator{forward: func(*memory, []*tensor) []*tensor { return one(t) }}
}

// constantOfShape fills a shape with one value.
func constantOfShape(a *attributes) operator {
	value := &tensor{shape: []int{1}, reals: []float32{0}}
	if found := a.take("value"); found != nil {
		value = found.tensor
	}
	if value == nil || value.len() != 1 {
		a.wrong("value is no tensor of one element")
	}
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		y := m.like(value, in[0].whole()...)
		for k := range y.ints {
			y.ints[k] = value.ints[0]
		}
		for k := range y.reals {
			y.reals[k] = value.reals[0]
		}
		return one(y)
	}}
}

// ranged counts from a number to another one.
func ranged(*attributes) operator {
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		var at [3]float64
		for k, t := range in {
			if t.len() != 1 || t.isInt() != in[0].isInt() {
				fail("three numbers of one type are wanted")
			}
			if t.isInt() {
				at[k] = float64(t.ints[0])
			} else {
				at[k] = float64(t.reals[0])
			}
		}
		n := math.Ceil((at[1] - at[0]) / at[2])
		if !(n <= maxElements) {
			fail("a range of %v elements", n)
		}
		y := m.like(in[0], max(0, int(n)))
		for k := range y.ints {
			y.ints[k] = int64(at[0] + float64(k)*at[2])
		}
		for k := range y.reals {
			y.reals[k] = float32(at[0] + float64(k)*at[2])
		}
		return one(y)
	}}
}

// oneHot writes one of two values for each index: where the place along a new axis is the index, and elsewhere.
func oneHot(a *attributes) operator {
	at := a.integer("axis", -1)
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		indices, values := in[0], in[2]
		if values.len() != 2 {
			fail("two values are wanted, not shape %v", values.shape)
		}
		if in[1].len() != 1 {
			fail("one depth is wanted, not shape %v", in[1].shape)
		}
		depth, k := in[1].whole()[0], axis(at, len(indices.shape)+1)
		shape := append([]int{}, indices.shape[:k]...)
		shape = append(append(shape, depth), indices.shape[k:]...)
		y := m.like(values, shape...)
		inner := product(indices.shape[k:])
		for j := range y.len() {
			which := index(indices, j/(inner*depth)*inner+j%inner)
			if which < 0 {
				which += depth
			}
			hot := 0
			if which == j/inner%depth {
				hot = 1
			}
			if y.isInt() {
				y.ints[j] = values.ints[hot]
			} else {
				y.reals[j] = values.reals[hot]
			}
		}
		return one(y)
	}}
}

// index returns an element as a whole number.
func index(t *tensor, i int) int {
	if t.isInt() {
		return int(t.ints[i])
	}
	return int(t.reals[i])
}

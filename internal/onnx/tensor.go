package onnx

import (
	"fmt"
	"slices"
	"sync"
)

// tensor is an array of numbers, the last dimension running fastest. It has reals or, for shapes, indices and truth
// values, integers. What has been computed is never changed, so that tensors may share their numbers.
type tensor struct {
	shape []int
	reals []float32
	ints  []int64 // nil where there are reals

	shared   *turnings // of a constant or parameter: its transpose, which all pieces of the rows want
	active   bool      // a parameter that learns is in it
	gradient []float32 // of the loss by reals; nil until anything is added
}

// maxRank is the largest number of dimensions.
const maxRank = 8

// failure is an error on its way from an operator to who runs it: shapes that do not fit, and the like.
type failure struct{ error }

// fail ends an operator with an error.
func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// attempt returns the error that run fails with.
func attempt(run func()) (err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case failure:
			err = caught.error
		default:
			panic(caught)
		}
	}()
	run()
	return nil
}

// size returns the number of elements of a shape; too many are a failure, also where a dimension of 0 leaves none of
// them: some of the dimensions are gone through alone.
func size(shape []int) int {
	if len(shape) > maxRank {
		fail("a tensor of %d dimensions: %d are allowed", len(shape), maxRank)
	}
	n := 1
	for _, d := range shape {
		if d < 0 {
			fail("a dimension of %d", d)
		}
		if n > maxElements/max(1, d) {
			fail("a tensor of shape %v is too large: %d elements are allowed", shape, maxElements)
		}
		n *= max(1, d)
	}
	return product(shape)
}

// maxElements bounds a tensor.
const maxElements = 1 << 28

// memory counts what the tensors of one run take.
type memory struct{ left int }

// take counts n more elements; without a memory, nothing.
func (m *memory) take(n int) {
	if m == nil {
		return
	}
	if m.left -= n; m.left < 0 {
		fail("it needs too much memory: more than %d numbers for a row", maxWork)
	}
}

// fits is a failure unless there is room for a tensor of a shape.
func (m *memory) fits(shape []int) {
	if n := size(shape); m != nil && n > m.left {
		m.take(n)
	}
}

// maxWork bounds the elements of all tensors that are made for one row, and those of all constants.
const maxWork = 1 << 26

// newReals makes a tensor of zeros.
func (m *memory) newReals(shape ...int) *tensor {
	n := size(shape)
	m.take(n)
	return &tensor{shape: shape, reals: make([]float32, n)}
}

// newInts makes a tensor of zeros.
func (m *memory) newInts(shape ...int) *tensor {
	n := size(shape)
	m.take(n)
	return &tensor{shape: shape, ints: make([]int64, n)}
}

// like makes a tensor of zeros of the kind of t.
func (m *memory) like(t *tensor, shape ...int) *tensor {
	if t.ints != nil {
		return m.newInts(shape...)
	}
	return m.newReals(shape...)
}

// view returns the same numbers in another shape.
func (t *tensor) view(shape ...int) *tensor {
	if size(shape) != t.len() {
		fail("%d elements of shape %v do not fit the shape %v", t.len(), t.shape, shape)
	}
	return &tensor{shape: shape, reals: t.reals, ints: t.ints}
}

func (t *tensor) len() int { return len(t.reals) + len(t.ints) }

// isInt tells whether the elements are integers.
func (t *tensor) isInt() bool { return t.ints != nil }

// mustReals is a failure unless the elements are reals.
func mustReals(list ...*tensor) {
	for _, t := range list {
		if t != nil && t.isInt() {
			fail("it has integers, and reals are wanted")
		}
	}
}

// integers returns the elements, which must be integers.
func (t *tensor) integers() []int64 {
	if !t.isInt() {
		fail("it has reals, and integers are wanted")
	}
	return t.ints
}

// whole returns the elements of a short list of integers, such as a shape.
func (t *tensor) whole() []int {
	const longest = 1 << 16
	if t.len() > longest {
		fail("a list of %d numbers: %d are allowed", t.len(), longest)
	}
	list := make([]int, t.len())
	for k, v := range t.integers() {
		list[k] = int(v)
	}
	return list
}

// scalar returns the only element of a tensor of reals.
func (t *tensor) scalar() float32 {
	if len(t.reals) != 1 {
		fail("one real number is wanted, not shape %v", t.shape)
	}
	return t.reals[0]
}

// ascend returns where the gradient is added, or nil if nobody wants it.
func (t *tensor) ascend() []float32 {
	if t == nil || !t.active {
		return nil
	}
	if t.gradient == nil {
		t.gradient = make([]float32, len(t.reals))
	}
	return t.gradient
}

// turnings keep the transposes of matrices that do not depend on rows, while these are computed.
type turnings struct {
	mutex sync.Mutex
	known map[*float32][]float32
}

// turned returns the transpose of the matrix [rows, columns] that begins at an element.
func (t *tensor) turned(at, rows, columns int) []float32 {
	data := t.reals[at:]
	if t.shared == nil || rows*columns == 0 {
		return transpose(data, rows, columns)
	}
	t.shared.mutex.Lock()
	defer t.shared.mutex.Unlock()
	found, known := t.shared.known[&data[0]]
	if !known {
		found = transpose(data, rows, columns)
		t.shared.known[&data[0]] = found
	}
	return found
}

// axis returns a dimension's place, which may be counted from the end.
func axis(k, rank int) int {
	if k < -rank || k >= rank {
		fail("there is no axis %d of %d", k, rank)
	}
	if k < 0 {
		k += rank
	}
	return k
}

// axes returns the places of dimensions, sorted and each once.
func axes(list []int, rank int) []int {
	places := make([]int, len(list))
	for k, a := range list {
		places[k] = axis(a, rank)
	}
	slices.Sort(places)
	if len(slices.Compact(slices.Clone(places))) < len(places) {
		fail("axes %v: each is wanted once", list)
	}
	return places
}

// strides returns how far apart neighbours are along each dimension.
func strides(shape []int) []int {
	steps, step := make([]int, len(shape)), 1
	for k := len(shape) - 1; k >= 0; k-- {
		steps[k] = step
		step *= shape[k]
	}
	return steps
}

// product multiplies dimensions.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

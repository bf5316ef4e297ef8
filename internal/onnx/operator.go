package onnx

// operator is what a node computes.
type operator struct {
	// forward returns the outputs; in has nil for inputs that are left out.
	forward func(m *memory, in []*tensor) []*tensor
	// backward adds to the gradients of the inputs those that follow from the first output's; nil where none do. It is
	// called only if that has one.
	backward func(in []*tensor, out *tensor)
}

// kind is a sort of operator.
type kind struct {
	required, most int // inputs
	build          func(a *attributes) operator
	weights        []int // the inputs that are parameters, if they are initialisers
	passes         bool  // the first input's elements are the output's, in another order or shape
}

// unlimited is the number of inputs of operators that take any.
const unlimited = 1 << 30

// one is the list of a single output.
func one(t *tensor) []*tensor { return []*tensor{t} }

// given returns an input, or nil if it is left out.
func given(in []*tensor, k int) *tensor {
	if k < len(in) {
		return in[k]
	}
	return nil
}

// Package perception is what learning knows of networks: their parameters and outputs, the steps that move parameters,
// and the signs of what is wrong with them.
package perception

// Parameter is a tensor that learning updates: network weights ω, or the rule weights θ. Value and Gradient have the
// same length and stay the same slices for the parameter's whole life, so that optimisers may keep state beside them.
type Parameter struct {
	Name     string
	Shape    []int
	Value    []float32
	Gradient []float32
	// Decay says that weight decay applies to this parameter, and OwnDecay, unless it is nil, with which λ in place of
	// the optimiser's.
	Decay    bool
	Bias     bool // it is added to what weights have multiplied
	OwnDecay *float64
	// Share is how many times a decay that suits the number of labels suits this; 0 stands for once. ButLast says that
	// the last value has it once.
	Share   float64
	ButLast bool
	// Keeper, unless it is nil, has the values in place of Value and Gradient, which are empty.
	Keeper Keeper
}

// A Keeper has values that another program keeps and moves. What goes wrong is an error of the next Forward.
type Keeper interface {
	// Step moves the values against the gradients of all Backwards since the last one; see Optimiser.
	Step(kind OptimiserKind, rate, decay float64)
	// State returns the values, and whatever their next steps depend on; Restore takes that back. nil says that they
	// cannot be had.
	State() []byte
	Restore(state []byte)
}

// Networks are what learning asks of the neural predicates of a program, whoever implements them: p(u; ω) of the
// paper. Inputs x are numbered as relation.Store.Number does.
type Networks interface {
	// Forward writes the networks' outputs for every perceived atom into x, each in [0,1]. If train is true, dropout is
	// on, and its masks are a function of seed alone.
	Forward(x []float64, train bool, seed uint64) error
	// Backward adds, to the Gradient of each parameter, (∂x/∂ω)ᵀ·upstream for the x of the last Forward, with the same
	// dropout masks.
	Backward(upstream []float64) error
	// Parameters returns the networks' parameters; always the same slice. After an optimiser has written new Values,
	// the next Forward uses them.
	Parameters() []*Parameter
}

// Distributed are Networks that know which of their inputs are the probabilities of one thing's classes.
type Distributed interface {
	// Distributions returns the inputs of each thing. Those of two things may be the same outputs of a network.
	Distributions() [][]int32
}

// Restrictable are Networks that can compute some inputs alone, in less time.
type Restrictable interface {
	// Restrict returns networks of some inputs only, numbered anew by their order, with the same parameters.
	Restrict(inputs []int32) (Networks, error)
}

// Steady are Networks of which some Forwards for training are like the others.
type Steady interface {
	// Steady tells whether a Forward for training computes what one that is not does, whatever the seed, so that a
	// Backward may follow either.
	Steady() bool
}

// Divisible are Networks that know what they compute together.
type Divisible interface {
	Restrictable
	// Rows returns the inputs of each row that is computed; nil where rows depend on each other.
	Rows() [][]int32
}

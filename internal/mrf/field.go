package mrf

import (
	"fmt"
	"math"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Field is a Model with its parameters fixed: the HL-MRF conditioned on inputs x, with rule weights θ. It computes the
// energy f(y), its derivatives, and everything else that is a sum over potentials. All sums have the same bits for any
// number of threads. A Field has scratch memory and is not safe for concurrent use.
type Field struct {
	// Model is the structure; it is shared and never written.
	Model *Model
	// Threads bounds the goroutines of every method.
	Threads int
	// Room bounds the bytes that a Hessian keeps of its entries; 0 means no bound. What it does not keep, it computes anew
	// for each product.
	Room int64

	theta   []float64
	x       []float64
	unit    float64 // Unit's answer; 0 until it is asked for
	grain   float64 // Grain's
	shared  bool    // the unit is SetUnit's, whatever the weights
	whole   *Field  // of Within, or nil
	terms   []term
	spans   []spanRange
	partial []float64 // one sum per span
	lanes   []lane
	// measured tells whether it is known what the lanes touch.
	measured bool
	near     []bool // of Near
}

// term is a block conditioned on x.
type term struct {
	*Block
	vars, inputs rows
	place        int       // the block's number
	first        int       // number of its first potential among all blocks'
	folded       []float64 // c_j = Constant + Bias_j + b_jᵀx, for blocks with inputs only
	scales       Weights   // the s_j, once they are asked for
	magnitude    float64   // of a hard block's violations
	magnitudes   []float64 // of each, if they differ
}

// NewField conditions the model on inputs 0 and weights 1. The model must be valid: see Check. As many goroutines as
// there are cores may be at work, now and in sweeps.
func NewField(m *Model) *Field { return NewFieldOn(m, 0) }

// NewFieldOn is NewField for a number of threads; 0 means one per core.
func NewFieldOn(m *Model, threads int) *Field {
	f := &Field{
		Model:   m,
		Threads: parallel.Threads(threads),
		theta:   make([]float64, m.Rules),
		x:       make([]float64, m.Inputs),
		terms:   make([]term, len(m.Blocks)),
	}
	for r := range f.theta {
		f.theta[r] = 1
	}
	first := 0
	for k, b := range m.Blocks {
		vars, inputs := b.variableRows(), b.inputRows()
		if b.Paged == nil { // what it makes is in memory
			vars, inputs = vars.compressed(b.Len), inputs.compressed(b.Len)
		}
		f.terms[k] = term{Block: b, vars: vars, inputs: inputs, place: k, first: first}
		if !inputs.empty() {
			f.terms[k].folded = make([]float64, b.Len)
		}
		f.terms[k].measure()
		first += b.Len
	}
	f.cut()
	f.SetInputs(f.x)
	return f
}

// SetWeights replaces θ, one weight per rule; the values are copied.
func (f *Field) SetWeights(theta []float64) {
	mustLen("weights", len(theta), f.Model.Rules)
	copy(f.theta, theta)
	if !f.shared {
		f.unit = 0
	}
}

// Weights returns θ, to read.
func (f *Field) Weights() []float64 { return f.theta }

// Inputs returns x, to read.
func (f *Field) Inputs() []float64 { return f.x }

// SetInputs replaces the perceived inputs x and folds them into the constants of the potentials that have any; the
// values are copied.
func (f *Field) SetInputs(x []float64) {
	mustLen("inputs", len(x), f.Model.Inputs)
	copy(f.x, x)
	parallel.For(f.Threads, len(f.spans), func(n int) {
		if s := f.spans[n]; !s.term.inputs.empty() {
			c := s.term.folded[s.lo:s.hi]
			s.term.unfolded(s.lo, s.hi, c)
			s.term.inputs.addProduct(s.lo, s.hi, f.x, c)
		}
	})
}

// constants writes c_j of the potentials [lo,hi) into d.
func (t *term) constants(lo, hi int, d []float64) {
	if t.folded != nil {
		copy(d, t.folded[lo:hi])
		return
	}
	t.unfolded(lo, hi, d)
}

// constant returns c_j.
func (t *term) constant(j int) float64 {
	switch {
	case t.folded != nil:
		return t.folded[j]
	case t.Varies():
		return t.Constant + t.Own(j)
	}
	return t.Constant
}

// unfolded is constants without the inputs' part.
func (t *term) unfolded(lo, hi int, d []float64) {
	switch {
	case t.Bias != nil:
		for k, bias := range t.Bias[lo:hi] {
			d[k] = t.Constant + float64(bias)
		}
	case t.Bias64 != nil:
		for k, bias := range t.Bias64[lo:hi] {
			d[k] = t.Constant + bias
		}
	default:
		for k := range d {
			d[k] = t.Constant
		}
	}
}

// Check returns an error for parameters that are no parameters: a weight that is negative or not finite, or an input
// that is not finite.
func (f *Field) Check() error {
	for r, w := range f.theta {
		if w < 0 || math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("weight of rule %d is %v; a weight must be finite and not negative", r, w)
		}
	}
	for k, v := range f.x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("perceived input %d is %v; an input must be finite", k, v)
		}
	}
	return nil
}

func mustLen(what string, got, want int) {
	if got != want {
		panic(fmt.Sprintf("mrf: %d %s for a model with %d", got, what, want))
	}
}

// Constants writes c_j, the slacks at y = 0 with the inputs in them, of the potentials [lo,hi) of a block into d, which
// has their number.
func (f *Field) Constants(block, lo, hi int, d []float64) { f.terms[block].constants(lo, hi, d) }

// Package mrftest makes models for tests and benchmarks: by hand, at random, and of the shapes that the paper's
// experiments have.
package mrftest

import (
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Builder makes a model potential by potential, each in its own block unless it repeats the one before.
type Builder struct {
	model mrf.Model
}

// Term is a coefficient times a variable (or, in inputs, an input).
type Term struct {
	Index int
	Coef  float64
}

// New starts a model.
func New(variables, inputs, rules int) *Builder {
	return &Builder{mrf.Model{Variables: variables, Inputs: inputs, Rules: rules}}
}

// Rule starts a new ragged block; Add puts potentials into it.
func (b *Builder) Rule(rule int, kind mrf.Kind, exponent int) *Builder {
	b.model.Blocks = append(b.model.Blocks, &mrf.Block{
		Rule: rule, Kind: kind, Exponent: exponent,
		VarStart: []int32{0}, InputStart: []int32{0}, Bias: []float32{},
	})
	return b
}

// Add appends a potential with constant c to the block that Rule started.
func (b *Builder) Add(c float64, vars, inputs []Term) *Builder {
	k := b.model.Blocks[len(b.model.Blocks)-1]
	k.Len++
	k.Bias = append(k.Bias, float32(c))
	for _, t := range vars {
		k.Vars = append(k.Vars, int32(t.Index))
		k.VarCoef.Append(t.Coef)
	}
	for _, t := range inputs {
		k.Inputs = append(k.Inputs, int32(t.Index))
		k.InputValue.Append(t.Coef)
	}
	k.VarStart = append(k.VarStart, int32(len(k.Vars)))
	k.InputStart = append(k.InputStart, int32(len(k.Inputs)))
	return b
}

// Model returns the model.
func (b *Builder) Model() *mrf.Model { return &b.model }

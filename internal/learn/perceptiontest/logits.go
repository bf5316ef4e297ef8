// Package perceptiontest has networks to test learning with.
package perceptiontest

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// Logits are the smallest perception: each input is the logistic function of a parameter of its own.
type Logits struct {
	Parameter *perception.Parameter
	X         []float64 // the outputs of the last Forward
}

// NewLogits returns n of them.
func NewLogits(n int) *Logits {
	p := &perception.Parameter{Name: "logits", Shape: []int{n}, Value: make([]float32, n), Gradient: make([]float32, n),
		Decay: true}
	return &Logits{Parameter: p, X: make([]float64, n)}
}

// Forward implements perception.Networks.
func (l *Logits) Forward(x []float64, _ bool, _ uint64) error {
	for k, v := range l.Parameter.Value {
		l.X[k] = 1 / (1 + math.Exp(-float64(v)))
		x[k] = l.X[k]
	}
	return nil
}

// Backward implements perception.Networks.
func (l *Logits) Backward(upstream []float64) error {
	for k, x := range l.X {
		l.Parameter.Gradient[k] += float32(upstream[k] * x * (1 - x))
	}
	return nil
}

// Parameters implements perception.Networks.
func (l *Logits) Parameters() []*perception.Parameter { return []*perception.Parameter{l.Parameter} }

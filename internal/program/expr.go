package program

import "math"

// Constant returns the expression's value if it is a plain number. Compile folds every expression that can be.
func (e Expr) Constant() (value float64, ok bool) { return e.Number, e.Op == Number }

// Eval computes the expression; size gives |B| for a summation variable. Division by 0 gives an infinity or NaN, which
// the grounder reports where the value is needed.
func (e Expr) Eval(size func(variable int) int) float64 {
	switch e.Op {
	case Number:
		return e.Number
	case Cardinality:
		return float64(size(e.Variable))
	}
	a, b := e.Args[0].Eval(size), e.Args[1].Eval(size)
	switch e.Op {
	case Add:
		return a + b
	case Subtract:
		return a - b
	case Multiply:
		return a * b
	case Divide:
		return a / b
	case Min:
		return math.Min(a, b)
	case Max:
		return math.Max(a, b)
	}
	panic("program: unknown operator in a coefficient")
}

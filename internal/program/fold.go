package program

// The functions of this file build coefficients and compute at once whatever does not depend on a grounding.

// constant returns the expression that is a number.
func constant(value float64) Expr { return Expr{Number: value} }

// binary builds op applied to x and y, which is a number if both are.
func binary(op Op, x, y Expr) Expr {
	e := Expr{Op: op, Args: []Expr{x, y}}
	if x.Op == Number && y.Op == Number {
		return constant(e.Eval(nil))
	}
	return e
}

// isNumber reports whether e is this very number.
func isNumber(e Expr, value float64) bool { return e.Op == Number && e.Number == value }

// combine builds op applied to x and y, which is the other one if one of them is op's neutral number.
func combine(op Op, neutral float64, x, y Expr) Expr {
	switch {
	case isNumber(x, neutral):
		return y
	case isNumber(y, neutral):
		return x
	}
	return binary(op, x, y)
}

// add returns x + y.
func add(x, y Expr) Expr { return combine(Add, 0, x, y) }

// multiply returns x · y. A factor of 0 does not make the product 0: the other one may be infinite in a grounding.
func multiply(x, y Expr) Expr { return combine(Multiply, 1, x, y) }

// divide returns x / y.
func divide(x, y Expr) Expr {
	if isNumber(y, 1) {
		return x
	}
	return binary(Divide, x, y)
}

// negate returns -x, with the sign on a leading number where there is one.
func negate(x Expr) Expr {
	switch {
	case x.Op == Number:
		return constant(0 - x.Number) // not -0
	case (x.Op == Multiply || x.Op == Divide) && x.Args[0].Op == Number:
		return binary(x.Op, negate(x.Args[0]), x.Args[1])
	}
	return multiply(constant(-1), x)
}

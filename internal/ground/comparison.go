package ground

import (
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// comparison is a condition over slots.
type comparison struct {
	op          program.Relop
	left, right int32
	rank        []int32 // of every constant, if op is %
}

// comparison compiles a condition; both of its terms have one type, and a variable knows it.
func (r *routine) comparison(c *program.Condition) comparison {
	out := comparison{op: c.Op, left: r.slot(c.Left), right: r.slot(c.Right)}
	if c.Op == program.Before || c.Op == program.NotBefore {
		out.rank = r.scope.rank(r.typeOf(c))
	}
	return out
}

// typeOf returns the type whose order % means. Between two constants that is the order of texts.
func (r *routine) typeOf(c *program.Condition) program.Type {
	for _, t := range [...]program.Term{c.Left, c.Right} {
		if t.IsVariable() {
			return r.rule.Variables[t.Variable].Type
		}
	}
	return program.String
}

// holds decides the condition for the values in slots. Constants are equal if their numbers are: the scope has seen to
// it that no two constants share one, whether the data know them or not.
func (c *comparison) holds(slots []symbol.ID) bool {
	a, b := slots[c.left], slots[c.right]
	switch c.op {
	case program.Same:
		return a == b
	case program.Different:
		return a != b
	case program.NotBefore:
		return c.rank[a] >= c.rank[b]
	}
	return c.rank[a] < c.rank[b]
}

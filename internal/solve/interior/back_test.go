package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// gains is a flow over links at random of which a part is lost on the way, each node with a little of its own.
func gains(n int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 3))
	nodes := make([][]mrftest.Term, n)
	b, links := mrftest.New(4*n, 0, 3).Rule(0, mrf.LessEqual, 0), 4*n
	for i := range links {
		from, to := i/4, rng.IntN(n-1)
		if to >= from {
			to++
		}
		nodes[from] = append(nodes[from], mrftest.Term{Index: i, Coef: 1})
		nodes[to] = append(nodes[to], mrftest.Term{Index: i, Coef: -0.97})
		b.Add(-0.1-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	b.Rule(1, mrf.Equal, 0)
	for _, row := range nodes[1:] {
		b.Add(-0.01, row, nil)
	}
	for rule := range 2 {
		b.Rule(2, mrf.Linear, 1)
		for i := rule; i < links; i += 2 {
			b.Add(0, []mrftest.Term{{Index: i, Coef: float64(1 + rule)}}, nil)
		}
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 0, 1})
	return field
}

// Where a factorisation is less work for a while, later steps have a basis.
func TestComesBack(t *testing.T) {
	if !interior.ComesBack(gains(1000)) {
		t.Error("the last steps of a flow with gains have factors")
	}
	if !interior.ComesBack(latin(30)) {
		t.Error("the last steps of a Latin square have factors")
	}
}

// latin is a Latin square of n rows whose entries cost something each: a basis fills so much that it is not easily
// chosen, but is less work than a factorisation all the same.
func latin(n int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(n*n*n, 0, 2).Rule(0, mrf.Equal, 0)
	for _, stride := range [][3]int{{n * n, n, 1}, {n * n, 1, n}, {n, 1, n * n}} {
		for cell := range n * n {
			var row []mrftest.Term
			for k := range n {
				row = append(row, mrftest.Term{Index: cell/n*stride[0] + cell%n*stride[1] + k*stride[2], Coef: 1})
			}
			b.Add(-1, row, nil)
		}
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n * n * n {
		b.Add(0, []mrftest.Term{{Index: i, Coef: rng.Float64()}}, nil)
	}
	return mrftest.Field(b.Model(), []float64{0, 1}, nil)
}

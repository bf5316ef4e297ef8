package mrf_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

func TestRandomModelsAreValid(t *testing.T) {
	for seed := range uint64(50) {
		m, _, _ := mrftest.Random(rand.New(rand.NewPCG(seed, 0)), small)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
	}
	m, _, _ := mrftest.Cora.Model()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	uniform := func() *mrf.Block {
		return &mrf.Block{Exponent: 1, Len: 2, Coef: []float64{1, -1}, Vars: []int32{0, 1, 1, 2}}
	}
	ragged := func() *mrf.Block {
		return &mrf.Block{
			Exponent: 2, Len: 2, VarStart: []int32{0, 1, 3}, VarCoef: mrf.Reals{Single: []float32{1, 1, 1}},
			Vars:       []int32{0, 1, 2},
			InputStart: []int32{0, 0, 0},
		}
	}
	cases := []struct {
		want   string
		block  *mrf.Block
		damage func(*mrf.Block)
	}{
		{"", uniform(), func(*mrf.Block) {}},
		{"", ragged(), func(*mrf.Block) {}},
		{"rules", uniform(), func(b *mrf.Block) { b.Rule = 1 }},
		{"kind", uniform(), func(b *mrf.Block) { b.Kind = 9 }},
		{"exponent", uniform(), func(b *mrf.Block) { b.Exponent = 3 }},
		{"biases", uniform(), func(b *mrf.Block) { b.Bias = []float32{1} }},
		{"twice", uniform(), func(b *mrf.Block) { b.Vars[1] = 0 }},
		{"ids for", uniform(), func(b *mrf.Block) { b.Len = 3 }},
		{"not below", uniform(), func(b *mrf.Block) { b.Vars[0] = 3 }},
		{"", uniform(), func(b *mrf.Block) { b.Coef, b.Vars, b.First = b.Coef[:1], nil, 1 }},
		{"ids 2 to 3 are not all", uniform(), func(b *mrf.Block) { b.Coef, b.Vars, b.First = b.Coef[:1], nil, 2 }},
		{"ids -1 to 0 are not all", uniform(), func(b *mrf.Block) { b.Coef, b.Vars, b.First = b.Coef[:1], nil, -1 }},
		{"not finite", uniform(), func(b *mrf.Block) { b.Coef[0] = math.NaN() }},
		{"not finite", uniform(), func(b *mrf.Block) { b.Constant = math.Inf(1) }},
		{"not finite", uniform(), func(b *mrf.Block) { b.Bias = []float32{0, float32(math.NaN())} }},
		{"scale", uniform(), func(b *mrf.Block) { b.Scale = []float32{0, -1} }},
		{"one side", ragged(), func(b *mrf.Block) { b.InputStart = nil }},
		{"starts", ragged(), func(b *mrf.Block) { b.VarStart[2] = 2 }},
		{"ends before", ragged(), func(b *mrf.Block) { b.Len = 3; b.VarStart = []int32{0, 2, 1, 3} }},
		{"coefficients", ragged(), func(b *mrf.Block) { b.VarCoef.Single = b.VarCoef.Single[1:] }},
	}
	for _, c := range cases {
		c.damage(c.block)
		m := &mrf.Model{Variables: 3, Rules: 1, Blocks: []*mrf.Block{c.block}}
		err := m.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %q, want one about %q", err, c.want)
		}
	}
}

package consensus

import (
	"io"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/pack"
	"github.com/deeppsl/deeppsl/internal/partition"
)

// stored is a block as it lies in a file: what another process needs to run it.
type stored struct {
	Blocks, Number  int
	Hubs            bool
	Variables       []int32
	Foreign         []uint64
	Shared          []storedSharing
	Rules, Inputs   int
	Arenas          []arena
	Weights, Values []float64
	Unit, Grain     float64
}

type storedSharing struct {
	Variable int32
	Blocks   []int32
	Scale    float32
}

// arena is an mrf.Block in memory.
type arena struct {
	Rule                 int
	Kind                 mrf.Kind
	Exponent, Len        int
	Coef, InputCoef      []float64
	VarStart, InputStart []int32
	VarCoef, InputValue  mrf.Reals
	Vars, Inputs         []int32
	First                int32
	Constant             float64
	Bias                 []float32
	Bias64               []float64
	Scale                []float32
}

// Save writes the block's problem.
func (b *Block) Save(w io.Writer) error {
	m := b.base.Model
	s := &stored{Blocks: b.Blocks, Number: b.Number, Hubs: b.hubs, Variables: b.Variables, Foreign: b.foreign,
		Rules: m.Rules, Inputs: m.Inputs, Weights: b.base.Weights(), Values: b.base.Inputs(), Unit: b.unit.mean,
		Grain: b.unit.grain}
	for _, v := range b.shared {
		s.Shared = append(s.Shared, storedSharing{v.variable, v.blocks, v.scale})
	}
	for _, k := range m.Blocks {
		s.Arenas = append(s.Arenas, arena{k.Rule, k.Kind, k.Exponent, k.Len, k.Coef, k.InputCoef, k.VarStart, k.InputStart,
			k.VarCoef, k.InputValue, k.Vars, k.Inputs, k.First, k.Constant, k.Bias, k.Bias64, k.Scale})
	}
	return pack.Write(w, s)
}

// Open reads a block that Save wrote, to run on so many threads.
func Open(r io.Reader, threads int) (*Block, error) {
	s := new(stored)
	if err := pack.Read(r, s); err != nil {
		return nil, err
	}
	m := &mrf.Model{Variables: len(s.Variables), Inputs: s.Inputs, Rules: s.Rules}
	for _, k := range s.Arenas {
		b := &mrf.Block{Rule: k.Rule, Kind: k.Kind, Exponent: k.Exponent, Len: k.Len, Coef: k.Coef, InputCoef: k.InputCoef,
			VarStart: k.VarStart, VarCoef: k.VarCoef, InputStart: k.InputStart, InputValue: k.InputValue, Vars: k.Vars,
			Inputs: k.Inputs, First: k.First, Constant: k.Constant, Bias: k.Bias, Bias64: k.Bias64, Scale: k.Scale}
		m.Blocks = append(m.Blocks, b)
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	base := mrf.NewFieldOn(m, threads)
	base.SetWeights(s.Weights)
	base.SetInputs(s.Values)
	part := &partition.Part{Model: m, Variables: s.Variables}
	var shared []sharing
	for _, v := range s.Shared {
		shared = append(shared, sharing{v.Variable, v.Blocks, v.Scale})
	}
	b := newBlock(s.Number, part, base, unit{s.Unit, s.Grain}, shared, threads)
	b.Blocks, b.foreign, b.hubs = s.Blocks, s.Foreign, s.Hubs
	return b, nil
}

// Package mrf holds a ground hinge-loss Markov random field in flat arenas: variables y in [0,1]ⁿ, perceived inputs x,
// weighted potentials and hard constraints
//
//	minimise  Σ_j θ_r(j) · s_j · φ_j(a_jᵀy + b_jᵀx + c_j)   over y in [0,1]ⁿ, subject to the hard constraints
//
// (the paper's eq. energy_function, with the rule's weight θ shared by all its groundings). It knows rules by number
// and atoms by number; nothing here prints, logs or allocates on a hot path.
package mrf

import "github.com/deeppsl/deeppsl/internal/scratch"

// Model is a ground HL-MRF without its parameters: rule weights θ and inputs x are given when a Field is set.
// It is immutable once built, and safe for concurrent use.
type Model struct {
	Variables int // n, length of y
	Inputs    int // length of x
	Rules     int // length of θ
	Blocks    []*Block
}

// Block holds potentials (or constraints) of one rule that have the same shape. There are two layouts: uniform, in
// which all potentials share one coefficient pattern, and ragged (compressed rows), for summations.
type Block struct {
	Rule int
	Kind Kind
	// Exponent is p in {1, 2}; it has no meaning for Linear potentials and constraints.
	Exponent int
	// Len is the number of potentials.
	Len int

	// Uniform layout. Potential j has the variables Vars[j*len(Coef) : (j+1)*len(Coef)] with coefficients Coef, and
	// likewise the inputs Inputs with InputCoef. A variable occurs at most once in a potential.
	Coef      []float64
	InputCoef []float64

	// Ragged layout, if VarStart is not nil (then InputStart is not nil either): potential j has the variables
	// Vars[VarStart[j]:VarStart[j+1]] with coefficients VarCoef at the same places; likewise the inputs.
	VarStart   []int32
	VarCoef    Reals
	InputStart []int32
	InputValue Reals // coefficients of Inputs

	Vars   []int32
	Inputs []int32

	// First is the variable of potential 0 if Vars is nil in a uniform block of one variable each: the variables then
	// follow one another, and cost nothing. A prior over all targets is such a block; see Compact.
	First int32

	// Constant is c_j for every potential; Bias, if not nil, is added to it per potential. Where single precision would
	// round it, Bias64 has it instead.
	Constant float64
	Bias     []float32
	Bias64   []float64
	// Scale is s_j, the observed factor of the weight per potential (the paper's 1/n_A); nil means 1.
	Scale []float32

	// Paged is the file that the arenas are mapped from, if they are beyond memory: whoever goes through them lets go of
	// them with Release. nil means that they are in memory.
	Paged *scratch.File
}

// Kind says what a block's potentials are functions of d_j = a_jᵀy + b_jᵀx + c_j.
type Kind uint8

const (
	// Hinge is the potential max(0, d)^p.
	Hinge Kind = iota
	// Absolute is the potential |d|^p.
	Absolute
	// Linear is the potential d.
	Linear
	// LessEqual is the hard constraint d ≤ 0.
	LessEqual
	// Equal is the hard constraint d = 0.
	Equal
)

// Hard tells constraints from potentials.
func (k Kind) Hard() bool { return k == LessEqual || k == Equal }

// Straight tells whether a potential of the block is linear, or 0, where its slack is between two numbers, though it
// has a bend elsewhere: then it is so many times its slack there.
func (b *Block) Straight(least, most float64) (slope float64, ok bool) {
	switch {
	case b.Kind != Hinge && b.Kind != Absolute || b.Exponent != 1:
		return 0, false
	case least >= 0:
		return 1, true
	case b.Kind == Absolute:
		return -1, most <= 0
	}
	return 0, most <= 0
}

// Potentials returns the number of potentials and constraints in all blocks.
func (m *Model) Potentials() int {
	total := 0
	for _, b := range m.Blocks {
		total += b.Len
	}
	return total
}

// Bytes returns the size of the block's arenas.
func (b *Block) Bytes() int64 {
	doubles := len(b.Coef) + len(b.InputCoef) + len(b.Bias64)
	singles := len(b.VarStart) + len(b.InputStart) + len(b.Vars) + len(b.Inputs) + len(b.Bias) + len(b.Scale)
	return int64(8*doubles+4*singles) + b.VarCoef.Bytes() + b.InputValue.Bytes()
}

// Paged returns the file that blocks are mapped from, or nil if the model is in memory.
func (m *Model) Paged() *scratch.File {
	for _, b := range m.Blocks {
		if b.Paged != nil {
			return b.Paged
		}
	}
	return nil
}

// Release lets go of the memory that the potentials [lo,hi) have taken, if the block is paged; reading them again
// brings them back.
func (b *Block) Release(lo, hi int) {
	if b.Paged == nil || lo >= hi {
		return
	}
	releaseRows(b, b.Vars, b.VarStart, len(b.Coef), lo, hi)
	releaseRows(b, b.VarCoef.Single, b.VarStart, 0, lo, hi)
	releaseRows(b, b.VarCoef.Double, b.VarStart, 0, lo, hi)
	releaseRows(b, b.Inputs, b.InputStart, len(b.InputCoef), lo, hi)
	releaseRows(b, b.InputValue.Single, b.InputStart, 0, lo, hi)
	releaseRows(b, b.InputValue.Double, b.InputStart, 0, lo, hi)
	for _, column := range [][]float32{b.Bias, b.Scale} {
		if column != nil {
			scratch.Release(b.Paged, column[lo:hi])
		}
	}
	if b.Bias64 != nil {
		scratch.Release(b.Paged, b.Bias64[lo:hi])
	}
	if b.VarStart != nil {
		scratch.Release(b.Paged, b.VarStart[lo:hi+1])
		scratch.Release(b.Paged, b.InputStart[lo:hi+1])
	}
}

// releaseRows is Release for an array with so many entries per potential, or compressed rows.
func releaseRows[T scratch.Number](b *Block, entries []T, start []int32, width, lo, hi int) {
	if entries == nil {
		return
	}
	if start != nil {
		lo, hi = int(start[lo]), int(start[hi])
	} else {
		lo, hi = lo*width, hi*width
	}
	scratch.Release(b.Paged, entries[lo:hi])
}

// Hard tells whether the model has hard constraints.
func (m *Model) Hard() bool {
	for _, b := range m.Blocks {
		if b.Kind.Hard() && b.Len > 0 {
			return true
		}
	}
	return false
}

package consensus

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Blocks tell each other values in steps of 2^-fraction: 32 bits have room for those beyond the box.
const fraction = 29

// finest is the power of two of the least ρ that multipliers are counted in, steepest that of the largest.
const finest, gentle, steepest = -12, -4, 8

// Block is a part of a problem: its ground rules, and what pulls the variables that it shares to what the blocks have
// agreed on. It is not safe for concurrent use.
type Block struct {
	// Blocks is how many there are, Number which of them this one is, from 0.
	Blocks, Number int
	// Variables are the numbers in the whole.
	Variables []int32
	// foreign has a bit for each potential that another block counts.
	foreign     bitset.Set
	shared      []sharing
	hubs        bool       // whether any block's variables have them
	base, field *mrf.Field // the latter with the pull as the last potentials
	singles     *mrf.Singles
	slope       []float64
	weights     []float64
	inputs      []float64 // with those of the pull at the end
	pull        int       // number of the first potential of the pull
	unit        unit
	certify     *solve.Certifier
	threads     int
	state       state
}

// state is what a block goes on from: together with the problem it says all that follows.
type state struct {
	Round int
	// Log is the power of two that ρ is multiplied by.
	Log int
	// Lambda counts multipliers in steps of 2^(finest-fraction) times the variable's scale; Mean has what was agreed, in
	// steps of 2^-fraction.
	Lambda []int64
	Mean   []int32
	// Middle is the mean of the points themselves, which those told lie beyond.
	Middle []float64
	Y      []float64
	Mu     []float64 // of all potentials; nil before the first solve, and where all are squares: theirs follow from Y
	// Point is the best point: Y with the agreed values.
	Best  float64 // the best objective of the whole
	Bound float64 // the best dual bound of the whole
	// OwnBest and OwnBound are the block\'s terms of these, Violation is that at Point.
	OwnBest, OwnBound, Violation float64
	Point                        []float64
	Settled                      int // rounds since ρ was changed
	// Tolerance is what the next local solve may leave of its energy; 0 if that is not known.
	Tolerance float64
	// Apart and Moved are those of Sums, to be told.
	Apart, Moved float64
	// Solved tells that Own, and Told for each shared variable, are what the block tells in this round, in steps of
	// 2^-fraction; else it is to solve first.
	Solved bool
	Own    Sums
	Told   []int32
}

// MostBlocks is how many blocks there can be.
const MostBlocks = 64

// New makes the blocks of a field that is cut as of says, which has the block of each potential.
func New(field *mrf.Field, of []int32, blocks int, threads int) []*Block {
	m := field.Model
	masks := home(m, of)
	variables := make([][]int32, blocks)
	for i, mask := range masks {
		for ; mask != 0; mask &= mask - 1 {
			b := bits.TrailingZeros64(mask)
			variables[b] = append(variables[b], int32(i))
		}
	}
	potentials := deal(m, of, masks, blocks)
	all := sharings(variables, curvatures(field))
	hubs := slices.ContainsFunc(masks, func(mask uint64) bool { return bits.OnesCount64(mask) > mostDirect })
	out := make([]*Block, blocks)
	for b := range out {
		part := partition.Extract(m, variables[b], potentials[b])
		share(part, b, all[b])
		out[b] = newBlock(b, part, part.Condition(field), unit{field.Unit(), field.Grain()}, all[b], threads)
		out[b].Blocks, out[b].hubs = blocks, hubs
		out[b].foreign = make([]uint64, (len(potentials[b])+63)/64)
		for k, place := range potentials[b] {
			if of[place] != int32(b) {
				out[b].foreign.Add(k)
			}
		}
	}
	return out
}

// closures bounds the passes by which hard constraints bring variables together.
const closures = 4

// home returns the blocks of each variable, as bits: those of its potentials. A hard constraint that has a shared
// variable is to be in all blocks of all its variables: what each of them satisfies, their mean does.
func home(m *mrf.Model, of []int32) []uint64 {
	masks := make([]uint64, m.Variables)
	each(m, func(place int, _ *mrf.Block, ids []int32) {
		for _, i := range ids {
			masks[i] |= 1 << of[place]
		}
	})
	for pass, grown := 0, true; grown && pass < closures; pass++ {
		grown = false
		each(m, func(_ int, b *mrf.Block, ids []int32) {
			if !b.Kind.Hard() {
				return
			}
			all := uint64(0)
			for _, i := range ids {
				all |= masks[i]
			}
			for _, i := range ids {
				grown = grown || masks[i] != all
				masks[i] = all
			}
		})
	}
	return masks
}

// each visits all potentials with their variables.
func each(m *mrf.Model, visit func(place int, b *mrf.Block, ids []int32)) {
	place, row := 0, mrf.RowBuffer{}
	for _, b := range m.Blocks {
		for j := range b.Len {
			visit(place, b, b.Ids(j, &row))
			place++
		}
	}
}

// deal lists the potentials of each block: those all of whose variables it has. Soft ones are then divided among their
// blocks, so that no block is without what holds its variables.
func deal(m *mrf.Model, of []int32, masks []uint64, blocks int) [][]int32 {
	potentials := make([][]int32, blocks)
	each(m, func(place int, b *mrf.Block, ids []int32) {
		mask := uint64(1) << of[place]
		if len(ids) > 0 {
			mask = ^uint64(0)
			for _, i := range ids {
				mask &= masks[i]
			}
		}
		for ; mask != 0; mask &= mask - 1 {
			k := bits.TrailingZeros64(mask)
			potentials[k] = append(potentials[k], int32(place))
		}
	})
	return potentials
}

// share scales the soft potentials that are in several blocks down to one block's part. The parts are powers of two,
// that add up to 1: of 3 blocks, the first has a half.
func share(p *partition.Part, number int, shared []sharing) {
	masks := slices.Repeat([]uint64{1 << number}, len(p.Variables))
	for _, s := range shared {
		for _, b := range s.blocks {
			masks[s.variable] |= 1 << b
		}
	}
	var row mrf.RowBuffer
	for _, b := range p.Model.Blocks {
		for j := range b.Len {
			ids := b.Ids(j, &row)
			if b.Kind.Hard() || len(ids) == 0 {
				continue
			}
			mask := ^uint64(0)
			for _, i := range ids {
				mask &= masks[i]
			}
			if count := bits.OnesCount64(mask); count > 1 {
				if b.Scale == nil {
					b.Scale = slices.Repeat([]float32{1}, b.Len)
				}
				b.Scale[j] *= part(count, bits.OnesCount64(mask&(1<<number-1)))
			}
		}
	}
}

// part is that of the block of some rank among so many.
func part(count, rank int) float32 {
	units := 1 << bits.Len(uint(count-1))
	if rank < units-count {
		return 2 / float32(units)
	}
	return 1 / float32(units)
}

// curvatures returns about how much the energy curves along each variable, as powers of two. A linear potential counts
// as a square: where it has its kink, it is as steep.
func curvatures(field *mrf.Field) []float32 {
	sum := make([]float64, field.Model.Variables)
	var row mrf.RowBuffer
	for _, b := range field.Model.Blocks {
		for j := range b.Len {
			w := field.Weights()[b.Rule]
			if b.Kind.Hard() {
				w = field.Unit()
			}
			if b.Scale != nil {
				w *= float64(b.Scale[j])
			}
			ids, coef := b.Row(j, &row)
			for k, i := range ids {
				sum[i] += 2 * w * coef[k] * coef[k]
			}
		}
	}
	out := make([]float32, len(sum))
	for i, v := range sum {
		_, exponent := math.Frexp(max(v, field.Unit()))
		out[i] = float32(math.Ldexp(1, min(max(exponent-1, -100), 100)))
	}
	return out
}

// unit is the unit of energy of the whole, and its grain.
type unit struct{ mean, grain float64 }

// newBlock adds the pull to a part, which is conditioned as of is: a square |y - x|² for each shared variable, whose
// input x is set in each round.
func newBlock(number int, part *partition.Part, of *mrf.Field, unit unit, shared []sharing, threads int) *Block {
	m := *part.Model
	block := &Block{Number: number, Variables: part.Variables, shared: shared,
		pull: m.Potentials(), unit: unit, threads: threads,
		weights: append(slices.Clone(of.Weights()), 0), inputs: slices.Clone(of.Inputs())}
	pull := &mrf.Block{Rule: m.Rules, Kind: mrf.Absolute, Exponent: 2, Len: len(shared), Coef: []float64{1},
		InputCoef: []float64{-1}}
	for k, s := range shared {
		pull.Vars = append(pull.Vars, s.variable)
		pull.Inputs = append(pull.Inputs, int32(m.Inputs+k))
		pull.Scale = append(pull.Scale, s.scale)
	}
	m.Blocks = append(slices.Clone(m.Blocks), pull)
	m.Rules, m.Inputs = m.Rules+1, m.Inputs+len(shared)
	block.inputs = append(block.inputs, make([]float64, len(shared))...)
	block.field = mrf.NewFieldOn(&m, threads)
	of.Threads = parallel.Threads(threads)
	of.SetUnit(block.unit.mean, block.unit.grain)
	block.base, block.singles, block.certify = of, of.NewSingles(), solve.NewCertifier(of)
	block.slope = make([]float64, m.Variables)
	block.state = state{Lambda: make([]int64, len(shared)), Mean: make([]int32, len(shared)),
		Middle: make([]float64, len(shared)), Told: make([]int32, len(shared)),
		Y: make([]float64, m.Variables), Best: math.Inf(1), Bound: math.Inf(-1), OwnBound: math.Inf(-1),
		Log: gentle}
	return block
}

// Potentials counts its ground rules.
func (b *Block) Potentials() int { return b.pull }

// agreed returns where the inputs of the pull are.
func (b *Block) agreed() []float64 { return b.inputs[len(b.inputs)-len(b.shared):] }

// mean is what was agreed for a shared variable.
func (b *Block) mean(k int) float64 { return math.Ldexp(float64(b.state.Mean[k]), -fraction) }

// lambda is the multiplier of a shared variable.
func (b *Block) lambda(k int) float64 {
	return math.Ldexp(float64(b.state.Lambda[k]), finest-fraction) * float64(b.shared[k].scale)
}

// weigh sets the weight of the pull.
func (b *Block) weigh(rho float64) {
	b.weights[len(b.weights)-1] = rho / 2
	b.field.SetWeights(b.weights)
	b.field.SetUnit(b.unit.mean, b.unit.grain)
}

// coarsest is the relative gap of the first local solves.
const coarsest = 1e-3

// minimise finds y_b. In round 0 nothing pulls.
func (b *Block) minimise(ctx context.Context, feasibility float64) (*solve.Result, error) {
	rho := 0.0
	if b.state.Round > 0 {
		rho = math.Ldexp(1, b.state.Log)
	}
	b.weigh(rho)
	for k, at := range b.agreed() {
		at = b.mean(k)
		if rho > 0 {
			at -= b.lambda(k) / (rho * float64(b.shared[k].scale))
		}
		b.agreed()[k] = at
	}
	b.field.SetInputs(b.inputs)
	gap := coarsest
	if b.state.Tolerance > 0 {
		gap = max(b.state.Tolerance/max(b.unit.grain, b.field.Energy(b.state.Y)), 1e-12)
	}
	// What the mean is to satisfy, blocks satisfy better, unless only just anything does.
	result, err := b.solve(ctx, gap, feasibility/8)
	if err == nil && result.Status == solve.Infeasible {
		result, err = b.solve(ctx, gap, feasibility)
	}
	return result, err
}

// solve is one attempt of minimise.
func (b *Block) solve(ctx context.Context, gap, feasibility float64) (*solve.Result, error) {
	solver := auto.Part(b.field, solve.Settings{Gap: gap, Feasibility: feasibility, Threads: b.threads})
	solver.WarmStart(b.state.Y, b.state.Mu)
	return solver.Solve(ctx)
}

// bound returns a proven lower bound on min f_b(y) + λᵀy over the box: what that is at y, less what the potentials and
// the variables add to the gap. Squares have their derivatives for multipliers, all others those given. What is left
// of the gradient is of the first order; where variables have squares of their own, those absorb it to the second
// (mrf.Singles).
func (b *Block) bound(y, mu []float64) float64 {
	f := b.base
	value := make([]float64, f.Spans())
	slackness := f.Sweep(y, b.slope, func(s *mrf.Span) (gap float64) {
		if squared(s.Block) {
			value[s.Number] = s.Differentiate()
			return 0
		}
		for k, d := range s.D {
			m, more, objective := solve.Contribution(s.Block, s.W(k), d, mu[s.First+k])
			s.D[k], gap, value[s.Number] = m, gap+more, value[s.Number]+objective
		}
		return gap
	})
	total := -slackness
	for _, v := range value {
		total += v
	}
	for k, v := range b.shared {
		b.slope[v.variable] += b.lambda(k)
		total += b.lambda(k) * y[v.variable]
	}
	if b.singles == nil {
		return total - solve.BoxGap(y, b.slope)
	}
	return total - b.singles.Minimise(y, b.slope, 0)
}

// squared tells whether a block's potentials are squares.
func squared(k *mrf.Block) bool { return k.Exponent == 2 && !k.Kind.Hard() }

// cost returns f_b at a point whose shared variables have the agreed values, and the largest violation there.
func (b *Block) cost(y []float64) (objective, violation float64) {
	c := b.certify.CertifyWith(y, func(*mrf.Span) []float64 { return nil },
		func(*mrf.Span, []float64) bool { return false })
	return c.Objective, c.MaxViolation
}

// ByRule returns what the ground rules of each rule cost at a point, and how many of them are active there, by a
// margin: the block's parts of what the whole's do.
func (b *Block) ByRule(y []float64, margin float64) (cost []float64, active []int64) {
	cost, active = make([]float64, b.base.Model.Rules), make([]int64, b.base.Model.Rules)
	b.base.GradientWeights(y, cost)
	for r, w := range b.base.Weights() {
		cost[r] *= w
	}
	slacks := make([]float64, b.pull)
	b.base.Slacks(y, slacks)
	place := 0
	for _, k := range b.base.Model.Blocks {
		bends := k.Kind == mrf.Hinge || k.Kind == mrf.LessEqual
		for range k.Len {
			if !b.foreign.Has(place) && !(bends && slacks[place] < -margin) {
				active[k.Rule]++
			}
			place++
		}
	}
	return cost, active
}

// Weight returns that of a rule.
func (b *Block) Weight(rule int) float64 { return b.weights[rule] }

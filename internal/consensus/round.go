package consensus

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// Settings say when the rounds end.
type Settings struct {
	// Gap is the relative duality gap to prove, Feasibility the largest violation to accept.
	Gap, Feasibility float64
	// Rounds bounds the rounds; 0 means 1000.
	Rounds int
	// OnRound, if set, is called after every round.
	OnRound func(Progress)
	// Keep, if set, keeps a block's state before the block tells its values of a round.
	Keep func(*Block) error
}

// Progress is what a round came to. All blocks have the same.
type Progress struct {
	Round        int          `json:"round"`
	Objective    float64      `json:"objective"` // at the values that the round began with
	Best         float64      `json:"best"`      // objective of any round
	Bound        float64      `json:"dual_bound"`
	Gap          float64      `json:"gap"`
	Violation    float64      `json:"violation"`
	Log          int          `json:"log_rho"`
	Work         float64      `json:"largest_work_seconds"`
	Done         bool         `json:"done"`
	Status       solve.Status `json:"-"` // the worst of the local solves
	apart, moved float64
}

// The relaxation of the values that a block tells, and the local gap as a part of that of the whole.
const (
	relaxation  = 1.6
	localShare  = 30
	pullShare   = 50
	leastShare  = 1e4
	mostRounds  = 1000
	unbalanced  = 10 // squares of distances, from which on ρ changes
	restRounds  = 2  // between two changes of ρ
	lastChanges = 60 // the round after which ρ stays
)

// Run takes rounds until the gap is proven, and returns what the last one came to. The block goes on from its state.
func (b *Block) Run(ctx context.Context, x Exchange, s Settings) (*Progress, error) {
	if s.Rounds == 0 {
		s.Rounds = mostRounds
	}
	for {
		if s.Keep != nil {
			if err := s.Keep(b); err != nil {
				return nil, err
			}
		}
		p, err := b.round(ctx, x, &s)
		if err != nil {
			return nil, err
		}
		if s.OnRound != nil {
			s.OnRound(*p)
		}
		if p.Done {
			return p, nil
		}
	}
}

// round solves, tells, and takes over what the blocks agree on.
func (b *Block) round(ctx context.Context, x Exchange, s *Settings) (*Progress, error) {
	start := time.Now()
	result, err := b.minimise(ctx, s.Feasibility)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	y, mu := slices.Clone(result.Y), slices.Clone(result.Multipliers)
	own := Sums{Bound: b.bound(y, mu), Objective: math.Inf(1), Apart: b.state.Apart, Moved: b.state.Moved,
		Status: result.Status}
	point := slices.Clone(y)
	if b.state.Round > 0 {
		b.settle(point)
		own.Objective, own.Violation = b.cost(point)
	}
	own.Work = time.Since(start).Seconds()
	told := b.tell(y)
	sums, values, err := x.Gather(ctx, b.Number, &Message{b.state.Round, own, b.address(told)})
	if err != nil {
		return nil, err
	}
	b.state.Y, b.state.Mu = y, mu
	p := b.decide(sums, own, point, s)
	b.agree(told, values)
	b.balance(p) // of the next round: the multipliers have moved by the ρ that the values were found with
	b.state.Round++
	return p, nil
}

// settle moves the shared variables of a point to what was agreed.
func (b *Block) settle(point []float64) {
	for k, v := range b.shared {
		point[v.variable] = b.state.Middle[k]
	}
}

// tell returns the values that the block tells of a point: beyond it, as seen from what was agreed.
func (b *Block) tell(y []float64) []int32 {
	told := make([]int32, len(b.shared))
	for k, v := range b.shared {
		at := y[v.variable]
		if b.state.Round > 0 {
			at = b.mean(k) + relaxation*(at-b.mean(k))
		}
		told[k] = int32(math.RoundToEven(math.Ldexp(at, fraction)))
	}
	return told
}

// address sorts values by whom they are for.
func (b *Block) address(told []int32) [][]int32 {
	values := make([][]int32, b.Blocks)
	for k, v := range b.shared {
		for _, other := range v.blocks {
			if int(other) != b.Number {
				values[other] = append(values[other], told[k])
			}
		}
	}
	return values
}

// agree takes the mean of what the blocks told, and moves the multipliers. What rounding leaves of a sum is taken by
// the first of the blocks, one step each, so that all of it is.
func (b *Block) agree(told []int32, values [][]int32) {
	next := make([]int, b.Blocks)
	b.state.Apart, b.state.Moved = 0, 0
	for k, v := range b.shared {
		sum, rank := int64(told[k]), 0
		for r, other := range v.blocks {
			if int(other) == b.Number {
				rank = r
				continue
			}
			sum += int64(values[other][next[other]])
			next[other]++
		}
		count := int64(len(v.blocks))
		mean := sum / count
		if sum%count < 0 {
			mean--
		}
		rest := sum - mean*count
		own := mean
		if int64(rank) < rest {
			own++
		}
		if b.state.Round > 0 {
			b.state.Lambda[k] += (int64(told[k]) - own) << (b.state.Log - finest)
		}
		apart := math.Ldexp(float64(int64(told[k])-own), -fraction)
		moved := math.Ldexp(float64(mean-int64(b.state.Mean[k])), -fraction)
		b.state.Apart += float64(v.scale) * apart * apart
		b.state.Moved += float64(v.scale) * moved * moved
		middle := math.Ldexp(float64(sum)/float64(count), -fraction)
		if b.state.Round > 0 {
			middle = b.mean(k) + (middle-b.mean(k))/relaxation
		}
		b.state.Middle[k] = min(max(middle, 0), 1)
		b.state.Mean[k] = int32(mean)
	}
}

// decide adds up what the blocks told. All blocks come to the same.
func (b *Block) decide(sums []Sums, own Sums, point []float64, s *Settings) *Progress {
	p := &Progress{Round: b.state.Round, Log: b.state.Log}
	for _, o := range sums {
		p.Objective += o.Objective
		p.Bound += o.Bound
		p.Violation = max(p.Violation, o.Violation)
		p.apart, p.moved = p.apart+o.Apart, p.moved+o.Moved
		p.Work = max(p.Work, o.Work)
		p.Status = max(p.Status, o.Status)
	}
	if p.Violation <= s.Feasibility && p.Objective < b.state.Best {
		b.state.Best, b.state.Point = p.Objective, point
		b.state.OwnBest, b.state.Violation = own.Objective, own.Violation
	}
	if p.Bound > b.state.Bound {
		b.state.Bound, b.state.OwnBound = p.Bound, own.Bound
	}
	p.Best, p.Bound = b.state.Best, b.state.Bound
	p.Gap = (p.Best - p.Bound) / max(b.unit, math.Abs(p.Best))
	if math.IsInf(p.Best, 0) {
		p.Gap = math.Inf(1)
	}
	p.Done = p.Gap <= s.Gap || p.Status == solve.Infeasible || b.state.Round+1 >= s.Rounds
	b.tolerate(p, s)
	return p
}

// tolerate says how exact the next local solves are to be: by the gap of the whole, and so that what they leave is
// little beside what the blocks still have to agree on. Otherwise the multipliers would follow their errors.
func (b *Block) tolerate(p *Progress, s *Settings) {
	if math.IsInf(p.Gap, 0) {
		return
	}
	worth := max(b.unit, math.Abs(p.Best)) / float64(b.Blocks)
	b.state.Tolerance = max(p.Gap, s.Gap/4) / localShare * worth
	if apart := p.apart + p.moved; b.state.Round > 1 && apart > 0 {
		pull := math.Ldexp(apart, b.state.Log) / float64(b.Blocks)
		b.state.Tolerance = max(min(b.state.Tolerance, pull/pullShare), s.Gap/leastShare*worth)
	}
}

// balance makes ρ larger where blocks are far from each other, and less where what they agree on moves much.
func (b *Block) balance(p *Progress) {
	b.state.Settled++
	if b.state.Round < 2 || b.state.Round > lastChanges || b.state.Settled < restRounds {
		return
	}
	switch {
	case p.apart > unbalanced*p.moved && b.state.Log < steepest:
		b.state.Log++
		b.state.Settled = 0
	case p.moved > unbalanced*p.apart && b.state.Log > finest:
		b.state.Log--
		b.state.Settled = 0
	}
}

// Answer is a block's part of the whole's: its terms of the best objective and the best dual bound, and the point
// where the former is attained. Without a feasible point, the objective is infinite, and the point the last one.
type Answer struct {
	Objective, Bound, Violation float64
	Point                       []float64
	Rounds                      int
	Unit                        float64
}

// Answer returns the block's.
func (b *Block) Answer() *Answer {
	a := &Answer{b.state.OwnBest, b.state.OwnBound, b.state.Violation, b.state.Point, b.state.Round, b.unit}
	if a.Point == nil {
		a.Point = slices.Clone(b.state.Y)
		b.settle(a.Point)
		_, a.Violation = b.cost(a.Point)
		a.Objective = math.Inf(1)
	}
	return a
}

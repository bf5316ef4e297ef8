package consensus

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
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
	// Keep, if set, keeps a block's state when it has solved, before it tells its values of a round.
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
	if !b.state.Solved {
		if err := b.solved(ctx, s); err != nil {
			return nil, err
		}
		if s.Keep != nil {
			if err := s.Keep(b); err != nil {
				return nil, err
			}
		}
	}
	sums, totals, err := b.gather(ctx, x)
	if err != nil {
		return nil, err
	}
	p := b.decide(sums, s)
	b.agree(totals)
	b.balance(p) // of the next round: the multipliers have moved by the ρ that the values were found with
	b.state.Round++
	b.state.Solved = false
	return p, nil
}

// solved finds what the block tells in a round.
func (b *Block) solved(ctx context.Context, s *Settings) error {
	start := time.Now()
	result, err := b.minimise(ctx, s.Feasibility)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.state.Y, b.state.Mu = result.Y, result.Multipliers
	b.state.Own = Sums{Bound: b.bound(b.state.Y, b.state.Mu), Objective: math.Inf(1), Apart: b.state.Apart,
		Moved: b.state.Moved, Status: result.Status}
	if b.state.Round > 0 {
		b.state.Own.Objective, b.state.Own.Violation = b.cost(b.point())
	}
	if !slices.ContainsFunc(b.base.Model.Blocks, func(k *mrf.Block) bool { return k.Len > 0 && !squared(k) }) {
		b.state.Mu = nil // as much memory as ground rules' numbers take, beside those of the next solve
	}
	b.state.Own.Work = time.Since(start).Seconds()
	b.tell()
	b.state.Solved = true
	return nil
}

// point is where the block is, with the shared variables where it was agreed that they are.
func (b *Block) point() []float64 {
	point := slices.Clone(b.state.Y)
	for k, v := range b.shared {
		point[v.variable] = b.state.Middle[k]
	}
	return point
}

// tell notes the values that the block tells: beyond where it is, as seen from what was agreed.
func (b *Block) tell() {
	for k, v := range b.shared {
		at := b.state.Y[v.variable]
		if b.state.Round > 0 {
			at = b.mean(k) + relaxation*(at-b.mean(k))
		}
		b.state.Told[k] = int32(math.RoundToEven(math.Ldexp(at, fraction)))
	}
}

// agree takes the mean of what the blocks told, and moves the multipliers. What rounding leaves of a sum is taken by
// the first of the blocks, one step each, so that all of it is.
func (b *Block) agree(totals []int64) {
	b.state.Apart, b.state.Moved = 0, 0
	for k, v := range b.shared {
		told, sum := int64(b.state.Told[k]), totals[k]
		count := int64(len(v.blocks))
		mean := sum / count
		if sum%count < 0 {
			mean--
		}
		rest := sum - mean*count
		own := mean
		if rank := slices.Index(v.blocks, int32(b.Number)); int64(rank) < rest {
			own++
		}
		if b.state.Round > 0 {
			b.state.Lambda[k] += (told - own) << (b.state.Log - finest)
		}
		apart := math.Ldexp(float64(told-own), -fraction)
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
func (b *Block) decide(sums []Sums, s *Settings) *Progress {
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
		b.state.Best, b.state.Point = p.Objective, b.point()
		b.state.OwnBest, b.state.Violation = b.state.Own.Objective, b.state.Own.Violation
	}
	if p.Bound > b.state.Bound {
		b.state.Bound, b.state.OwnBound = p.Bound, b.state.Own.Bound
	}
	p.Best, p.Bound = b.state.Best, b.state.Bound
	p.Gap = (p.Best - p.Bound) / max(b.unit.grain, math.Abs(p.Best))
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
	worth := max(b.unit.grain, math.Abs(p.Best)) / float64(b.Blocks)
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
	Unit, Grain                 float64
}

// Answer returns the block's.
func (b *Block) Answer() *Answer {
	a := &Answer{b.state.OwnBest, b.state.OwnBound, b.state.Violation, b.state.Point, b.state.Round,
		b.unit.mean, b.unit.grain}
	if a.Point == nil {
		a.Point = b.point()
		_, a.Violation = b.cost(a.Point)
		a.Objective = math.Inf(1)
	}
	return a
}

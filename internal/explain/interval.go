package explain

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// interval returns the least and the largest value that a variable has in optimal states. These are the states that
// go with the multipliers: walled variables stay, squares keep their slack, tight potentials are tight, linear ones
// stay on their side of the kink, and idle ones hold.
//
// Where these are states of many variables, the interval is that along one direction: all of it costs the same, and
// there may be more.
func (s *State) interval(ctx context.Context, p *piece, i int32) (low, high float64, err error) {
	f := s.face(i)
	if f == nil {
		low, high = s.along(p, i)
		return low, high, nil
	}
	if low, err = f.extreme(ctx, s, 1); err != nil {
		return 0, 0, err
	}
	high, err = f.extreme(ctx, s, -1)
	return snapped(min(low, s.y[i])), snapped(max(high, s.y[i])), err
}

// snapped is a value of a solver, which is 0 or 1 where it is as good as that.
func snapped(y float64) float64 {
	if near := math.Round(y); math.Abs(y-near) <= still {
		return near
	}
	return y
}

// wide is the number of variables from which an interval is sought along one direction.
const wide = 300

// along returns how far a variable gets along the direction in which nothing of its piece costs, the projection of
// e_i onto the null space of K.
func (s *State) along(p *piece, i int32) (low, high float64) {
	column, _ := slices.BinarySearch(p.variables, i)
	residual, x := make([]float64, len(p.units)), make([]float64, len(p.units))
	residual[column] = 1
	for range refinements {
		p.step(residual, x)
		clear(residual)
		residual[column] = 1
		p.subtract(x, residual)
	}
	clear(x)
	p.step(residual, x)
	if x[column] == 0 {
		return s.y[i], s.y[i]
	}
	down, up := math.Inf(-1), math.Inf(1) // steps
	bound := func(room, slope float64) {  // room + slope·t ≥ 0
		switch room = max(0, room); {
		case slope < 0:
			up = min(up, -room/slope)
		case slope > 0:
			down = max(down, -room/slope)
		}
	}
	for k, j := range p.variables {
		if v := x[k] / x[column]; math.Abs(v) > silent {
			bound(s.y[j], v)
			bound(1-s.y[j], -v)
			s.rooms(p, j, x, x[column], bound)
		}
	}
	return s.y[i] + down, s.y[i] + up
}

// rooms bounds the steps by the potentials of a variable that have a side to stay on.
func (s *State) rooms(p *piece, j int32, x []float64, unit float64, bound func(room, slope float64)) {
	for _, place := range s.index.Of(j, nil) {
		at := s.look(place)
		if p.couples(&at) || at.w == 0 && !at.block.Kind.Hard() || at.block.Kind == mrf.Linear {
			continue
		}
		slope := 0.0
		for k, i := range at.ids {
			if column, in := slices.BinarySearch(p.variables, i); in {
				slope += at.coef[k] * x[column] / unit
			}
		}
		if at.standing == above {
			bound(at.d, slope)
		} else {
			bound(-at.d, -slope)
		}
	}
}

// face is the optimal states around one, as far as they concern one variable.
type face struct {
	variables []int32
	equal     *mrf.Block // a·y + c = 0
	below     *mrf.Block // a·y + c ≤ 0
	target    int32
	y         []float64
}

// face gathers what a variable is connected with by potentials that bound how far free variables can move; nil if
// that is wide.
func (s *State) face(i int32) *face {
	f := &face{variables: []int32{i}, equal: rows(mrf.Equal), below: rows(mrf.LessEqual)}
	local := map[int32]int32{i: 0}
	var places []int32
	for next := 0; next < len(f.variables) && len(f.variables) <= wide; next++ {
		for _, place := range s.index.Of(f.variables[next], nil) {
			if !s.see(place) {
				continue
			}
			places = append(places, int32(place))
			at := s.look(place)
			if at.w == 0 && !at.block.Kind.Hard() || at.block.Kind == mrf.Linear {
				continue
			}
			for _, k := range at.ids {
				if _, known := local[k]; !known && s.isFree(k) {
					local[k] = int32(len(f.variables))
					f.variables = append(f.variables, k)
				}
			}
		}
	}
	s.forget(places)
	if len(f.variables) > wide {
		return nil
	}
	slices.Sort(places)
	for _, place := range places {
		f.bound(s, int(place), local)
	}
	f.y = pick(s.y, f.variables)
	return f
}

// bound writes what a potential forbids.
func (f *face) bound(s *State, place int, local map[int32]int32) {
	at := s.look(place)
	switch {
	case at.w == 0 && !at.block.Kind.Hard() || at.block.Kind == mrf.Linear:
	case at.standing == square || at.standing == tight:
		f.row(s, &at, f.equal, 1, local)
	case at.standing == idle:
		f.row(s, &at, f.below, 1, local)
	case at.standing == above:
		f.row(s, &at, f.below, -1, local)
	default:
		f.row(s, &at, f.below, 1, local)
	}
}

// row writes sign·(a·y - a·y of the state) + slack ≤ 0 or = 0, for a slack that the state has, but not more than 0.
func (f *face) row(s *State, at *potential, b *mrf.Block, sign float64, local map[int32]int32) {
	constant := 0.0
	if b.Kind == mrf.LessEqual {
		constant = min(0, sign*at.d)
	}
	first := len(b.Vars)
	for k, i := range at.ids {
		if column, is := local[i]; is {
			b.Vars = append(b.Vars, column)
			b.VarCoef.Append(sign * at.coef[k])
			constant -= sign * at.coef[k] * s.y[i]
		}
	}
	if len(b.Vars) == first {
		return
	}
	b.VarStart, b.InputStart = append(b.VarStart, int32(len(b.Vars))), append(b.InputStart, 0)
	b.Bias64 = append(b.Bias64, constant)
	b.Len++
}

// rows returns an empty block.
func rows(kind mrf.Kind) *mrf.Block {
	return &mrf.Block{Kind: kind, VarStart: []int32{0}, InputStart: []int32{0}, Bias64: []float64{}}
}

// extreme minimises sign·y of the variable over the face.
func (f *face) extreme(ctx context.Context, s *State, sign float64) (float64, error) {
	model := &mrf.Model{Variables: len(f.variables), Rules: 1, Blocks: []*mrf.Block{
		{Kind: mrf.Linear, Exponent: 1, Len: 1, Coef: []float64{sign}, Vars: []int32{f.target}, Constant: max(0, -sign)},
		f.equal, f.below,
	}}
	limits := solve.Settings{Gap: still, Feasibility: still, Threads: s.settings.Threads, TimeLimit: s.settings.TimeLimit}
	result, err := interior.New(mrf.NewFieldOn(model, limits.Threads), limits).Solve(ctx)
	if err != nil {
		return 0, err
	}
	if result.MaxViolation > 10*still || math.IsNaN(result.Y[f.target]) {
		return f.y[f.target], ctx.Err()
	}
	return result.Y[f.target], ctx.Err()
}

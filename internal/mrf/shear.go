package mrf

import "math"

// Shear is a hard constraint that is written by what it has beside a hard equation: as it is, less a multiple of that.
type Shear struct {
	Row, Equation int // places among all potentials, in the order of the blocks
	Times         float64
}

// What a constraint has beside a multiple of an equation is between so much of its largest coefficient, for it to be
// written by that: 1.0001 a - b <= 0.00005 beside a - b = 0 says that a <= 0.5, by a multiplier that is 10,000 times as
// large, of which methods lose the digits. Of less, rounding would be too large a part.
const leastBeside, mostBeside = 1e-6, 0.01

// Sheared returns the model with hard constraints that are nearly multiples of a hard equation of the same variables
// written by what they have beside it: they hold for the same points. The model itself and nil say that there are none,
// or that it is beyond memory.
func (m *Model) Sheared() (sheared *Model, shears []Shear) {
	if m.Paged() != nil {
		return m, nil
	}
	s := shearing{model: m, equations: make(map[uint64]rowOf), of: make(map[int]Shear), from: make(map[int]rowOf)}
	s.eachHard(func(at rowOf, equal bool, vars []int32) {
		if !equal {
			return
		}
		h := hashed(vars)
		if _, there := s.equations[h]; !there {
			s.equations[h] = at
		}
	})
	if len(s.equations) == 0 {
		return m, nil
	}
	blocks := append([]*Block(nil), m.Blocks...)
	s.eachHard(func(at rowOf, _ bool, vars []int32) {
		if e, there := s.equations[hashed(vars)]; there && e != at {
			if times, ok := s.beside(at, e); ok {
				shears = append(shears, Shear{at.place, e.place, times})
				s.of[at.place], s.from[at.place], blocks[at.block] = shears[len(shears)-1], e, nil
			}
		}
	})
	if shears == nil {
		return m, nil
	}
	first := 0
	for k, b := range m.Blocks {
		if blocks[k] == nil {
			blocks[k] = s.rewritten(b, first)
		}
		first += b.Len
	}
	return &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules, Blocks: blocks}, shears
}

// rowOf is where a constraint is.
type rowOf struct{ block, j, place int }

type shearing struct {
	model     *Model
	equations map[uint64]rowOf // by their variables; the first of each
	of        map[int]Shear    // by the row's place
	from      map[int]rowOf    // the equation, likewise
	a, b      RowBuffer
}

// eachHard visits the hard constraints of several variables and no inputs.
func (s *shearing) eachHard(visit func(at rowOf, equal bool, vars []int32)) {
	first := 0
	for k, b := range s.model.Blocks {
		for j := 0; b.Kind.Hard() && j < b.Len; j++ {
			if vars, _ := b.Row(j, &s.a); len(vars) > 1 && len(b.InputRow(j)) == 0 {
				visit(rowOf{k, j, first + j}, b.Kind == Equal, vars)
			}
		}
		first += b.Len
	}
}

// hashed is the same number for the same variables in any order.
func hashed(vars []int32) (h uint64) {
	for _, i := range vars {
		x := (uint64(uint32(i)) + 1) * 0x9E3779B97F4A7C15
		x ^= x >> 29
		h += x * 0xBF58476D1CE4E5B9
	}
	return h
}

// beside tells which multiple of an equation a constraint nearly is, and whether it is to be written by the rest.
func (s *shearing) beside(at, e rowOf) (times float64, ok bool) {
	vars, coef := s.model.Blocks[at.block].Row(at.j, &s.a)
	others, of := s.model.Blocks[e.block].Row(e.j, &s.b)
	if len(vars) != len(others) {
		return 0, false
	}
	by, heaviest := make(map[int32]float64, len(others)), 0
	for l, i := range others {
		if by[i] = of[l]; math.Abs(of[l]) > math.Abs(of[heaviest]) {
			heaviest = l
		}
	}
	for l, i := range vars {
		if _, in := by[i]; !in {
			return 0, false
		}
		if i == others[heaviest] {
			times = coef[l] / of[heaviest]
		}
	}
	rest := 0.0
	for l, i := range vars {
		rest = max(rest, math.Abs(coef[l]-times*by[i]))
	}
	part := rest / largest(coef)
	return times, part >= leastBeside && part <= mostBeside
}

// rewritten returns a block, the first of whose constraints is at a place, with those that are sheared written so.
func (s *shearing) rewritten(b *Block, first int) *Block {
	out := &Block{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Len: b.Len, Scale: b.Scale, VarStart: []int32{0},
		InputStart: []int32{0}, Bias64: make([]float64, b.Len)}
	for j := range b.Len {
		vars, coef := b.Row(j, &s.a)
		constant, by := b.Constant+b.Own(j), map[int32]float64(nil)
		if shear, is := s.of[first+j]; is {
			e := s.from[shear.Row]
			others, of := s.model.Blocks[e.block].Row(e.j, &s.b)
			by = make(map[int32]float64, len(others))
			for l, i := range others {
				by[i] = shear.Times * of[l]
			}
			constant -= shear.Times * (s.model.Blocks[e.block].Constant + s.model.Blocks[e.block].Own(e.j))
		}
		for l, i := range vars {
			if left := coef[l] - by[i]; by == nil || math.Abs(left) > leastBeside*leastBeside*math.Abs(coef[l]) {
				out.Vars = append(out.Vars, i)
				out.VarCoef.Append(left)
			}
		}
		for l, i := range b.InputRow(j) {
			out.Inputs = append(out.Inputs, i)
			out.InputValue.Append(b.InputCoefficient(j, l))
		}
		out.Bias64[j] = constant
		out.VarStart = append(out.VarStart, int32(len(out.Vars)))
		out.InputStart = append(out.InputStart, int32(len(out.Inputs)))
	}
	return out
}

package solve

import (
	"cmp"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// OnGrid returns values near y, of so few digits that sums of them are exact, at which linear potentials that hold, but
// for rounding, hold to the last digit where that alone would cost more than an even share of the gap; nil if there are
// none. Of rules that weigh far more than others, the last digits of values can cost more than the gap may be.
//
// Each such sum has a variable of its own, which takes what is left of it: a variable that is in no other sum, or in
// those alone that have one of their own before. Sums for which there is none, as around a cycle, mostly follow from
// others.
func OnGrid(field *mrf.Field, y []float64, gap float64) []float64 {
	share := gap * max(field.Grain(), math.Abs(field.Energy(y))) / float64(max(1, field.Model.Potentials()))
	g := grid{y: slices.Clone(y), in: make([][]int32, len(y)), left: make([]int32, len(y)), bits: digits, share: share}
	g.find(field)
	if len(g.sums) == 0 {
		return nil
	}
	for i, sums := range g.in {
		if g.left[i] = int32(len(sums)); len(sums) > 0 {
			g.y[i] = math.Ldexp(math.Round(math.Ldexp(g.y[i], g.bits)), -g.bits)
		}
	}
	own := g.own()
	for _, k := range slices.Backward(own) {
		g.settle(&g.sums[k])
	}
	return g.y
}

// grid is what OnGrid works on.
type grid struct {
	y    []float64
	sums []sum
	in   [][]int32 // the sums that each variable is in
	left []int32   // how many of these have no variable of their own yet
	bits int       // of values behind the point
	// share is what of the gap is left for each potential.
	share float64
}

// sum is one that is to be 0, or not above.
type sum struct {
	vars     []int32
	coef     []float64
	constant float64
	weight   float64
	limit    bool    // not above
	integers bool    // coefficients are, times a power of two
	own      []int32 // entries of variables of its own, the first of which takes what is left
	done     bool    // it has one, or none is left for it
}

// digits are those that values have behind the point, and fewest those that they keep, as sums of integers times them
// have more in front of it.
const digits, fewest = 53, 41

// find collects the sums and the digits that values may have.
func (g *grid) find(field *mrf.Field) {
	for p := range linear(field) {
		if v, squares := sumOf(p.vars, p.coef, p.constant, g.y); !(p.weight*Roundoff(v, squares) > g.share) {
			continue
		}
		for _, i := range p.vars {
			g.in[i] = append(g.in[i], int32(len(g.sums)))
		}
		s := sum{vars: slices.Clone(p.vars), coef: slices.Clone(p.coef), constant: p.constant, weight: p.weight}
		s.limit = p.hinge
		if n := digits - carries(p.coef); n >= fewest {
			s.integers, g.bits = true, min(g.bits, n)
		}
		g.sums = append(g.sums, s)
	}
}

// sumOf is a sum, and the squares of its coefficients added up: of its terms where values are 1.
func sumOf(vars []int32, coef []float64, constant float64, y []float64) (v, squares float64) {
	v = constant
	for e, i := range vars {
		v += coef[e] * y[i]
		squares += coef[e] * coef[e]
	}
	return v, squares
}

// carries is how many digits more than a value a sum of integers times values has, if these are integers times a power
// of two.
func carries(coef []float64) int {
	unit, all := math.MaxInt, 0.0
	for _, a := range coef {
		fraction, exponent := math.Frexp(a)
		bits := int64(math.Ldexp(fraction, digits))
		for exponent -= digits; bits != 0 && bits%2 == 0; exponent++ {
			bits /= 2
		}
		if bits != 0 {
			unit = min(unit, exponent)
		}
		all += math.Abs(a)
	}
	_, carry := math.Frexp(all)
	return carry - unit
}

// own finds variables of their own for sums, and returns these in that order.
func (g *grid) own() (order []int32) {
	light := make([]int32, len(g.sums))
	for k := range light {
		light[k] = int32(k)
	}
	slices.SortStableFunc(light, func(a, b int32) int { return cmp.Compare(g.sums[a].weight, g.sums[b].weight) })
	queue := slices.Clone(light)
	for {
		for len(queue) > 0 {
			k := queue[0]
			if queue = queue[1:]; g.sums[k].done || !g.choose(&g.sums[k]) {
				continue
			}
			order = append(order, k)
			queue = g.leave(k, queue)
		}
		for len(light) > 0 && g.sums[light[0]].done {
			light = light[1:]
		}
		if len(light) == 0 {
			return order
		}
		queue = g.leave(light[0], queue[:0])
	}
}

// choose finds variables of its own for a sum, that first which is to take what is left: of integers the one of the
// least coefficient, of which others are mostly multiples, and else of the largest, so that it goes the least way.
func (g *grid) choose(s *sum) bool {
	for e, i := range s.vars {
		if g.left[i] == 1 && s.coef[e] != 0 && g.y[i] >= inner && g.y[i] <= 1-inner {
			s.own = append(s.own, int32(e))
		}
	}
	slices.SortStableFunc(s.own, func(a, b int32) int {
		if !s.integers {
			a, b = b, a
		}
		return cmp.Compare(math.Abs(s.coef[a]), math.Abs(s.coef[b]))
	})
	return len(s.own) > 0
}

// inner is how far from its bounds a variable is that can take what is left of a sum.
const inner = 1e-9

// leave takes a sum out of those that have no variable of their own yet, and adds others to the queue that may now have
// one.
func (g *grid) leave(k int32, queue []int32) []int32 {
	g.sums[k].done = true
	for _, i := range g.sums[k].vars {
		if g.left[i]--; g.left[i] != 1 {
			continue
		}
		for _, other := range g.in[i] {
			if !g.sums[other].done {
				queue = append(queue, other)
			}
		}
	}
	return queue
}

// settle has a sum's first variable of its own take what is left of it, and a little more of what must not be above 0.
// Where a rounding of that remains, the next two are moved by some of their last digits, so that it is the least.
func (g *grid) settle(s *sum) {
	i, a := s.vars[s.own[0]], s.coef[s.own[0]]
	g.y[i] = min(max(g.y[i]-g.exact(s)/a, 0), 1)
	d := g.exact(s)
	switch {
	case s.limit && d > 0:
		g.y[i] = min(max(math.Nextafter(g.y[i], math.Inf(-1)*a), 0), 1)
	case !s.limit && d != 0 && len(s.own) > 1:
		g.combine(s, d)
	}
}

// combine moves up to three variables of a sum, whose value is d, by so many of their last digits that the least is
// left: those whose last digits push it least.
func (g *grid) combine(s *sum, d float64) {
	last := func(e int32) float64 {
		y := g.y[s.vars[e]]
		return math.Nextafter(y, 1) - y
	}
	slices.SortStableFunc(s.own, func(a, b int32) int {
		return cmp.Compare(math.Abs(s.coef[a])*last(a), math.Abs(s.coef[b])*last(b))
	})
	own := s.own[:min(3, len(s.own))]
	var unit, push [3]float64
	for k, e := range own {
		unit[k] = last(e)
		push[k] = unit[k] * s.coef[e]
	}
	least, best := math.Abs(d), [3]float64{}
	for m := 0; m <= 2*moves && least*s.weight > g.share; m++ {
		for n := range 2*moves + 1 {
			second, third := float64(m-moves), float64(n-moves)
			rest := d + second*push[1] + third*push[2]
			first := -math.Round(rest / push[0])
			if left := math.Abs(rest + first*push[0]); left < least {
				least, best = left, [3]float64{first, second, third}
			}
			if len(own) < 3 {
				break
			}
		}
	}
	for k, e := range own {
		g.y[s.vars[e]] += best[k] * unit[k]
	}
}

// moves is by how many of its last digits a variable is moved at most.
const moves = 32

// exact is a sum that is rounded once.
func (g *grid) exact(s *sum) float64 {
	d := Sum{high: s.constant}
	for e, i := range s.vars {
		d.AddProduct(s.coef[e], g.y[i])
	}
	return d.Value()
}

package interior

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/basis"
	"github.com/deeppsl/deeppsl/internal/ldl"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// sparse is the matrix of a step as a sparse quasi-definite one,
//
//	[ D + Σ θ a aᵀ    Kᵀ  ]
//	[      K         -Θ⁻¹ ],
//
// where the sum is over short soft rows, which make few entries, and K has the others: hard rows, whose stiffness θ
// would drown what else is in the sum, and long ones, which would fill it.
type sparse struct {
	kept     []int32 // the rows of K, by their numbers in the program
	pattern  ldl.Pattern
	pairs    []int32 // of the rows in the sum, one after the other: where the products of two entries go in numbers
	summed   int     // the numbers that the sum makes; the others are K's
	diagonal []float64
	numbers  []float64
	symbolic *ldl.Symbolic
	factored *ldl.Factor
	form     uint64  // of the program that it is for
	nest     nest    // of the rows of several variables, for solutions without the factor
	twins    []twin  // of kept rows, in the order of these
	follow   []int32 // rows that follow from others, until they are left out

	terms []int32 // of the combination in x: the kept rows in it
	left  float64 // that may be as much somewhere in the box, though it vanishes but for rounding

	lost                bool // a pivot of the factor, to rounding
	x, rest, correction []float64
	easing              easing
}

// perThousand and perNonzero are the nanoseconds that a step takes for a thousand flops of a factor, and an entry, and
// perSolved those of a solution, for an entry.
const perThousand, perNonzero, perSolved = 75, 12, 7

// short is the number of entries of soft rows that go into the sum.
const short = 4

// newSparse finds the structure of a program's matrix.
func newSparse(p *program) *sparse {
	s := &sparse{form: p.form(), nest: p.nest()}
	s.keep(p)
	s.layPairs(p)
	s.layRows(p)
	size := p.n + len(s.kept)
	for _, v := range []*[]float64{&s.diagonal, &s.x, &s.rest, &s.correction} {
		*v = make([]float64, size)
	}
	return s
}

// eachPair visits the pairs of entries of all rows in the sum: the larger variable and the smaller one.
func eachPair(p *program, visit func(high, low int32)) {
	for _, j := range p.several {
		r := &p.rows[j]
		if r.kept {
			continue
		}
		for k := r.first; k < r.last; k++ {
			for l := r.first; l < k; l++ {
				visit(max(p.index[k], p.index[l]), min(p.index[k], p.index[l]))
			}
		}
	}
}

// layPairs finds the pattern of the sum, by columns, and where each pair of entries goes.
func (s *sparse) layPairs(p *program) {
	start := make([]int, p.n+1)
	eachPair(p, func(_, low int32) { start[low+1]++ })
	for i := range p.n {
		start[i+1] += start[i]
	}
	s.pairs = make([]int32, start[p.n])
	rows, numbers := make([]int32, start[p.n]), make([]int32, start[p.n])
	at, pair := append([]int(nil), start...), int32(0)
	eachPair(p, func(high, low int32) {
		rows[at[low]], numbers[at[low]] = high, pair
		at[low]++
		pair++
	})
	seen := make([]int32, p.n)
	s.pattern.Start = append(make([]int, 0, p.n+1), 0)
	for i := range p.n {
		first := int32(len(s.pattern.Row))
		for k := start[i]; k < start[i+1]; k++ {
			place := seen[rows[k]] - 1
			if place < first {
				place = int32(len(s.pattern.Row))
				s.pattern.Row = append(s.pattern.Row, rows[k])
				seen[rows[k]] = place + 1
			}
			s.pairs[numbers[k]] = place
		}
		s.pattern.Start = append(s.pattern.Start, len(s.pattern.Row))
	}
	s.summed = len(s.pattern.Row)
}

// layRows adds K: a column for each of its rows.
func (s *sparse) layRows(p *program) {
	s.numbers = make([]float64, s.summed)
	for _, j := range s.kept {
		r := &p.rows[j]
		s.pattern.Row = append(s.pattern.Row, p.index[r.first:r.last]...)
		s.numbers = append(s.numbers, p.coef[r.first:r.last]...)
		s.pattern.Start = append(s.pattern.Start, len(s.pattern.Row))
	}
}

// analyse orders the matrix, once; it tells whether its factor is worth so many flops, unless it was told to stop.
func (s *sparse) analyse(flops float64, stop func() bool) (ok bool) {
	if s.symbolic == nil {
		s.symbolic, ok = ldl.AnalyseWithin(&s.pattern, flops, stop)
		return ok
	}
	return true
}

// work is what a factorisation takes, in about nanoseconds, once the matrix is analysed; infinite if it is not worth
// what that was about.
func (s *sparse) work() float64 {
	if s.symbolic == nil {
		return math.Inf(1)
	}
	return perThousand*s.symbolic.Flops/1000 + perNonzero*s.symbolic.Entries
}

// factor implements matrix.
func (s *sparse) factor(p *program) bool {
	if s.factored == nil {
		negative := make([]bool, len(s.diagonal))
		for k := range s.kept {
			negative[p.n+k] = true
		}
		s.analyse(math.Inf(1), nil)
		s.factored = ldl.NewFactor(s.symbolic, negative, p.threads)
	}
	s.leaveOut(p)
	s.assemble(p)
	for _, v := range s.diagonal {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	if !s.refactor(p) {
		return false
	}
	if !p.examined {
		p.examined = true
		if s.examine(p) && !p.inconsistent {
			p.curvature()
			s.assemble(p)
			return s.refactor(p)
		}
	}
	return true
}

// refactor factors the matrix as it is, unless time is up: then nothing that follows counts.
func (s *sparse) refactor(p *program) bool {
	lost, whole := s.factored.Factor(s.diagonal, s.numbers, p.stop)
	s.lost, p.ended = lost > 0, !whole
	return whole
}

// assemble writes the matrix's numbers.
func (s *sparse) assemble(p *program) {
	copy(s.diagonal, p.diagonal)
	clear(s.numbers[:s.summed])
	pair := 0
	for _, j := range p.several {
		r := &p.rows[j]
		if r.kept {
			continue
		}
		for k := r.first; k < r.last; k++ {
			a := r.stiffness * p.coef[k]
			s.diagonal[p.index[k]] += a * p.coef[k]
			for l := r.first; l < k; l++ {
				s.numbers[s.pairs[pair]] += a * p.coef[l]
				pair++
			}
		}
	}
	for k, j := range s.kept {
		s.diagonal[p.n+k] = p.rows[j].stiffness
	}
	for _, t := range s.twins {
		s.diagonal[p.n+int(t.of)] += t.times * p.rows[t.row].stiffness * t.times
	}
	for k := range s.kept {
		s.diagonal[p.n+k] = -1 / s.diagonal[p.n+k]
	}
}

// refinements bounds the steps of iterative refinement: few while the point is far from the solution.
const (
	refinements, moreRefinements = 1, 5
	close                        = 1e3
	// tolerable is the part of the right-hand side that may remain, and exact what need not be refined; of rows, little is
	// rounding.
	tolerable, exact, little = 1e-3, 1e-9, 1e-12
)

// solve implements matrix. The residuals of the variables and of the rows are of different sizes, so that both have to
// get smaller.
func (s *sparse) solve(p *program) {
	if p.ended {
		return
	}
	right := s.rest
	copy(right, p.rhs)
	s.lifts(p, right[p.n:])
	copy(s.x, right)
	s.factored.Solve(s.x)
	most := refinements
	if p.best < close {
		most = moreRefinements
	}
	first, second := largest(right[:p.n]), largest(right[p.n:])
	upper, lower := math.Inf(1), math.Inf(1)
	for k := range most + 1 {
		copy(s.correction, right)
		s.subtractProduct(s.x, s.correction)
		e, f := largest(s.correction[:p.n]), largest(s.correction[p.n:])
		p.rough = s.lost && p.firm == 0 || !(e <= tolerable*max(first, second) && f <= tolerable*max(second, 1))
		if k == most || !(e < upper/2 || f < lower/2) || e <= exact*first && f <= max(exact*second, little) {
			break
		}
		upper, lower = e, f
		s.factored.Solve(s.correction)
		for i, v := range s.correction {
			s.x[i] += v
		}
	}
	// What is left where a pivot was lost is pushes that nothing balances: that is to be less than the gap.
	p.rough = p.rough || s.lost && p.firm < floor && sum(s.correction[:p.n]) > p.unproven
	if p.firm > 0 && !p.rough && !p.predicts && p.best < close {
		s.ease(p)
	}
	copy(p.dy, s.x)
	for k, j := range s.kept {
		p.rows[j].dmu = s.x[p.n+k]
	}
	s.dealOut(p)
}

// subtractProduct subtracts the product of the matrix with x from out.
func (s *sparse) subtractProduct(x, out []float64) {
	for j, v := range x {
		sum := s.diagonal[j] * v
		for e := s.pattern.Start[j]; e < s.pattern.Start[j+1]; e++ {
			i, a := s.pattern.Row[e], s.numbers[e]
			sum += a * x[i]
			out[i] -= a * v
		}
		out[j] -= sum
	}
}

// Equations that follow from others leave a pivot of nothing but rounding, and steps of any length along their
// combination. They are found in the first matrix of a program: weak is the part of its row's diagonal below which a
// pivot is looked at, and none the part of a combination that may remain. A pivot is about the square of what remains,
// so that long chains of equations, which are nearly dependent, are told from these. Pivots that come before those of
// the row's variables are weak, too, and lead to the same few combinations: another is the part of one that must be
// left without those that were found for it to be one more. leastSearched is how many pivots are looked at even where a
// factorisation takes less.
const (
	weak          = 1e-9
	none          = 1e-10
	another       = 1e-6
	leastSearched = 8
)

// examine finds equations that follow from others, which take no part in any step, and tells whether there are any, as
// far as that takes no longer than a factorisation, or few solutions. If one contradicts those that it follows from, by
// more than rounding of tables can be, their multipliers are the proof.
func (s *sparse) examine(p *program) (found bool) {
	solves := max(leastSearched, s.work()/(perSolved*s.symbolic.Entries))
	var known []combination
	for k, j := range s.kept {
		r := &p.rows[j]
		if !r.equation() || r.idle || !s.weak(p, k) {
			continue
		}
		if solves--; solves < 0 {
			break
		}
		if p.stop != nil && p.stop() {
			p.examined = false
			break
		}
		if !s.combine(p, k, known) {
			continue
		}
		most := s.largestEquation(p)
		switch follows, contradicts := s.judge(p); {
		case contradicts:
			return true
		case follows:
			p.rows[s.kept[most]].idle = true
			known = append(known, combination{most, slices.Clone(s.x[p.n:])})
		}
	}
	return known != nil
}

// judge tells, of the combination in x, which vanishes, whether its equations say the same by their constants, or
// contradict each other, as their multipliers then show.
func (s *sparse) judge(p *program) (follows, contradicts bool) {
	accepted, nothing := solve.Contradiction(p.feasibility), s.constant(p)
	if nothing-s.left > presolve.Affordable*accepted {
		s.contradict(p)
		return false, true
	}
	return nothing <= accepted/4, false
}

// combination is one of the kept rows that vanishes, and the row that is left out for it, whose coefficient is 1 or -1.
type combination struct {
	row  int
	coef []float64
}

// equation tells whether a row is hard and has no bound on its multiplier.
func (r *row) equation() bool { return !r.lower && !r.upper && r.compliance == 0 }

// largestEquation is the kept equation that has the largest part in the combination in x.
func (s *sparse) largestEquation(p *program) (most int) {
	size := 0.0
	for _, k := range s.terms {
		if v := math.Abs(s.x[p.n+int(k)]); v > size && p.rows[s.kept[k]].equation() {
			most, size = int(k), v
		}
	}
	return most
}

// weak tells whether the pivot of a kept row is next to nothing of what its diagonal would be.
func (s *sparse) weak(p *program, k int) bool {
	r, whole := &p.rows[s.kept[k]], 0.0
	for e := r.first; e < r.last; e++ {
		whole += p.coef[e] * p.coef[e] / s.diagonal[p.index[e]]
	}
	pivot := s.factored.Pivot(p.n + k)
	return !(-pivot > weak*whole && -pivot < whole/weak)
}

// combine sets x to the combination of the kept rows of which that one's pivot says that it vanishes, without those
// that are known, and tells whether there is one.
func (s *sparse) combine(p *program, k int, known []combination) bool {
	clear(s.x)
	s.x[p.n+k] = 1
	s.factored.Solve(s.x)
	v := s.x[p.n:]
	normalise(v)
	for _, c := range known {
		part := v[c.row] / c.coef[c.row]
		for l, a := range c.coef {
			v[l] -= part * a
		}
		v[c.row] = 0
	}
	if largest(v) < another {
		return false
	}
	s.terms = s.terms[:0]
	for l, a := range v {
		if a != 0 {
			s.terms = append(s.terms, int32(l))
		}
	}
	return s.vanishes(p)
}

// vanishes tells whether the combination in x, which it makes 1 at most, is one of which only rounding is left.
func (s *sparse) vanishes(p *program) bool {
	v, sum, size := s.x[p.n:], s.rest[:p.n], 0.0
	for _, l := range s.terms {
		size = max(size, math.Abs(v[l]))
	}
	for _, l := range s.terms {
		v[l] *= 1 / size
		r := &p.rows[s.kept[l]]
		for e := r.first; e < r.last; e++ {
			sum[p.index[e]] = 0
		}
	}
	most, rounding := 0.0, 0.0
	for _, l := range s.terms {
		r := &p.rows[s.kept[l]]
		p.addTo(r, v[l], sum)
		for e := r.first; e < r.last; e++ {
			most = max(most, math.Abs(v[l]*p.coef[e]))
		}
	}
	s.left = 0
	for _, l := range s.terms {
		r := &p.rows[s.kept[l]]
		for e := r.first; e < r.last; e++ {
			i := p.index[e]
			rounding = max(rounding, math.Abs(sum[i]))
			s.left += math.Abs(sum[i])
			sum[i] = 0
		}
	}
	return rounding <= none*most
}

// constant is what the combination in x is for all points, by its size, where it should be 0.
func (s *sparse) constant(p *program) float64 {
	sum := 0.0
	for _, l := range s.terms {
		sum += s.x[p.n+int(l)] * p.rows[s.kept[l]].constant
	}
	return math.Abs(sum)
}

// contradict makes the multipliers those of the combination in x.
func (s *sparse) contradict(p *program) {
	p.inconsistent = true
	sum := 0.0
	for k := range p.rows {
		p.rows[k].mu = 0
	}
	for _, l := range s.terms {
		r := &p.rows[s.kept[l]]
		r.mu = s.x[p.n+int(l)]
		sum += r.mu * r.constant
	}
	for k := range p.rows {
		p.rows[k].mu *= math.Copysign(1, sum)
	}
}

// Equations that follow from others are looked for by elimination before the first step, where that fills little: most
// that people write, such as sums over the rows and the columns of a table, are found so in little time, while from a
// factor each takes a solution.
const (
	// fillEquations and visitEquations are how many times as many entries as there are may be made, and visited.
	fillEquations, visitEquations = 2, 16
	// fairPart is the least part of a combination's largest coefficient that an equation has which is left out: more than
	// its inverse times what others are violated by, it should not be.
	fairPart = 0.1
)

// eliminate finds equations that follow from others, and tells whether one contradicts those. Where it finds all, they
// are not looked for in the first factor. Steps without one go on with all equations: what is left of each, one that
// has no part in them would have the sum of.
func (s *sparse) eliminate(p *program) (contradicts bool) {
	s.follow = s.follow[:0]
	kept, start, index, coef := []int32(nil), []int32{0}, []int32(nil), []float64(nil)
	for k, j := range s.kept {
		if r := &p.rows[j]; r.equation() {
			kept = append(kept, int32(k))
			index, coef = append(index, p.index[r.first:r.last]...), append(coef, p.coef[r.first:r.last]...)
			start = append(start, int32(len(index)))
		}
	}
	if kept == nil {
		return false
	}
	b, entries, all := basis.New(basis.FromRows(p.n, start, index, coef)), len(index), true
	clear(s.x)
	whole := b.Dependent(fillEquations*entries, visitEquations*entries, func(rows []int32, combination []float64) {
		s.clearTerms(p)
		for _, r := range rows {
			s.terms = append(s.terms, kept[r])
			s.x[p.n+int(kept[r])] = combination[r]
		}
		own := kept[rows[0]]
		if contradicts || !s.vanishes(p) {
			return
		}
		follows, fair := false, math.Abs(s.x[p.n+int(own)]) >= fairPart
		if follows, contradicts = s.judge(p); follows && fair {
			s.follow = append(s.follow, s.kept[own])
		}
		all = all && (fair || !follows)
	})
	p.examined = whole && all
	return contradicts
}

// clearTerms clears the combination in x.
func (s *sparse) clearTerms(p *program) {
	for _, l := range s.terms {
		s.x[p.n+int(l)] = 0
	}
	s.terms = s.terms[:0]
}

// leaveOut leaves out the equations that were found to follow from others.
func (s *sparse) leaveOut(p *program) {
	for _, j := range s.follow {
		p.rows[j].idle, p.rows[j].stiffness = true, 1/infinite
	}
	s.follow = s.follow[:0]
}

// twin is a row with the entries of a kept one, each so many times as large, such as what is to be at least 1 of what
// is at most 1. The two have one row in the matrix, whose stiffness is that of both: its multiplier is the sum of
// theirs.
type twin struct {
	row   int32 // of the program
	of    int32 // of the kept ones
	times float64
}

// keep lists the rows of K, and their twins. Equations stand alone, as what follows from others is looked for among
// them.
func (s *sparse) keep(p *program) {
	found := make(map[uint64]int32)
	for _, j := range p.several {
		r := &p.rows[j]
		if !r.kept {
			continue
		}
		if !r.equation() {
			h := p.hash(r)
			if of, known := found[h]; known {
				if times := p.times(r, &p.rows[s.kept[of]]); times != 0 {
					s.twins = append(s.twins, twin{j, of, times})
					continue
				}
			}
			found[h] = int32(len(s.kept))
		}
		s.kept = append(s.kept, j)
	}
	slices.SortStableFunc(s.twins, func(a, b twin) int { return int(a.of) - int(b.of) })
}

// lifts writes what the kept rows have on the right-hand side: of twins the mean, by stiffness.
func (s *sparse) lifts(p *program, out []float64) {
	for k, j := range s.kept {
		out[k] = -p.rows[j].lift
	}
	for first := 0; first < len(s.twins); {
		last, k := s.family(first)
		r := &p.rows[s.kept[k]]
		sum, stiffness := r.stiffness*r.lift, r.stiffness
		for _, t := range s.twins[first:last] {
			other := &p.rows[t.row]
			sum += t.times * other.stiffness * other.lift
			stiffness += t.times * other.stiffness * t.times
		}
		out[k] = -sum / stiffness
		first = last
	}
}

// family is where the twins of the same kept row end, and that row.
func (s *sparse) family(first int) (last int, of int32) {
	of = s.twins[first].of
	for last = first + 1; last < len(s.twins) && s.twins[last].of == of; last++ {
	}
	return last, of
}

// dealOut divides the steps of multipliers among twins: each moves by its stiffness, and the stiffest by what is left.
func (s *sparse) dealOut(p *program) {
	for first := 0; first < len(s.twins); {
		last, k := s.family(first)
		r := &p.rows[s.kept[k]]
		whole, along := r.dmu, p.product(r, p.dy)
		stiffest, most := r, r.stiffness
		share := 1.0
		for _, t := range s.twins[first:last] {
			if other := &p.rows[t.row]; t.times*other.stiffness*t.times > most {
				stiffest, most, share = other, t.times*other.stiffness*t.times, t.times
			}
		}
		if r != stiffest {
			r.dmu = r.stiffness * (along + r.lift)
			whole -= r.dmu
		}
		for _, t := range s.twins[first:last] {
			if other := &p.rows[t.row]; other != stiffest {
				other.dmu = other.stiffness * (t.times*along + other.lift)
				whole -= t.times * other.dmu
			}
		}
		stiffest.dmu = whole / share
		first = last
	}
}

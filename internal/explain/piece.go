package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/ldl"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// freedom says whether a variable can move without cost to first order.
type freedom uint8

const (
	unknown freedom = iota
	free            // inside (0,1), or at a wall that nothing pushes it against
	walled
)

// isFree tells whether a variable is free, and not as good as at a wall and pushed there.
func (s *State) isFree(i int32) bool {
	if s.freedom[i] != unknown {
		return s.freedom[i] == free
	}
	s.freedom[i] = free
	if y := s.y[i]; y > still && y < 1-still {
		return true
	}
	push, size := s.pushOn(i)
	if wall := math.Round(s.y[i]); wall == 0 && push < -faint*size || wall == 1 && push > faint*size {
		s.freedom[i] = walled
	}
	return s.freedom[i] == free
}

// pushOn returns the sum of what pushes a variable up, and that of the sizes.
func (s *State) pushOn(i int32) (push, size float64) {
	for _, place := range s.index.Of(i, nil) {
		if s.standings[place] == idle {
			continue
		}
		p := s.look(place)
		f := -p.coefficient(i) * p.mu
		push, size = push+f, size+math.Abs(f)
	}
	return push, size
}

// piece is free variables that squares and tight potentials connect: a block of K, factored. Vectors have the variables
// first and then the tight potentials.
type piece struct {
	variables []int32
	squares   []row
	tights    []row
	fixed     []int32 // places of what pushes by as much, whatever the state nearby
	factor    *ldl.Factor
	units     []float64 // see measure
	work      []float64 // for the factor, which has rows for long squares, too
	scale     float64   // of weights
	weak      bool      // see weakPieceOf
	sound     bool      // what pushes its variables adds up
	beyond    []overshot
}

// overshot is a variable at a wall that what pushes the piece would have beyond it, by so much.
type overshot struct {
	variable int32
	by       float64
}

// row is a potential's part in a piece.
type row struct {
	place int
	h     float64 // 2w of squares
	index []int32 // columns
	coef  []float64
}

// pieceOf returns the piece of a free variable.
func (s *State) pieceOf(i int32) *piece {
	if p := s.piece[i]; p != nil {
		return p
	}
	p := &piece{}
	places := s.gather(p, i, func(k int32) bool {
		fresh := s.piece[k] == nil && s.isFree(k)
		if fresh {
			s.piece[k] = p
		}
		return fresh
	})
	s.build(p, places)
	p.sound = s.polish(p, places)
	if !p.sound {
		return p
	}
	if calm, landed := s.calms(places), s.lands(p); !calm && !landed {
		return p
	}
	s.dissolve(p)
	if !s.isFree(i) {
		return p
	}
	return s.pieceOf(i)
}

// dissolve forgets a piece, which is not what the state has any more.
func (s *State) dissolve(p *piece) {
	for _, i := range p.variables {
		s.piece[i] = nil
	}
}

// wide tells whether the piece of a variable, which is not known yet, is in more ground rules than so many, where those
// of each of its variables count.
func (s *State) wide(i int32, most int) bool {
	if !s.isFree(i) || s.piece[i] != nil {
		return false
	}
	found, known, rules := []int32{i}, map[int32]bool{i: true}, 0
	for next := 0; next < len(found) && rules <= most; next++ {
		for _, place := range s.index.Of(found[next], nil) {
			rules++
			at := s.look(place)
			if !(&piece{}).couples(&at) {
				continue
			}
			for _, k := range at.ids {
				if !known[k] && s.isFree(k) {
					known[k] = true
					found = append(found, k)
				}
			}
		}
	}
	return rules > most
}

// lands tells whether variables of a piece, which were free, have come to a wall that they are pushed against.
func (s *State) lands(p *piece) (some bool) {
	for _, k := range p.variables {
		s.freedom[k] = unknown
		some = !s.isFree(k) || some
	}
	return some
}

// calms tells whether squares, which the present state may have taken for violated by rounding alone, hold in it.
func (s *State) calms(places []int32) (some bool) {
	for _, place := range places {
		if s.standings[place] == square {
			s.standings[place] = unseen
			at := s.look(int(place))
			some = some || at.standing != square
		}
	}
	return some
}

// weakPieceOf returns a piece of a variable whose value is unique and does not follow from what pushes: there, what is
// met with equality counts whether it pushes or not.
func (s *State) weakPieceOf(i int32) *piece {
	p := &piece{weak: true}
	known := make(map[int32]bool)
	places := s.gather(p, i, func(k int32) bool {
		fresh := !known[k] && s.isFree(k) && (k == i || s.inside(k))
		known[k] = true
		return fresh
	})
	s.build(p, places)
	return p
}

// inside tells whether a variable is at no wall.
func (s *State) inside(i int32) bool { return s.y[i] > still && s.y[i] < 1-still }

// couples tells whether a potential has a row in a piece.
func (p *piece) couples(at *potential) bool {
	return at.standing == square || p.binds(at)
}

// binds tells whether the row is one that stays 0.
func (p *piece) binds(at *potential) bool {
	if at.standing == tight || !p.weak || math.Abs(at.d) > still*at.reach() || at.w == 0 && !at.block.Kind.Hard() {
		return at.standing == tight
	}
	return at.standing != square && at.block.Kind != mrf.Linear
}

// gather finds the variables that a piece has, beginning with one, and what they are in. Enter tells whether a variable
// is one of them, once.
func (s *State) gather(p *piece, i int32, enter func(k int32) bool) (places []int32) {
	enter(i)
	p.variables = []int32{i}
	for next := 0; next < len(p.variables); next++ {
		for _, place := range s.index.Of(p.variables[next], nil) {
			if !s.see(place) {
				continue
			}
			places = append(places, int32(place))
			at := s.look(place)
			if !p.couples(&at) {
				continue
			}
			for _, k := range at.ids {
				if enter(k) {
					p.variables = append(p.variables, k)
				}
			}
		}
	}
	s.forget(places)
	slices.Sort(p.variables)
	slices.Sort(places)
	return places
}

// build makes the rows and factors K.
func (s *State) build(p *piece, places []int32) {
	for _, place := range places {
		at := s.look(int(place))
		if !p.couples(&at) {
			if at.standing.fixed() {
				p.fixed = append(p.fixed, place)
			}
			continue
		}
		r := row{place: int(place), h: 2 * at.w}
		for k, i := range at.ids {
			if column, is := slices.BinarySearch(p.variables, i); is && at.coef[k] != 0 {
				r.index, r.coef = append(r.index, int32(column)), append(r.coef, at.coef[k])
			}
		}
		p.scale = max(p.scale, at.w)
		if at.standing == square {
			p.squares = append(p.squares, r)
		} else if r.h = 0; len(r.index) > 0 {
			p.tights = append(p.tights, r)
		}
	}
	if p.scale == 0 {
		p.scale = s.field.Unit()
	}
	p.assemble(s.settings.Threads)
}

// slight is what is added to K's diagonal, and taken from that of its lower half: refinement takes it out again. short
// is how many variables a square may have to be multiplied out.
const (
	slight    = 1e-6
	slightest = 1e-12 // of squares alone
	short     = 4
)

// entry is a number of the matrix off the diagonal.
type entry struct {
	column, row int32
	value       float64
}

// measure finds what rows and columns are multiplied by, so that squares have a curvature of 1 along each variable and
// tight potentials a length of 1: weights may be of any size.
func (p *piece) measure() {
	n := len(p.variables)
	p.units = make([]float64, n+len(p.tights))
	for k := range p.squares {
		r := &p.squares[k]
		for e, i := range r.index {
			p.units[i] += r.h * r.coef[e] * r.coef[e]
		}
	}
	for i := range n {
		if p.units[i] == 0 {
			p.units[i] = p.scale
		}
		p.units[i] = 1 / math.Sqrt(p.units[i])
	}
	for k := range p.tights {
		length := 0.0
		for e, i := range p.tights[k].index {
			length += math.Pow(p.tights[k].coef[e]*p.units[i], 2)
		}
		p.units[n+k] = 1 / math.Sqrt(length)
	}
}

// assemble factors K, with a row for each long square, whose product would fill it.
func (p *piece) assemble(threads int) {
	p.measure()
	n := len(p.variables)
	least := slight
	if len(p.tights) == 0 {
		least = slightest
	}
	diagonal := slices.Repeat([]float64{least}, n)
	var entries []entry
	extra := func(r *row, unit, d float64) {
		column := int32(len(diagonal))
		diagonal = append(diagonal, d)
		for k, i := range r.index {
			entries = append(entries, entry{i, column, r.coef[k] * unit * p.units[i]})
		}
	}
	for k := range p.tights {
		extra(&p.tights[k], p.units[n+k], -slight)
	}
	for k := range p.squares {
		r := &p.squares[k]
		if len(r.index) > short {
			extra(r, math.Sqrt(r.h), -1)
			continue
		}
		for a, i := range r.index {
			diagonal[i] += r.h * math.Pow(r.coef[a]*p.units[i], 2)
			for b, l := range r.index[:a] {
				value := r.h * r.coef[a] * r.coef[b] * p.units[i] * p.units[l]
				entries = append(entries, entry{min(i, l), max(i, l), value})
			}
		}
	}
	pattern, numbers := compress(entries, len(diagonal))
	negative := make([]bool, len(diagonal))
	for k := n; k < len(negative); k++ {
		negative[k] = true
	}
	p.factor = ldl.NewFactor(ldl.Analyse(pattern), negative, threads)
	p.factor.Factor(diagonal, numbers, nil)
	p.work = make([]float64, len(diagonal))
}

// compress adds the entries at one place.
func compress(entries []entry, n int) (*ldl.Pattern, []float64) {
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.column, b.column), cmp.Compare(a.row, b.row))
	})
	pattern := &ldl.Pattern{Start: make([]int, n+1)}
	var numbers []float64
	for k, e := range entries {
		if k > 0 && entries[k-1].column == e.column && entries[k-1].row == e.row {
			numbers[len(numbers)-1] += e.value
			continue
		}
		pattern.Row = append(pattern.Row, e.row)
		pattern.Start[e.column+1]++
		numbers = append(numbers, e.value)
	}
	for j := range n {
		pattern.Start[j+1] += pattern.Start[j]
	}
	return pattern, numbers
}

// Refinement ends when the residual, relative to the right-hand side, is at most exact, or does not fall by half more
// than so many times. What is above rough is no solution, unless it is at most roughest and no more than what rounding
// leaves of the terms that make it up: along directions of little curvature these are many times the right-hand side.
const (
	refinements = 60
	slowest     = 8
	exact       = 1e-13
	rough       = 1e-8
	roughest    = 1e-5
	rounded     = 0x1p-48
)

// solve returns a solution of K x = b, and whether there is one. Where K is singular and b is in its range, it is one
// of many. The factored matrix's solutions are refined by generalised conjugate residuals: the few directions in which
// it is far from K, such as those between tight potentials that say nearly the same, take about a step each.
func (p *piece) solve(b []float64) (x []float64, ok bool) {
	x = make([]float64, len(b))
	residual, best, slow := slices.Clone(b), math.Inf(1), 0
	answer, size := slices.Clone(x), p.norm(b)
	var steps []refined
	for range refinements {
		if size == 0 {
			break
		}
		left := p.norm(residual) / size
		if left > best/2 {
			slow++
		}
		if left < best {
			best = left
			copy(answer, x)
		}
		if left <= exact || slow > slowest {
			break
		}
		if steps = p.refine(steps, residual, x); steps == nil {
			break
		}
		copy(residual, b)
		p.subtract(x, residual)
	}
	return answer, size == 0 || best <= rough || best <= roughest && best*size <= rounded*p.terms(answer)
}

// terms is the largest component of |K| |x|, in the units of right-hand sides.
func (p *piece) terms(x []float64) float64 {
	n, out := len(p.variables), make([]float64, len(x))
	for k := range p.squares {
		r := &p.squares[k]
		size := r.h * r.size(x)
		for e, i := range r.index {
			out[i] += size * math.Abs(r.coef[e])
		}
	}
	for k := range p.tights {
		r := &p.tights[k]
		out[n+k] += r.size(x)
		for e, i := range r.index {
			out[i] += math.Abs(x[n+k] * r.coef[e])
		}
	}
	return p.norm(out)
}

// refined is a step of refinement with its image under K, which has the length 1 and is orthogonal to those before it.
type refined struct{ step, image []float64 }

// refine goes along the factored matrix's solution, conjugate to the last steps, to where the residual is the least;
// nil if that leads nowhere.
func (p *piece) refine(steps []refined, residual, x []float64) []refined {
	r := refined{make([]float64, len(x)), make([]float64, len(x))}
	p.step(residual, r.step)
	p.subtract(r.step, r.image)
	for _, s := range steps {
		by := -p.product(r.image, s.image)
		addTimes(by, s.step, r.step)
		addTimes(by, s.image, r.image)
	}
	length := math.Sqrt(p.product(r.image, r.image))
	if !(length > rough*math.Sqrt(p.product(residual, residual))) {
		return nil
	}
	for k := range r.step {
		r.step[k] /= length
		r.image[k] /= length
	}
	addTimes(-p.product(residual, r.image), r.step, x) // the image is that of -step
	return append(steps[max(0, len(steps)-slowest+1):], r)
}

// addTimes adds a multiple of v to out.
func addTimes(by float64, v, out []float64) {
	for k, x := range v {
		out[k] += by * x
	}
}

// product is the inner product of two right-hand sides, in their units.
func (p *piece) product(a, b []float64) (sum float64) {
	for k, unit := range p.units {
		sum += a[k] * unit * (b[k] * unit)
	}
	return sum
}

// step adds the factored matrix's solution to x.
func (p *piece) step(residual, x []float64) {
	clear(p.work)
	for k, unit := range p.units {
		p.work[k] = unit * residual[k]
	}
	p.factor.Solve(p.work)
	for k, unit := range p.units {
		x[k] += unit * p.work[k]
	}
}

// subtract takes K x from out.
func (p *piece) subtract(x, out []float64) {
	n := len(p.variables)
	for k := range p.squares {
		r := &p.squares[k]
		t := r.h * r.dot(x)
		for e, i := range r.index {
			out[i] -= t * r.coef[e]
		}
	}
	for k := range p.tights {
		r := &p.tights[k]
		out[n+k] -= r.dot(x)
		for e, i := range r.index {
			out[i] -= x[n+k] * r.coef[e]
		}
	}
}

// dot is a·x.
func (r *row) dot(x []float64) float64 {
	sum := 0.0
	for e, i := range r.index {
		sum += r.coef[e] * x[i]
	}
	return sum
}

// size is |a|·|x|.
func (r *row) size(x []float64) float64 {
	sum := 0.0
	for e, i := range r.index {
		sum += math.Abs(r.coef[e] * x[i])
	}
	return sum
}

// norm is the largest component of a right-hand side, in its units.
func (p *piece) norm(v []float64) float64 {
	most := 0.0
	for k, x := range v {
		most = max(most, math.Abs(x*p.units[k]))
	}
	return most
}

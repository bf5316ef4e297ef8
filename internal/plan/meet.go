package plan

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// Meeting. A step that goes through the rows of a key, followed by others that look each of them up in vain, takes
// time with the rows that are tried, of which a cycle of atoms leaves few: the paths of two links in a graph are many
// times its triangles, and one constant with many links makes them many more. Where the values that several atoms
// allow for a variable lie in sorted lists, what the lists have in common is found in the time of the shortest: so
// joined, a rule over a cycle takes no longer than the largest answer that relations of that size can have (a
// worst-case optimal join, variable by variable).

const (
	// survivors is how many of the rows that are tried may be left, at most, for lists to be met instead: one in so
	// many.
	survivors = 2
	// tried is how many times as many rows must be tried as have to be sorted.
	tried = 2
	// values is how many values of a list are gone through in the time of a row that is looked up.
	values = 16
)

// meet lets steps meet the ones that follow them where that costs less.
func (o *orderer) meet() {
	for k := range o.plan.Steps {
		if n := o.plan.meetable(k); n > 0 {
			o.meetAt(k, n)
		}
	}
	o.plan.lookAhead()
}

// MeetAll lets all steps meet that can, whatever that costs: for tests, whose relations are small.
func (p *Plan) MeetAll() {
	for k := range p.Steps {
		p.Steps[k].Meets = p.meetable(k)
	}
	p.lookAhead()
}

// meetAt decides whether step k meets the n that follow it.
func (o *orderer) meetAt(k, n int) {
	steps, times := o.plan.Steps, o.plan.Steps[k-1].Rows
	sorted, shortest := float64(steps[k].Relation.Len()), math.Inf(1)
	if times <= tried {
		return // whatever is tried, it is less than has to be sorted
	}
	for j := k + 1; j <= k+n; j++ {
		sorted += float64(steps[j].Relation.Len())
		shortest = min(shortest, times*steps[j].list(steps[k].Met()))
	}
	all := times * o.crowd(&steps[k], times)
	shortest = min(shortest, all)
	// What is left of the rows that are tried is the same part of them as of those expected, or fewer.
	left := min(shortest, all*steps[k+n].Rows/max(1, steps[k].Rows))
	if all <= tried*sorted || survivors*left > all {
		return
	}
	if steps[k].Tried = all; o.plan.refuses(k, n) {
		steps[k].refused = n
	} else {
		steps[k].Meets = n
	}
	o.plan.Cost += min(0, times*float64(1+n)+shortest/values-o.plan.oneByOne(k, n))
}

// oneByOne returns what step k and the n behind it cost if they do not meet.
func (p *Plan) oneByOne(k, n int) float64 {
	cost := p.Steps[k-1].Rows + p.Steps[k].Rows
	for j := k; j < k+n; j++ {
		cost += p.Steps[j].Rows
	}
	return cost
}

// least returns what a plan costs at least, whatever steps meet: how crowded columns are, by which that is decided,
// takes time to count.
func (p *Plan) least() float64 {
	cost := p.Cost
	for k := range p.Steps {
		if n := p.meetable(k); n > 0 {
			cost -= p.oneByOne(k, n)
		}
	}
	return cost
}

// refuses tells whether the n steps behind the k-th ask for nothing but what it binds, and for so few values that the
// rows with others are best left out beforehand (Reduce).
func (p *Plan) refuses(k, n int) bool {
	all, part := p.Requirers(k), 1.0
	for _, b := range all {
		part *= p.passing(k, b, p.Steps[b.Step].asked())
	}
	return len(all) >= n && part*dearIndex <= 1 && p.Steps[k].Relation.Len() >= fewRows
}

// meetable returns how many of the steps behind the k-th look the variable up that it binds, and nothing else. The
// first one that goes through rows does not meet others: by its rows the work is divided.
func (p *Plan) meetable(k int) (n int) {
	if !p.listed(k) {
		return 0
	}
	x := p.Steps[k].Met()
	for j := k + 1; j < len(p.Steps); j++ {
		next := &p.Steps[j]
		if next.Op != Match || next.Projected() || occurrences(next.Atom, x) != 1 {
			break
		}
		n++
	}
	return n
}

// listed tells whether step k goes through values of one variable within the rows of another step.
func (p *Plan) listed(k int) bool {
	s := &p.Steps[k]
	loops := func(s Step) bool { return s.Op == Scan || s.Op == Probe }
	return slices.ContainsFunc(p.Steps[:k], loops) && s.Op == Probe && len(s.Bind) == 1 && len(s.Check) == 0 &&
		!s.Projected()
}

// Ahead is what a step that binds x can know of the next one, which binds y: x is in vain unless Through, an atom of
// both, links it to one of the values of y that Of has. Both are among the steps that are met there, by their places.
// What is bound there and not here is x alone, so that the values of x which are not in vain are the same for as long
// as the key of Of is: a semi-join, made anew whenever that changes.
type Ahead struct{ Of, Through int }

// lookAhead lets steps look ahead that can.
func (p *Plan) lookAhead() {
	for k := range p.Steps {
		p.Steps[k].Ahead = nil
		if p.listed(k) {
			p.Steps[k].Ahead = p.ahead(k)
		}
	}
}

// ahead returns how step k can look ahead, nil if it cannot. Of several atoms it takes the one with the shortest
// lists.
func (p *Plan) ahead(k int) *Ahead {
	q := k + 1 + p.Steps[k].Meets
	for q < len(p.Steps) && p.Steps[q].Op == Lookup {
		q++
	}
	if q == len(p.Steps) || p.Steps[q].Meets == 0 {
		return nil
	}
	x, y := p.Steps[k].Met(), p.Steps[q].Met()
	a, shortest := &Ahead{-1, -1}, math.Inf(1)
	for j := q; j <= q+p.Steps[q].Meets; j++ {
		s := &p.Steps[j]
		switch n := occurrences(s.Atom, x); {
		case n == 0 && s.list(y) < shortest && p.lasts(s, y, k):
			a.Of, shortest = j, s.list(y)
		case n == 1 && len(s.Atom.Args) == 2 && occurrences(s.Atom, y) == 1:
			a.Through = j
		}
	}
	if a.Of < 0 || a.Through < 0 {
		return nil
	}
	p.order(&p.Steps[a.Of], k)
	return a
}

// lasts tells whether what s has for y stays the same while step k is run again and again: whether all else that it
// holds is bound before the last step that goes through rows before k, or can be by an order of that step's rows.
func (p *Plan) lasts(s *Step, y program.Term, k int) bool {
	last := p.lastLoop(k)
	for _, arg := range s.Atom.Args {
		if arg.IsVariable() && arg != y && !p.bindsBefore(last, arg) && !p.orders(last, arg, s) {
			return false
		}
	}
	return true
}

// lastLoop returns the last step before the k-th that goes through rows.
func (p *Plan) lastLoop(k int) int {
	for k--; p.Steps[k].Op != Scan && p.Steps[k].Op != Probe; k-- {
	}
	return k
}

// bindsBefore tells whether one of the steps before the k-th binds a variable.
func (p *Plan) bindsBefore(k int, x program.Term) bool {
	return slices.ContainsFunc(p.Steps[:k], func(s Step) bool { return s.binds(x) >= 0 })
}

// binds returns the column by which a step binds a variable, -1 if it does not.
func (s *Step) binds(x program.Term) int {
	for _, column := range s.Bind {
		if s.Atom.Args[column] == x {
			return column
		}
	}
	return -1
}

// orders tells whether step k is the first one, goes through all rows, and can do so in the order of a variable,
// which alone an atom needs of it.
func (p *Plan) orders(k int, x program.Term, of *Step) bool {
	s, needed := &p.Steps[k], 0
	for _, arg := range of.Atom.Args {
		if arg.IsVariable() && s.binds(arg) >= 0 {
			needed++
		}
	}
	return s.Op == Scan && !s.Projected() && needed == 1 && s.binds(x) >= 0 && len(s.Bind) > 1 &&
		(s.Order == 0 || s.Order == s.binds(x)+1)
}

// order lets the last step before the k-th that goes through rows do so in the order that an atom needs.
func (p *Plan) order(of *Step, k int) {
	s := &p.Steps[p.lastLoop(k)]
	for _, arg := range of.Atom.Args {
		if column := s.binds(arg); arg.IsVariable() && column >= 0 && s.Op == Scan {
			s.Order = column + 1
		}
	}
}

// occurrences counts the arguments of an atom that are a term.
func occurrences(a *program.Atom, x program.Term) (count int) {
	for _, arg := range a.Args {
		if arg == x {
			count++
		}
	}
	return count
}

// Meeting returns the first of the steps that step k is met with, which may be itself, as it is if it looks ahead; -1
// if it is not met.
func (p *Plan) Meeting(k int) int {
	if p.Steps[k].Ahead != nil {
		return k
	}
	for j := range k + 1 {
		if p.Steps[j].Meets > 0 && j+p.Steps[j].Meets >= k {
			return j
		}
	}
	return -1
}

// Met returns the variable that a step binds, if it binds one.
func (s *Step) Met() program.Term { return s.Atom.Args[s.Bind[0]] }

// list estimates how long a list of the values of x is.
func (s *Step) list(x program.Term) float64 {
	rows := float64(s.Relation.Len())
	long := rows
	for column, arg := range s.Atom.Args {
		if arg != x {
			long = min(long, rows/float64(max(1, s.Relation.DistinctCount(column))))
		}
	}
	return long
}

// crowd estimates how many rows a step goes through each time: at least as many as a row of its relation shares the
// key with, on average, since what has many rows here is likely to be come to more often.
func (o *orderer) crowd(s *Step, times float64) float64 {
	rows := s.Rows / max(1, times)
	if len(s.Key) == 1 && s.Atom.Args[s.Key[0]].IsVariable() {
		return max(rows, s.Relation.Crowd(s.Key[0]))
	}
	return rows
}

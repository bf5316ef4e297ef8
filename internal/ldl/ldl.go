// Package ldl factors sparse symmetric quasi-definite matrices directly,
//
//	P M Pᵀ = L D Lᵀ,
//
// for a permutation P that keeps L sparse, found by the approximate minimum degree algorithm (Amestoy, Davis and Duff
// 1996). A matrix [H Aᵀ; A -G] with H and G positive definite has such a factorisation for every P (Vanderbei 1995), so
// that the pattern alone decides P, what the factor costs, and where each number goes: Analyse and NewFactor do that
// once for any number of matrices of one pattern. The factorisation is multifrontal (Duff and Reid 1983): columns of L
// with the same pattern are dense panels.
package ldl

import "math"

// Pattern is the structure of a symmetric matrix off its diagonal: column j has, on one side of the diagonal or the
// other, the rows Row[Start[j]:Start[j+1]] in any order. Each pair of a row and a column is there at most once; the
// diagonal is always there.
type Pattern struct {
	Start []int
	Row   []int32
}

// Size returns the number of rows.
func (p *Pattern) Size() int { return len(p.Start) - 1 }

// Symbolic is what the pattern says about a factorisation.
type Symbolic struct {
	// Entries is the number of L's numbers, zeros that the panels have included, and Flops what computing them takes.
	Entries, Flops float64
	// Working is the largest number of entries of the fronts that wait for their parents at any time.
	Working float64

	pattern *Pattern
	tree    *tree
	fronts  []front // in postorder
}

// front is a run of columns of L that share their pattern: a dense panel. Their parent has the first row below them.
type front struct {
	first, width int // its columns
	order        int // width and the rows below
	parent       int32
	children     []int32
}

// below is the number of rows below a front's columns, the order of the update that it leaves to its parent.
func (f *front) below() int { return f.order - f.width }

// update is the number of entries of what a front leaves to its parent.
func (f *front) update() float64 {
	if f.thin() {
		return 0
	}
	return float64(f.below()) * float64(f.below())
}

// thin tells whether a front leaves no update: it has no children, so that its few columns say all there is, and the
// parent takes it from them.
func (f *front) thin() bool { return len(f.children) == 0 && f.width <= thinnest }

// thinnest is the width of such fronts.
const thinnest = 4

// Bytes returns the memory that a factor takes.
func (s *Symbolic) Bytes() float64 {
	rows := 0
	for k := range s.fronts {
		rows += s.fronts[k].order + s.fronts[k].below()
	}
	return 8*(s.Entries+s.Working) + 4*float64(rows) + 8*float64(len(s.pattern.Row)+len(s.pattern.Start))
}

// Analyse finds a permutation for a pattern, and what a factorisation costs.
func Analyse(p *Pattern) *Symbolic {
	s, _ := AnalyseWithin(p, math.Inf(1), nil)
	return s
}

// AnalyseWithin is Analyse for a factor that is worth so many flops; false says that it takes more. Graphs that fill up
// are as much work to order as they are to factor, so that this is found out on the way. Now and then it asks stop, if
// there is one, and leaves off if told to, as if it took more.
func AnalyseWithin(p *Pattern, flops float64, stop func() bool) (*Symbolic, bool) {
	rows, ok := order(p, flops, stop)
	if !ok {
		return nil, false
	}
	s := &Symbolic{pattern: p, tree: newTree(p, rows)}
	s.cut()
	s.weigh()
	return s, true
}

// weigh computes the costs.
func (s *Symbolic) weigh() {
	stack := 0.0
	for k := range s.fronts {
		f := &s.fronts[k]
		s.Entries += float64(f.width) * float64(f.order)
		for c := range f.width {
			rest := float64(f.order - c)
			s.Flops += rest * rest
		}
		stack += f.update()
		s.Working = max(s.Working, stack)
		for _, c := range f.children {
			stack -= s.fronts[c].update()
		}
	}
}

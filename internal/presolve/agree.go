package presolve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// agreement is the largest set of variables that can all move, at once, to the bound that they wish for: the one that
// all soft potentials push them to, or, if none does, all constraints. A constraint that some of these moves go against
// has to hold with all of them made, whatever the other variables are; those that go against one that does not are taken
// out, until there are no more of them. So tasks that only wait for each other begin at their earliest times, however
// long the chains are: to fix them one after the other would take as many passes.
type agreement struct {
	*propagation
	wish   []int8 // of each variable: 1 for its upper bound, -1 for the lower one, 0 for none
	wishes int    // how many are not 0
	gone   []int32
}

// agree fixes the variables of the agreement, and tells whether there are any.
func (d *decisions) agree(pushes []uint32) bool {
	a := &agreement{propagation: d.bounds, wish: make([]int8, len(pushes))}
	for v, push := range pushes {
		if i := int32(v); !d.fixed[v] && d.root(i) == i && push&wished != wished {
			a.wish[v], a.wishes = -1, a.wishes+1
			if push&wished == wishedUp || push&(wished|up|down) == up {
				a.wish[v] = 1
			}
		}
	}
	a.settle()
	if d.stop() || a.wishes == 0 {
		return false
	}
	for v, wish := range a.wish {
		switch {
		case wish > 0:
			d.fix(int32(v), d.hi[v])
		case wish < 0:
			d.fix(int32(v), d.lo[v])
		}
	}
	return true
}

// settle takes out wishes until no constraint is against those that are left.
func (a *agreement) settle() {
	for n, place := range a.places {
		if a.wishes == 0 || n%chunk == 0 && a.stop() {
			return
		}
		a.hear(place)
	}
	if a.wishes > 0 && len(a.gone) > 0 && a.start == nil {
		a.index()
	}
	for n := 0; a.wishes > 0 && len(a.gone) > 0; n++ {
		if n%chunk == 0 && a.stop() {
			return
		}
		i := a.gone[len(a.gone)-1]
		a.gone = a.gone[:len(a.gone)-1]
		for _, k := range a.of[a.start[i]:a.start[i+1]] {
			a.hear(a.places[k])
		}
	}
}

// hear takes out the wishes that a constraint is against.
func (a *agreement) hear(place int32) {
	kind := a.read(place)
	a.hearSide(1)
	if kind == mrf.Equal {
		a.hearSide(-1)
	}
}

// hearSide is hear for the inequality sign·(a·y + c) ≤ 0.
func (a *agreement) hearSide(sign float64) {
	r := &a.row
	most, against := sign*r.constant, false
	for k, i := range r.vars {
		c := sign * r.coef[k]
		switch wish := a.wish[i]; {
		case wish == 0:
			most += max(c, 0) // not by the bounds: those may follow from the constraint
		case wish > 0:
			most += c * a.hi[i]
		default:
			most += c * a.lo[i]
		}
		against = against || c*float64(a.wish[i]) > 0
	}
	if !against || most <= slip/2 && !math.IsNaN(most) {
		return
	}
	for k, i := range r.vars {
		if sign*r.coef[k]*float64(a.wish[i]) > 0 {
			a.wish[i], a.wishes = 0, a.wishes-1
			a.gone = append(a.gone, i)
		}
	}
}

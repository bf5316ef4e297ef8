package presolve

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// single is a squared or linear potential w·max(0, d)², w·d² or w·d of one variable, with d = a·y + c.
type single struct {
	i       int32
	kind    mrf.Kind
	w, a, c float64
}

// slope is the potential's derivative at y.
func (s *single) slope(y float64) float64 {
	d := s.a*y + s.c
	switch {
	case s.kind == mrf.Linear:
		return s.w * s.a
	case s.kind == mrf.Hinge && d <= 0:
		return 0
	}
	return 2 * s.w * s.a * d
}

// minimise fixes, at their minimisers, the variables that share no potential with others: entity resolution has many
// pairs of which nothing is known but how similar they are. Only squares and linear potentials will do, since what they
// prove follows from the value: their derivative. The potentials of these variables are gone then, and no other
// variable can be decided any sooner for it.
func (d *decisions) minimise(pushes []uint32) {
	apart := func(push uint32) bool { return push&(up|down|together) == up|down }
	alone := func(i int32) bool { return !d.fixed[i] && apart(pushes[i]) }
	if !slices.ContainsFunc(pushes, apart) {
		return
	}
	start, singles := d.singles(alone)
	tasks := (len(pushes) + parallel.Grain - 1) / parallel.Grain
	parallel.For(d.field.Threads, tasks, func(task int) {
		for i := task * parallel.Grain; i < min((task+1)*parallel.Grain, len(pushes)); i++ {
			if own := singles[start[i]:start[i+1]]; len(own) > 0 {
				d.lo[i] = minimiser(own, d.lo[i], d.hi[i])
			}
		}
	})
	for v := range pushes {
		if i := int32(v); start[v] < start[v+1] {
			d.fix(i, d.lo[v])
		}
	}
}

// singles lists the potentials of variables that are alone, by variable, and counts them as gone, and so the
// constraints that bound these variables.
func (d *decisions) singles(alone func(i int32) bool) (start []int32, sorted []single) {
	whole := pieces(d.field.Model, func(*mrf.Block) bool { return true })
	found, surveys := make([][]single, len(whole)), make([]survey, len(whole))
	parallel.For(d.field.Threads, len(whole), func(task int) {
		p, s := whole[task], &surveys[task]
		b := d.field.Model.Blocks[p.k]
		s.touched = make([]int, 1)
		d.rows(p, func(_ int, w float64, r *row) {
			if len(r.vars) != 1 || !alone(r.vars[0]) || d.idle(r, b, w) {
				return
			}
			s.gone++
			if !r.changed {
				s.touched[0]++
			}
			if b.Kind.Hard() {
				s.hard++
				return
			}
			found[task] = append(found[task], single{r.vars[0], b.Kind, w, r.coef[0], r.constant})
		})
	})
	for task, s := range surveys {
		d.survey.gone += s.gone
		d.survey.hard -= s.hard
		d.survey.touched[whole[task].k] += s.touched[0]
	}
	return byVariable(found, d.field.Model.Variables)
}

// byVariable sorts potentials; those of variable i are sorted[start[i]:start[i+1]].
func byVariable(found [][]single, variables int) (start []int32, sorted []single) {
	start = make([]int32, variables+1)
	for _, singles := range found {
		for _, s := range singles {
			start[s.i+1]++
		}
	}
	for i := range variables {
		start[i+1] += start[i]
	}
	sorted = make([]single, start[variables])
	next := slices.Clone(start)
	for _, singles := range found {
		for _, s := range singles {
			sorted[next[s.i]] = s
			next[s.i]++
		}
	}
	return start, sorted
}

// minimiser returns where the potentials' sum is least in [lo,hi]: it is convex, and its derivative is linear between
// the ends of hinges.
func minimiser(singles []single, lo, hi float64) float64 {
	slope := func(y float64) (total float64) {
		for k := range singles {
			total += singles[k].slope(y)
		}
		return total
	}
	bends := []float64{lo}
	for _, s := range singles {
		if at := -s.c / s.a; s.kind == mrf.Hinge && lo < at && at < hi {
			bends = append(bends, at)
		}
	}
	bends = append(bends, hi)
	slices.Sort(bends)
	k, _ := slices.BinarySearchFunc(bends, 0.0, func(y, _ float64) int {
		if slope(y) < 0 {
			return -1
		}
		return 1
	})
	if k == 0 || k == len(bends) {
		return bends[max(0, k-1)]
	}
	left, right := bends[k-1], bends[k]
	below, above := slope(left), slope(right)
	return min(max(left+(right-left)*below/(below-above), left), right)
}

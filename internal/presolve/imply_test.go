package presolve_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/presolve"
)

// Orders that others imply go, and no others: with distances, that lead on, and with some room, that do not.
func TestOrdersThatOthersImply(t *testing.T) {
	reduced := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 4 + rng.IntN(12)
		p := poset{leads: make([][]bool, n)}
		b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
		for from := range n {
			p.leads[from] = make([]bool, n)
			for to := from + 1; to < n; to++ {
				if rng.IntN(2) > 0 {
					distance := []float64{0, 0, 0, -0.1, 0.01}[rng.IntN(5)]
					p.leads[from][to] = distance >= 0
					p.orders = append(p.orders, order{from, to, distance})
					b.Add(distance, two(from, 1, to, -1), nil)
				}
			}
		}
		b.Rule(1, mrf.Hinge, 1)
		for i := range n {
			c := 0.2 + 0.6*rng.Float64() // which no bound reaches
			b.Add(c, one(i, -1), nil).Add(-c, one(i, 1), nil)
		}
		field := mrftest.Field(b.Model(), []float64{0, 1}, nil)
		r, contradiction, _ := presolve.Reduce(field, 1e-8, nil)
		implied := p.implied()
		switch {
		case contradiction != nil:
			t.Errorf("seed %d: a contradiction", seed)
		case r != nil:
			reduced++
			same(t, field, r)
			if r.Counts != (presolve.Counts{Dropped: implied}) {
				t.Errorf("seed %d: %+v, and %d of %d orders are implied", seed, r.Counts, implied, len(p.orders))
			}
		case 10*implied >= field.Model.Potentials():
			t.Errorf("seed %d: nothing went, and %d of %d orders are implied", seed, implied, len(p.orders))
		}
	}
	if reduced < 100 {
		t.Errorf("only %d were reduced", reduced)
	}
}

// order says that one variable is less than another one by a distance; poset has some, and which of them lead on.
type order struct {
	from, to int
	distance float64
}

type poset struct {
	orders []order
	leads  [][]bool
}

// implied counts the orders that others imply.
func (p *poset) implied() (count int) {
	for _, o := range p.orders {
		if o.distance <= 0 && p.reaches(o.from, o.to, 2) {
			count++
		}
	}
	return count
}

// reaches tells whether so many orders or more lead from one variable to another.
func (p *poset) reaches(from, to, steps int) bool {
	for next, leads := range p.leads[from] {
		if leads && (next == to && steps < 2 || next < to && p.reaches(next, to, steps-1)) {
			return true
		}
	}
	return false
}

package interior

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
)

// Cost is what Solve is about to take.
type Cost struct {
	// Work is in about nanoseconds of a core, infinite if factorisations are Hopeless.
	Work float64
	// Bytes is the memory of the largest component's factor, infinite if that is Hopeless, and of the rows of its program.
	Bytes float64
	// Early is the work if conjugate gradients do in place of factorisations, which Try finds out; infinite if that is
	// not worth trying. EarlyBytes is the memory of the rows alone.
	Early, EarlyBytes float64
	// Flops is what the factorisations of a step take.
	Flops float64
}

// Hopeless is a number of flops for which steps take minutes: whatever other method there is is the better one.
const Hopeless = 5e11

// usual is the number of steps that costs are about, usualEarly that where conjugate gradients do, and usualProducts
// how many they take in such a step.
const usual, usualEarly, usualProducts = 25, 15, 50

// Cost analyses the model, with its present weights and inputs, and says what solving it takes. What it finds of the
// structure is kept for that.
func (s *Solver) Cost() Cost { return s.CostUnless(nil) }

// CostUnless is Cost for as long as stop, if there is one, says no. What it says if told to stop is wrong.
func (s *Solver) CostUnless(stop func() bool) (c Cost) {
	c.Early = math.Inf(1)
	s.load()
	w := &work{solver: s}
	w.threads = s.field.Threads
	main, beside := s.main(), 0.0
	for k := range s.components {
		component := &s.components[k]
		rows, entries := float64(len(component.potentials)), float64(len(component.index))
		step, bytes := perRow*rows+perEntry*entries, 200*rows+12*entries
		c.EarlyBytes = max(c.EarlyBytes, bytes)
		if m := float64(component.order()); m <= small {
			c.Flops += m * m * m / 3
			step = perSmallRow*rows + perSmallEntry*entries + m*m*m/3
		} else {
			w.lay(component)
			if p := component.sparse; p != nil {
				hopeless := !p.analyse(Hopeless, stop)
				if k == main && w.affordable(p) >= fewest {
					c.Early = usualEarly * (step + usualProducts*perProduct*p.length(&w.program))
				}
				if hopeless {
					c.Work, c.Bytes, c.Flops = math.Inf(1), math.Inf(1), math.Inf(1)
					if k != main {
						beside = math.Inf(1)
					}
					continue
				}
				c.Flops += p.symbolic.Flops
				step += p.work()
				bytes += p.symbolic.Bytes()
			}
		}
		if c.Work += usual * step; k != main && component.sparse != nil {
			beside += usual * step
		}
		c.Bytes = max(c.Bytes, bytes)
	}
	c.Early += beside
	return c
}

// worth is the work, in nanoseconds a potential, that no other method is much faster than where hard rules hold.
const worth = 20_000

// Cheap tells whether a solution takes little for as many potentials as there are: factors that fill but little.
func (s *Solver) Cheap() bool { return s.Cost().Work <= worth*float64(len(s.blocks)) }

// Analysis estimates the work of Cost for a model with so many entries: most of it is the ordering.
func Analysis(entries int) float64 { return 400 * float64(entries) }

// Foreseen is about the least that Cost says of a model, found in little time: what steps take for its rows, and half
// as much for factors, if most of many rows hang together; else nothing.
func Foreseen(m *mrf.Model) (c Cost) {
	rows, entries := m.Potentials(), 0
	if rows <= few || 2*slices.Max(append(partition.Find(m).Potentials, 0)) < rows {
		return c
	}
	for _, b := range m.Blocks {
		entries += len(b.Vars)
	}
	step := 1.5 * (perRow*float64(rows) + perEntry*float64(entries))
	return Cost{Work: usual * step, Early: usualEarly * step}
}

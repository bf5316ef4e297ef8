package interior

import "math"

// Cost is what Solve is about to take.
type Cost struct {
	// Work is in about nanoseconds of a core.
	Work float64
	// Bytes is the memory of the largest component's factor, and of the rows of its program.
	Bytes float64
	// Flops is what the factorisations of a step take.
	Flops float64
}

// Hopeless is a number of flops for which steps take minutes: whatever other method there is is the better one.
const Hopeless = 5e11

// usual is the number of steps that costs are about.
const usual = 25

// Nanoseconds that a step takes for a row and an entry; of small components, which stay in the cache, too.
const (
	perRow, perEntry           = 120, 25
	perSmallRow, perSmallEntry = 40, 8
)

// Cost analyses the model, with its present weights and inputs, and says what solving it takes. What it finds of the
// structure is kept for that.
func (s *Solver) Cost() (c Cost) {
	s.load()
	w := &work{solver: s}
	w.threads = s.field.Threads
	for k := range s.components {
		component := &s.components[k]
		rows, entries := float64(len(component.potentials)), float64(len(component.index))
		step, bytes := perRow*rows+perEntry*entries, 200*rows+12*entries
		if m := float64(min(len(component.variables), len(component.potentials))); m <= small {
			c.Flops += m * m * m / 3
			step = perSmallRow*rows + perSmallEntry*entries + m*m*m/3
		} else {
			w.lay(component)
			if p := component.sparse; p != nil && !p.analyse(Hopeless) {
				return Cost{Work: math.Inf(1), Bytes: math.Inf(1), Flops: math.Inf(1)}
			} else if p != nil {
				c.Flops += p.symbolic.Flops
				step += p.work()
				bytes += p.symbolic.Bytes()
			}
		}
		c.Work += usual * step
		c.Bytes = max(c.Bytes, bytes)
	}
	return c
}

// Analysis estimates the work of Cost for a model with so many entries: most of it is the ordering.
func Analysis(entries int) float64 { return 400 * float64(entries) }

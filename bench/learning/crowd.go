package main

import "slices"

// A crowd is a classification of things that have many neighbours, by rules that are written without a thought of how
// many: those about neighbours are the most by far.
type crowd struct {
	name, about     string
	things, classes int
	columns, labels int
	noise           float64 // of the columns, around centres of deviation 1
	links           int     // of each thing
	agree           float64 // how many of them are between things of one class; no other is
	gone            float64 // the share of things of which no column is known
	squared         bool    // whether penalties are
}

const (
	crowdLinear = `
1: Neural(A, Y) -> Label(A, Y)
1: Near(A, B) & Label(A, Y) -> Label(B, Y)
1: Near(A, B) & Label(B, Y) -> Label(A, Y)
Label(A, +Y) = 1 .
`
	crowdSquared = `
1: Neural(A, Y) -> Label(A, Y) ^2
1: Near(A, B) & Label(A, Y) -> Label(B, Y) ^2
1: Near(A, B) & Label(B, Y) -> Label(A, Y) ^2
Label(A, +Y) = 1 .
`
)

func (z crowd) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

func (z *crowd) problem(seed uint64) (*problem, error) {
	random := newRandom("crowd "+z.name, seed)
	c := &classification{classes: z.classes}
	c.x, c.y = blobs(random, z.things, z.classes, z.columns, z.noise)
	for a := range c.y {
		for range z.links {
			link := [2]int{a, c.another(random, a, random.Float64() < z.agree)}
			if !slices.Contains(c.links, link) {
				c.links = append(c.links, link)
			}
		}
		if random.Float64() < z.gone {
			clear(c.x[a])
		}
	}
	c.split(random, z.labels, 0)
	p := c.problem()
	rules := crowdLinear
	if z.squared {
		rules = crowdSquared
	}
	p.project.rules, p.fixed.rules = rules, rules
	p.reference = c.spread()
	return p, nil
}

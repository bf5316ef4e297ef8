package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A shape is a classification that no line tells, with links of which most are between things of one class. Its project
// does not say what layers its network has.
type shape struct {
	name, about string
	labels      int
	classes     int
	agree       float64 // how often links are between things of one class
	draw        func(random *rand.Rand) (row []float64, class int)
}

func (z shape) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

func (z *shape) problem(seed uint64) (*problem, error) {
	const things, links = 300, 2 // of each thing
	random := newRandom("shape "+z.name, seed)
	c := &classification{classes: z.classes}
	for range things {
		row, class := z.draw(random)
		c.x, c.y = append(c.x, row), append(c.y, class)
	}
	for a := range c.x {
		for range links {
			link := [2]int{a, c.another(random, a, random.Float64() < z.agree)}
			if !slices.Contains(c.links, link) {
				c.links = append(c.links, link)
			}
		}
	}
	c.split(random, z.labels, 0)
	p := c.problem()
	p.reference = c.spread()
	return p, nil
}

// ring is a point on one of two circles, the outer one of which is three times as wide.
func ring(random *rand.Rand) (row []float64, class int) {
	class = random.IntN(2)
	angle, radius := 2*math.Pi*random.Float64(), float64(1+2*class)+0.35*random.NormFloat64()
	return []float64{radius * math.Cos(angle), radius * math.Sin(angle)}, class
}

// signs is whether the signs of two of six columns differ.
func signs(random *rand.Rand) (row []float64, class int) {
	row = normals(random, 6, 1)
	return row, truth((row[0] > 0) != (row[1] > 0))
}

// skewed is one of three classes, of which seven, two and one in ten are, by columns some of which are skewed.
func skewed(random *rand.Rand) (row []float64, class int) {
	class = [...]int{0, 0, 0, 0, 0, 0, 0, 1, 1, 2}[random.IntN(10)]
	row = normals(random, 5, 1)
	row[0] += 0.9 * float64(class)
	row[1] -= 0.9 * float64(truth(class == 1))
	row[2] += 1.2 * float64(truth(class == 2))
	for k := range 3 {
		row[k] = math.Exp(1.5 * row[k])
	}
	return row, class
}

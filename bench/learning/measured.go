package main

import (
	"math"
	"math/rand/v2"
)

// A measurement is a table as instruments fill it: every class has a mean of its own in each column, columns hang
// together, and each has its unit.
type measurement struct {
	rows, classes, columns int
	// apart is the distance of a class's mean from the others, in deviations of a column.
	apart float64
	// shares are the classes' parts of the rows; nil: equal ones.
	shares []float64
	// scale and offset are a column's unit and zero.
	scale, offset func(column int) float64
}

// draw makes the rows.
func (m *measurement) draw(random *rand.Rand) *classification {
	means := make([][]float64, m.classes)
	for class := range means {
		means[class] = normals(random, m.columns, m.apart)
	}
	factors := make([][]float64, 3) // that columns have in common
	for k := range factors {
		factors[k] = normals(random, m.columns, 0.5)
	}
	c := &classification{classes: m.classes}
	for k := range m.rows {
		class := m.class(k, random)
		z := normals(random, m.columns, 0.8)
		for _, factor := range factors {
			strength := random.NormFloat64()
			for column := range z {
				z[column] += strength * factor[column]
			}
		}
		row := make([]float64, m.columns)
		for column := range z {
			row[column] = m.offset(column) + m.scale(column)*(means[class][column]+z[column])
		}
		c.x, c.y = append(c.x, row), append(c.y, class)
	}
	return c
}

// class draws the class of a row; with equal shares they take turns.
func (m *measurement) class(k int, random *rand.Rand) int {
	if m.shares == nil {
		return k % m.classes
	}
	at := random.Float64()
	for class, share := range m.shares {
		if at -= share; at < 0 {
			return class
		}
	}
	return m.classes - 1
}

// normals draws numbers around 0.
func normals(random *rand.Rand, n int, deviation float64) []float64 {
	x := make([]float64, n)
	for k := range x {
		x[k] = deviation * random.NormFloat64()
	}
	return x
}

// cycle returns a function that takes numbers in turn.
func cycle(values ...float64) func(int) float64 {
	return func(k int) float64 { return values[k%len(values)] }
}

// wines are 178 bottles of 3 growers by 13 chemical measurements: alcohol in per cent, magnesium and proline in
// milligrams by the litre.
func wines(seed uint64) (*problem, error) {
	random := newRandom("wines", seed)
	m := measurement{rows: 178, classes: 3, columns: 13, apart: 1,
		scale:  cycle(0.8, 1.1, 0.27, 3.3, 14, 0.6, 1, 0.12, 0.57, 2.3, 0.23, 0.7, 315),
		offset: cycle(13, 2.3, 2.4, 19, 100, 2.3, 2, 0.36, 1.6, 5, 0.96, 2.6, 747)}
	return m.near(random, 15)
}

// tumours are 569 cells of two kinds by 30 measurements, whose columns go from thousandths to hundreds.
func tumours(seed uint64) (*problem, error) {
	random := newRandom("tumours", seed)
	m := measurement{rows: 569, classes: 2, columns: 30, apart: 0.55, shares: []float64{0.63, 0.37},
		scale: func(k int) float64 {
			return cycle(3.5, 4.3, 24, 352, 0.014, 0.053, 0.08, 0.039, 0.027, 0.007)(k) * cycle(1, 0.1, 1.6)(k/10)
		},
		offset: func(k int) float64 {
			return cycle(14, 19, 92, 655, 0.096, 0.1, 0.089, 0.049, 0.18, 0.063)(k) * cycle(1, 0.1, 1.3)(k/10)
		}}
	return m.near(random, 20)
}

// alone is a classification without relations.
func alone(seed uint64) (*problem, error) {
	random := newRandom("alone", seed)
	m := measurement{rows: 500, classes: 5, columns: 20, apart: 0.7, scale: cycle(1), offset: cycle(0)}
	c := m.draw(random)
	c.hidden = []int{32}
	c.split(random, 60, 0)
	p := c.problem()
	p.reference = c.nearestMean()
	return p, nil
}

// near makes a problem with the relation of five neighbours.
func (m *measurement) near(random *rand.Rand, labels int) (*problem, error) {
	c := m.draw(random)
	c.hidden = []int{16}
	c.links = neighbours(c.x, 5)
	c.split(random, labels, 0)
	p := c.problem()
	p.reference = c.nearestMean()
	return p, nil
}

// nearestMean is an independent method: the class whose mean over all rows, test rows included, is nearest in columns
// of the same scale. Nothing that sees few labels does much better on the tables drawn here.
func (c *classification) nearestMean() float64 {
	z := standardised(c.x)
	means, counts := make([][]float64, c.classes), make([]float64, c.classes)
	for k, class := range c.y {
		if means[class] == nil {
			means[class] = make([]float64, len(z[k]))
		}
		counts[class]++
		for column, value := range z[k] {
			means[class][column] += value
		}
	}
	says := make([][]float64, len(z))
	for k := range z {
		says[k] = make([]float64, c.classes)
		for class, mean := range means {
			says[k][class] = math.Inf(-1)
			if counts[class] == 0 {
				continue
			}
			says[k][class] = 0
			for column, value := range z[k] {
				d := value - mean[column]/counts[class]
				says[k][class] -= d * d
			}
		}
	}
	return c.points(says)
}

// blobs are points around a centre of each class, in as many dimensions.
func blobs(random *rand.Rand, n, classes, dimensions int, noise float64) (x [][]float64, y []int) {
	centres := make([][]float64, classes)
	for class := range centres {
		centres[class] = normals(random, dimensions, 1)
	}
	for range n {
		class := random.IntN(classes)
		point := normals(random, dimensions, noise)
		for column := range point {
			point[column] += centres[class][column]
		}
		x, y = append(x, point), append(y, class)
	}
	return x, y
}

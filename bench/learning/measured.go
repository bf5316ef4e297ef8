package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
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
	factors := make([][]float64, common)
	for k := range factors {
		factors[k] = normals(random, m.columns, 0.5)
	}
	c := &classification{classes: m.classes}
	latent := make([][]float64, m.rows)
	for k := range m.rows {
		class := m.class(k, random)
		z := normals(random, m.columns, ownDeviation)
		for _, factor := range factors {
			strength := random.NormFloat64()
			for column := range z {
				z[column] += strength * factor[column]
			}
		}
		row := make([]float64, m.columns)
		for column := range z {
			z[column] += means[class][column]
			row[column] = m.offset(column) + m.scale(column)*z[column]
		}
		c.x, c.y, latent[k] = append(c.x, row), append(c.y, class), z
	}
	c.odds = m.odds(latent, means, factors)
	return c
}

const (
	common       = 3   // factors that columns have in common
	ownDeviation = 0.8 // of a column, beside them
)

// odds are the logarithms of each class's probability, but for a constant by row, given all that draw knows: the best
// possible answer follows them.
func (m *measurement) odds(rows, means, factors [][]float64) [][]float64 {
	covariance := mat.NewSymDense(m.columns, nil)
	for a := range m.columns {
		covariance.SetSym(a, a, ownDeviation*ownDeviation)
		for b := range a + 1 {
			for _, factor := range factors {
				covariance.SetSym(a, b, covariance.At(a, b)+factor[a]*factor[b])
			}
		}
	}
	var root mat.Cholesky
	if !root.Factorize(covariance) {
		panic("a sum of squares is not positive")
	}
	odds := make([][]float64, len(rows))
	for k := range odds {
		odds[k] = make([]float64, m.classes)
	}
	for class, mean := range means {
		direction := mat.NewVecDense(m.columns, nil)
		centre := mat.NewVecDense(m.columns, mean)
		if err := root.SolveVecTo(direction, centre); err != nil {
			panic(err)
		}
		own := -mat.Dot(direction, centre) / 2
		if m.shares != nil {
			own += math.Log(m.shares[class])
		}
		for k, row := range rows {
			odds[k][class] = own + mat.Dot(direction, mat.NewVecDense(m.columns, row))
		}
	}
	return odds
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

// wines are bottles by chemical measurements: alcohol in per cent, magnesium and proline in milligrams by the litre.
var wines = measurement{rows: 178, classes: 3, columns: 13, apart: 1,
	scale:  cycle(0.8, 1.1, 0.27, 3.3, 14, 0.6, 1, 0.12, 0.57, 2.3, 0.23, 0.7, 315),
	offset: cycle(13, 2.3, 2.4, 19, 100, 2.3, 2, 0.36, 1.6, 5, 0.96, 2.6, 747)}

// tumours are cells of two kinds by measurements from thousandths to hundreds: means, deviations and extremes of ten.
var tumours = measurement{rows: 569, classes: 2, columns: 30, apart: 0.55, shares: []float64{0.63, 0.37},
	scale: func(k int) float64 {
		return cycle(3.5, 4.3, 24, 352, 0.014, 0.053, 0.08, 0.039, 0.027, 0.007)(k) * cycle(1, 0.1, 1.6)(k/10)
	},
	offset: func(k int) float64 {
		return cycle(14, 19, 92, 655, 0.096, 0.1, 0.089, 0.049, 0.18, 0.063)(k) * cycle(1, 0.1, 1.3)(k/10)
	}}

// rare has a class that is one row of twenty.
var rare = measurement{rows: 800, classes: 2, columns: 12, apart: 0.9, shares: []float64{0.95, 0.05},
	scale: constant(1), offset: constant(0)}

// even returns a table of one unit.
func even(rows, classes, columns int, apart float64) measurement {
	return measurement{rows: rows, classes: classes, columns: columns, apart: apart,
		scale: constant(1), offset: constant(0)}
}

// A table is a task of measurements.
type table struct {
	name, about string
	measurement
	labels, validation int
	// near is the number of neighbours in the relation; 0: there is none.
	near int
	// wrong is the share of the known labels that are.
	wrong float64
	// spoil changes the rows as files from elsewhere do, when neighbours are known.
	spoil func(x [][]float64, random *rand.Rand)
	value string // how it is scored; "" is by accuracy
}

func (z table) task() task {
	metric := "accuracy"
	if z.value == averaged {
		metric = "averaged accuracy"
	}
	return task{name: z.name, metric: metric, about: z.about, make: z.problem}
}

func (z *table) problem(seed uint64) (*problem, error) {
	random := newRandom("table "+z.name, seed)
	c := z.draw(random)
	c.hidden, c.value = []int{16}, z.value
	if z.near > 0 {
		c.links = neighbours(c.x, z.near)
	}
	c.split(random, z.labels, z.validation)
	reference := c.best()
	if z.spoil != nil {
		z.spoil(c.x, random)
	}
	truth := slices.Clone(c.y)
	for _, k := range c.train {
		if random.Float64() < z.wrong {
			c.y[k] = (truth[k] + 1 + random.IntN(c.classes-1)) % c.classes
		}
	}
	p := c.problem()
	p.reference = reference
	return p, nil
}

// spoiled are the faults that tables from elsewhere have: a column without any difference, one that is there twice,
// values that are missing and written as −999, and some that an instrument invented.
func spoiled(x [][]float64, random *rand.Rand) {
	for k, row := range x {
		row = append(row, 7, row[0], 1e6)
		for column := range row[:len(row)-3] {
			if random.Float64() < 0.05 {
				row[column] = -999
			}
		}
		if random.Float64() < 0.02 {
			row[random.IntN(len(row)-3)] = 1e7
		}
		x[k] = row
	}
}

// constant is a column's unit or zero where all are the same.
func constant(x float64) func(int) float64 { return func(int) float64 { return x } }

// blobs are points around a centre of each class, in as many dimensions.
func blobs(random *rand.Rand, n, classes, dimensions int, noise float64) (x [][]float64, y []int) {
	at := newCentres(random, classes, dimensions, 1)
	for range n {
		class := random.IntN(classes)
		x, y = append(x, at.near(random, class, noise)), append(y, class)
	}
	return x, y
}

// centres are where the points of each class lie about.
type centres [][]float64

// newCentres draws those of some classes, which are about spread from the origin in each dimension.
func newCentres(random *rand.Rand, classes, dimensions int, spread float64) centres {
	all := make(centres, classes)
	for class := range all {
		all[class] = normals(random, dimensions, spread)
	}
	return all
}

// near draws a point of a class, with so much noise in each dimension.
func (c centres) near(random *rand.Rand, class int, noise float64) []float64 {
	point := normals(random, len(c[class]), noise)
	for k := range point {
		point[k] += c[class][k]
	}
	return point
}

package main

import (
	"math"
	"slices"
)

const webRules = `
1: Neural(A, K) -> Label(A, K) ^2
1: Eats(A, B) -> !Label(A, 'c0') ^2                  # plants eat nothing
1: Eats(A, B) & Label(A, 'c1') -> Label(B, 'c0') ^2
1: Eats(A, B) & Label(A, 'c2') -> Label(B, 'c1') ^2
1: Eats(A, B) & Label(B, 'c0') -> Label(A, 'c1') ^2
1: Eats(A, B) & Label(B, 'c1') -> Label(A, 'c2') ^2
10: Label(A, +K) = 1 ^2
`

const webClasses = 3

// webShares are how often classes are drawn, and prey how much one likes to eat another.
var (
	webShares = [...]int{0, 0, 1, 1, 2}
	prey      = [webClasses][webClasses]float64{{0.03, 0.03, 0.03}, {1.03, 0.08, 0.05}, {0.13, 1.03, 0.33}}
)

// foodWeb is who eats whom: plants, grazers and hunters, of which a network sees little.
func foodWeb(seed uint64) (*problem, error) {
	const species, classes = 240, webClasses
	random := newRandom("food web", seed)
	c := &classification{classes: classes, latent: true}
	centres := newCentres(random, classes, 6, 0.45)
	for range species {
		class := webShares[random.IntN(len(webShares))]
		c.x, c.y = append(c.x, centres.near(random, class, 1)), append(c.y, class)
	}
	c.split(random, 36, 0)
	p := newProject(webRules)
	c.writeFeatures(p)
	c.writeLabels(p)
	w := &web{c, centres, make([][]int, species), make([][]int, species)}
	for a, class := range c.y {
		meals := 1 + random.IntN(3)
		if class == 0 {
			meals = truth(random.Float64() < 0.2)
		}
		for eaten := []int{a}; meals > 0; {
			b := random.IntN(species)
			if random.Float64() < prey[class][c.y[b]]/1.03 && !slices.Contains(eaten, b) {
				eaten, meals = append(eaten, b), meals-1
				w.eats[a], w.eaten[b] = append(w.eats[a], b), append(w.eaten[b], a)
				p.row("eats.tsv", entity(a), entity(b))
			}
		}
	}
	truth := map[string]string{"learn": trainTable, "infer": testTable}
	p.config.Networks["classifier"] = &network{Features: "features.tsv"}
	p.declare("Eats/2", predicate{Observations: []string{"eats.tsv"}})
	p.declare("Neural/2", predicate{
		Neural: &neural{Network: "classifier", Entity: new(int), Class: one(), Classes: names("c", classes)}})
	p.declare("Label/2", predicate{Targets: []string{"targets.tsv"}, Truth: truth})
	return &problem{project: p, score: accuracy("Label"), plain: c.plain(p, truth), plainScore: accuracy("Neural"),
		fixed: c.fixed(p, truth), samples: c.samples(), reference: c.points(w.relaxed())}, nil
}

// web is the food web: whom things eat, and who eats them.
type web struct {
	*classification
	centres     [][]float64
	eats, eaten [][]int
}

// relaxed is the relaxation labelling of one that knows how the web was drawn: probabilities of each thing's classes,
// by those of its neighbours, over and over.
func (w *web) relaxed() [][]float64 {
	says := make([][]float64, len(w.y))
	known := make([]bool, len(w.y))
	for k := range says {
		says[k] = slices.Repeat([]float64{1. / webClasses}, webClasses)
	}
	for _, k := range w.train {
		known[k], says[k] = true, make([]float64, webClasses)
		says[k][w.y[k]] = 1
	}
	for range 30 {
		for a := range says {
			if !known[a] {
				says[a] = w.likely(a, says)
			}
		}
	}
	return says
}

// likely is the probability of each class of a thing, by what is said of the others.
func (w *web) likely(a int, says [][]float64) []float64 {
	odds, sum := make([]float64, webClasses), 0.0
	for class := range odds {
		odds[class] = math.Exp(-distance(w.x[a], w.centres[class])/2) * w.meals(class, len(w.eats[a]))
		for _, b := range w.eats[a] {
			odds[class] *= expected(says[b], func(other int) float64 { return prey[class][other] / hunger(class) })
		}
		for _, b := range w.eaten[a] {
			odds[class] *= expected(says[b], func(other int) float64 { return prey[other][class] / hunger(other) })
		}
		sum += odds[class]
	}
	for class := range odds {
		odds[class] /= sum
	}
	return odds
}

// meals is how likely a thing of a class is to be drawn, with so many meals.
func (w *web) meals(class, count int) float64 {
	share := 0.0
	for _, drawn := range webShares {
		share += float64(truth(drawn == class)) / float64(len(webShares))
	}
	switch {
	case class > 0:
		return share * float64(truth(count > 0)) / 3
	case count < 2:
		return share * [...]float64{0.8, 0.2}[count]
	}
	return 0
}

// hunger is how much a class likes to eat anything.
func hunger(class int) (sum float64) {
	for _, other := range webShares {
		sum += prey[class][other]
	}
	return sum
}

func expected(says []float64, of func(class int) float64) (sum float64) {
	for class, p := range says {
		sum += p * of(class)
	}
	return sum
}

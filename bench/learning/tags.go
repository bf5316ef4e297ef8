package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// kinds of tags: pictures have several of them, or none.
var tagNames = []string{"animal", "dog", "plant", "green"}

// tags are several classes at once, of which one implies another and two exclude each other; 50 of 350 pictures are
// known. Columns have units of their own, and names have spaces.
func tags(seed uint64) (*problem, error) {
	const (
		pictures = 350
		known    = 50
		columns  = 12
	)
	random := newRandom("tags", seed)
	p := newProject(`
1: Sees(A, T) -> Tag(A, T) ^2
1: !Sees(A, T) -> !Tag(A, T) ^2
1: Tag(A, T) & Implies(T, U) -> Tag(A, U) ^2
1: Tag(A, T) & Excludes(T, U) -> !Tag(A, U) ^2
`)
	p.config.Networks["eye"] = &network{Features: "features.tsv", Hidden: []int{16}, Output: "sigmoid"}
	truths := map[string]string{"learn": trainTable, "infer": testTable}
	p.declare("Sees/2", predicate{Truth: truths,
		Neural: &neural{Network: "eye", Entity: new(int), Class: one(), Classes: tagNames}})
	p.declare("Implies/2", predicate{Observations: []string{"implies.tsv"}})
	p.declare("Excludes/2", predicate{Observations: []string{"excludes.tsv"}})
	p.declare("Tag/2", predicate{Targets: []string{"targets.tsv"}, Truth: truths,
		Evaluations: []any{"DiscreteEvaluator"}})
	p.row("implies.tsv", "dog", "animal")
	p.row("implies.tsv", "plant", "green")
	p.row("excludes.tsv", "dog", "plant")
	weights := [][]float64{normals(random, columns, 1), normals(random, columns, 1), normals(random, columns, 1),
		normals(random, columns, 0.5)}
	var best counts
	for k := range pictures {
		x, name := normals(random, columns, 1), fmt.Sprintf("picture %d.png", k)
		cells := []any{name}
		for column, value := range x {
			cells = append(cells, value*math.Pow(10, float64(column%6-3)))
		}
		p.row("features.tsv", cells...)
		is, expected := tagged(x, weights, random), tagged(x, weights, nil)
		table := testTable
		if k < known {
			table = trainTable
		}
		for tag, tagName := range tagNames {
			p.row("targets.tsv", name, tagName)
			p.row(table, name, tagName, truth(is[tag]))
			if k >= known {
				best.add(expected[tag], is[tag])
			}
		}
	}
	plain := p.fork()
	plain.rules = ""
	plain.config.Predicates["Sees/2"].Evaluations = []any{"DiscreteEvaluator"}
	delete(plain.config.Predicates, "Tag/2")
	return &problem{project: p, score: score{"Tag", "discrete", "F1"}, plain: plain,
		plainScore: score{"Sees", "discrete", "F1"}, fixed: p, reference: 100 * best.f1()}, nil
}

// tagged says which tags a picture has; without noise, those that it most probably has.
func tagged(x []float64, weights [][]float64, noise *rand.Rand) []bool {
	score := make([]float64, len(weights))
	for tag, w := range weights {
		for column, value := range x {
			score[tag] += w[column] * value
		}
		if noise != nil && tag < 3 {
			score[tag] += noise.NormFloat64()
		}
	}
	animal := score[0] > -0.5
	dog := animal && score[1] > 0
	plant := !dog && score[2] > 0
	return []bool{animal, dog, plant, plant || score[3] > 2}
}

// counts are those that F1 is made of.
type counts struct{ hits, found, all float64 }

// add counts an answer.
func (c *counts) add(answer, is bool) {
	c.found += float64(truth(answer))
	c.all += float64(truth(is))
	c.hits += float64(truth(answer && is))
}

func (c *counts) f1() float64 { return 2 * c.hits / (c.found + c.all) }

package main

import (
	"math/rand/v2"
	"os"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/paper/published"
)

// A graph is a network of documents: words that occur, and citations.
type graph struct {
	name, about string
	// published names a data set; "" is a generated network.
	published string
	// turn is by how much a cited document's class differs: 0 for networks in which like cites like. Noise has links
	// without any meaning.
	turn  int
	noise bool
	// opposes adds the rule that documents that cite each other differ: the project leaves it to the weights.
	opposes bool
	labels  int // known classes; of published sets 20 of each class
	latent  bool
}

const opposedRules = `
1: Neural(A, Y) -> Label(A, Y) ^2
1: Label(B, Y) & Cite(B, A) -> Label(A, Y) ^2     # documents that cite each other are of one class …
1: Label(B, Y) & Cite(B, A) -> !Label(A, Y) ^2    # … or they are not
20: Label(A, +Y) = 1 ^2
`

const (
	documents      = 600
	documentTopics = 4
)

func (z graph) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, data: z.published, make: z.problem}
}

func (z *graph) problem(seed uint64) (*problem, error) {
	random := newRandom("graph "+z.name, seed)
	cited, err := z.citation(random)
	if err != nil {
		return nil, err
	}
	c := &classification{classes: len(cited.Classes), hidden: []int{16}, sparse: true, siamese: true, latent: z.latent}
	number := make(map[int32]int) // of documents with a class
	for document, class := range cited.Labels {
		if class < 0 {
			continue
		}
		number[int32(document)] = len(c.y)
		row := make([]float64, cited.Words)
		for _, word := range cited.WordsOf(document) {
			row[word] = 1
		}
		c.x, c.y = append(c.x, row), append(c.y, class)
	}
	for _, link := range cited.Links {
		a, known := number[link[0]]
		b, too := number[link[1]]
		if known && too {
			c.links = append(c.links, [2]int{a, b}, [2]int{b, a})
		}
	}
	labels := z.labels
	if z.published != "" {
		labels = 20 * c.classes
	}
	c.split(random, labels, 0)
	p := c.problem()
	if z.opposes {
		p.project.rules, p.fixed.rules = opposedRules, opposedRules
		delete(p.project.config.Predicates, "Similar/2")
		delete(p.project.config.Networks, "similarity")
		delete(p.fixed.config.Predicates, "Similar/2")
	}
	p.reference = c.spread()
	return p, nil
}

// citation reads or generates the network.
func (z *graph) citation(random *rand.Rand) (*dataset.Citation, error) {
	if z.published != "" {
		cache := &published.Cache{Data: os.Getenv(dataVariable)}
		return cache.Planetoid(z.published)
	}
	g := dataset.Generator{Documents: documents, Classes: documentTopics, Seed: random.Uint64()}
	c, err := g.Citation()
	if err != nil || !z.noise && z.turn == 0 {
		return c, err
	}
	of := make([][]int32, documentTopics)
	for document, class := range c.Labels {
		of[class] = append(of[class], int32(document))
	}
	seen := make(map[[2]int32]bool)
	for k := range c.Links {
		a, b := int32(0), int32(0)
		for a == b || seen[[2]int32{a, b}] || seen[[2]int32{b, a}] {
			a, b = int32(random.IntN(documents)), int32(random.IntN(documents))
			if list := of[(c.Labels[a]+z.turn)%documentTopics]; !z.noise {
				b = list[random.IntN(len(list))]
			}
		}
		seen[[2]int32{a, b}] = true
		c.Links[k] = [2]int32{min(a, b), max(a, b)}
	}
	return c, nil
}

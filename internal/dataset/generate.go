package dataset

import (
	"fmt"
	"math/rand/v2"
)

// Generator makes citation networks with planted classes. The zero value of a field means its default.
//
// A document has a class. Each of its words comes, with probability Signal, from the block of words that belongs to the
// class, and otherwise from all words. Each of its citations goes, with probability Homophily, to a document of its
// class, and otherwise to any. The defaults make words alone a poor guide when few labels are known, and words with
// links a good one.
type Generator struct {
	Documents        int     // default 600
	Classes          int     // default 4
	Words            int     // vocabulary; default 400
	WordsPerDocument int     // words drawn, with repetition; default 18
	LinksPerDocument int     // citations drawn per document; default 3
	Signal           float64 // default 0.3
	Homophily        float64 // default 0.8
	Seed             uint64
}

func (g Generator) withDefaults() Generator {
	for _, f := range [...]struct {
		field *int
		value int
	}{
		{&g.Documents, 600}, {&g.Classes, 4}, {&g.Words, 400}, {&g.WordsPerDocument, 18}, {&g.LinksPerDocument, 3},
	} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if g.Signal == 0 {
		g.Signal = 0.3
	}
	if g.Homophily == 0 {
		g.Homophily = 0.8
	}
	return g
}

// check says what makes a network impossible.
func (g Generator) check() error {
	switch {
	case g.Classes < 1 || g.Documents < g.Classes || g.Words < g.Classes:
		return fmt.Errorf("generator: %d documents and %d words are too few for %d classes", g.Documents, g.Words, g.Classes)
	case g.WordsPerDocument < 0 || g.LinksPerDocument < 0:
		return fmt.Errorf("generator: a document cannot have %d words and %d links", g.WordsPerDocument, g.LinksPerDocument)
	case !(g.Signal >= 0 && g.Signal <= 1) || !(g.Homophily >= 0 && g.Homophily <= 1):
		return fmt.Errorf("generator: signal %g and homophily %g must be in [0, 1]", g.Signal, g.Homophily)
	}
	return nil
}

// Citation generates a network. The same generator gives the same network on every machine.
func (g Generator) Citation() (*Citation, error) {
	g = g.withDefaults()
	if err := g.check(); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0))
	c := &Citation{Name: "generated", Documents: g.Documents, Words: g.Words}
	for class := range g.Classes {
		c.Classes = append(c.Classes, fmt.Sprintf("topic%d", class))
	}
	// Classes take turns, so that they are of equal size and no seed makes one empty.
	members := make([][]int32, g.Classes)
	for d := range g.Documents {
		class := d % g.Classes
		c.Names = append(c.Names, fmt.Sprintf("doc%d", d))
		c.Labels = append(c.Labels, class)
		members[class] = append(members[class], int32(d))
	}
	for _, class := range c.Labels {
		c.AddWords(g.words(rng, class))
	}
	for d, class := range c.Labels {
		for range g.LinksPerDocument {
			c.DirectedLinks = append(c.DirectedLinks, [2]int32{int32(d), g.cited(rng, members[class])})
		}
	}
	c.Links = Undirected(c.DirectedLinks)
	return c, nil
}

// words draws the words of a document of the class, whose own words are a block of the vocabulary.
func (g Generator) words(rng *rand.Rand, class int) []int32 {
	words := make([]int32, g.WordsPerDocument)
	first, next := class*g.Words/g.Classes, (class+1)*g.Words/g.Classes
	for k := range words {
		if rng.Float64() < g.Signal {
			words[k] = int32(first + rng.IntN(next-first))
		} else {
			words[k] = int32(rng.IntN(g.Words))
		}
	}
	return words
}

// cited draws the document that one cites; the class's members are those of the citing document. It can be itself,
// which makes no link.
func (g Generator) cited(rng *rand.Rand, members []int32) int32 {
	if rng.Float64() < g.Homophily {
		return members[rng.IntN(len(members))]
	}
	return int32(rng.IntN(g.Documents))
}

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// useless is a classification by relations of which few tell the class, and most tell nothing. Which ones do, labels
// are to find out.
type useless struct {
	name, about string
	labels      int
	// relations are how often each is between things of one class; by chance one in four is.
	relations []float64
	// both says that there are two rules about each relation: that classes are the same, and that they are not.
	both bool
	// seen is the deviation of what a network sees around centres of the classes; 0 means that there is no network.
	seen float64
}

const (
	uselessThings  = 400
	uselessClasses = 4
	uselessLinks   = 3 // of each thing in each relation
)

func (u useless) task() task {
	return task{name: u.name, metric: "accuracy", about: u.about, make: u.problem}
}

func (u *useless) problem(seed uint64) (*problem, error) {
	random := newRandom("useless "+u.name, seed)
	c := &classification{classes: uselessClasses}
	c.x, c.y = blobs(random, uselessThings, c.classes, 6, max(u.seen, 1))
	p := newProject(u.rules())
	tells := make([][]int, uselessThings) // the things that a thing is tied to by relations that tell something
	for r, agree := range u.relations {
		table := fmt.Sprintf("links%d.tsv", r)
		drawn := make(map[[2]int]bool)
		for a := range c.y {
			for range uselessLinks {
				b := c.another(random, a, random.Float64() < agree)
				if drawn[[2]int{a, b}] {
					continue
				}
				drawn[[2]int{a, b}] = true
				p.row(table, entity(a), entity(b))
				if agree > 1./uselessClasses {
					tells[a], tells[b] = append(tells[a], b), append(tells[b], a)
				}
			}
		}
		p.declare(fmt.Sprintf("Tied%d/2", r), predicate{Observations: []string{table}})
	}
	c.split(random, u.labels, 0)
	c.writeLabels(p)
	truth := map[string]string{"learn": trainTable, "infer": testTable}
	p.declare("Label/2", predicate{Targets: []string{"targets.tsv"}, Truth: truth, Evaluations: c.evaluations()})
	made := &problem{project: p, score: accuracy("Label"), fixed: c.observed(p), reference: c.voted(tells)}
	if u.seen > 0 {
		c.writeFeatures(p)
		p.config.Networks["classifier"] = &network{Features: "features.tsv"}
		p.declare("Neural/2", predicate{Truth: truth,
			Neural: &neural{Network: "classifier", Entity: new(int), Class: one(), Classes: names("c", c.classes)}})
		made.samples, made.plain, made.plainScore, made.fixed = c.samples(), c.plain(p, truth), accuracy("Neural"), p
	}
	return made, nil
}

// rules are what one would write that knows nothing of the relations.
func (u *useless) rules() string {
	var b strings.Builder
	if u.seen > 0 {
		b.WriteString("1: Neural(A, Y) -> Label(A, Y) ^2\n")
	}
	for r := range u.relations {
		fmt.Fprintf(&b, "1: Tied%d(A, B) & Label(B, Y) -> Label(A, Y) ^2\n", r)
		if u.both {
			fmt.Fprintf(&b, "1: Tied%d(A, B) & Label(B, Y) -> !Label(A, Y) ^2\n", r)
		}
	}
	b.WriteString("Label(A, +Y) = 1 .\n")
	return b.String()
}

// another draws a thing of the same class or of another one.
func (c *classification) another(random *rand.Rand, a int, same bool) int {
	for {
		if b := random.IntN(len(c.y)); b != a && (c.y[a] == c.y[b]) == same {
			return b
		}
	}
}

// observed is a project without networks in which labels are observed.
func (c *classification) observed(p *setting) *setting {
	fixed := p.fork()
	for _, k := range c.train {
		for class := range c.classes {
			p.row("known.tsv", entity(k), "c"+fmt.Sprint(class), truth(class == c.y[k]))
		}
	}
	for k := range c.y {
		for class := range c.classes {
			if !slices.Contains(c.train, k) {
				p.row("unknown.tsv", entity(k), "c"+fmt.Sprint(class))
			}
		}
	}
	label := fixed.config.Predicates["Label/2"]
	label.Observations, label.Targets = []string{"known.tsv"}, []string{"unknown.tsv"}
	label.Truth = map[string]string{"infer": testTable}
	return fixed
}

// voted is the accuracy of votes of what things are tied to, over and over: relaxation labelling by the relations that
// tell something.
func (c *classification) voted(tells [][]int) float64 {
	share := make([][]float64, len(c.y))
	known := make([]bool, len(c.y))
	for k := range share {
		share[k] = slices.Repeat([]float64{1 / float64(c.classes)}, c.classes)
	}
	for _, k := range c.train {
		known[k], share[k] = true, make([]float64, c.classes)
		share[k][c.y[k]] = 1
	}
	for range 50 {
		for k, others := range tells {
			if known[k] || len(others) == 0 {
				continue
			}
			clear(share[k])
			for _, other := range others {
				for class, value := range share[other] {
					share[k][class] += value / float64(len(others))
				}
			}
		}
	}
	right := 0
	for _, k := range c.test {
		if c.y[k] == slices.Index(share[k], slices.Max(share[k])) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(c.test))
}

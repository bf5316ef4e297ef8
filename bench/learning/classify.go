package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A classification is a table of measurements, some of whose rows have a known class.
type classification struct {
	x       [][]float64
	y       []int
	classes int
	train   []int
	// validation and test are rows whose class is known, but not learned from. Without validation there is none.
	validation, test []int
	hidden           []int
	// links are pairs of rows, the relation Near; nil if there is none.
	links [][2]int
	// siamese says that a second network compares linked rows, as the README's rules have it.
	siamese bool
	// latent says that labels are known of what is inferred alone, and not of the network's own predicate.
	latent bool
	// sparse says that rows are words that occur, and not numbers.
	sparse bool
	// odds are what the best possible answer knows of each row's classes; nil if that is not known.
	odds [][]float64
	// value is how classes are scored; "" means by accuracy.
	value string
}

const (
	plainRules = `
1: Neural(A, Y) -> Label(A, Y) ^2
20: Label(A, +Y) = 1 ^2
`
	nearRules = `
# What the network sees, what its neighbours are, and that there is one class.
1: Neural(A, Y) -> Label(A, Y) ^2
1: Label(B, Y) & Near(A, B) -> Label(A, Y) ^2
20: Label(A, +Y) = 1 ^2
`
	similarRules = `
1.0: Neural(A, Y) -> Label(A, Y) ^2                                # what a network sees in a document's words
1.0: Label(B, Y) & Similar(B, A) & Cite(B, A) -> Label(A, Y) ^2    # citations of similar documents agree
20.0: Label(A, +Y) = 1 ^2                                          # a document has one class
`
)

// averaged is the mean of the classes' own shares, which rare classes count as much in as common ones.
const averaged = "ClassAveragedAccuracy"

// Truth of the phases.
const (
	trainTable      = "train.tsv"
	validationTable = "validation.tsv"
	testTable       = "test.tsv"
)

// problem writes the classification as a project, with its rivals.
func (c *classification) problem() *problem {
	p := newProject(c.rules())
	c.writeFeatures(p)
	classes := names("c", c.classes)
	p.config.Networks["classifier"] = &network{Features: "features.tsv", Hidden: c.hidden}
	if c.sparse {
		p.config.Networks["classifier"].Format, p.config.Networks["classifier"].Width = "sparse", len(c.x[0])
	}
	truth := map[string]string{"learn": trainTable, "infer": testTable}
	if c.validation != nil {
		truth["validation"] = validationTable
	}
	c.writeLabels(p)
	sees := &neural{Network: "classifier", Entity: new(int), Class: one(), Classes: classes}
	p.declare("Neural/2", predicate{Neural: sees})
	p.declare("Label/2", predicate{Targets: []string{"targets.tsv"}, Truth: truth, Evaluations: c.evaluations()})
	if !c.latent {
		p.config.Predicates["Neural/2"].Truth = truth
	}
	if c.links != nil {
		c.writeLinks(p)
	}
	plain := c.plain(p, truth)
	return &problem{project: p, score: c.score("Label"), plain: plain, plainScore: c.score("Neural"),
		fixed: c.fixed(p, truth), samples: c.samples()}
}

func one() *int { k := 1; return &k }

func (c *classification) rules() string {
	switch {
	case c.siamese:
		return similarRules
	case c.links != nil:
		return nearRules
	}
	return plainRules
}

func (c *classification) score(predicate string) score {
	s := accuracy(predicate)
	if c.value != "" {
		s.value = c.value
	}
	return s
}

func (c *classification) evaluations() []any {
	if c.value == "" {
		return []any{"CategoricalEvaluator"}
	}
	return []any{map[string]any{"evaluator": "CategoricalEvaluator", "primary": true,
		"options": map[string]string{"categoricalevaluator.representative": c.value}}}
}

// plain is the network without rules.
func (c *classification) plain(p *setting, truth map[string]string) *setting {
	plain := p.fork()
	plain.rules = ""
	own := plain.config.Predicates["Neural/2"]
	own.Truth, own.Evaluations = truth, c.evaluations()
	plain.config.Predicates = map[string]*predicate{"Neural/2": own}
	delete(plain.config.Networks, "similarity")
	return plain
}

// fixed has a network with labels of its own, and similarities that are all 1.
func (c *classification) fixed(p *setting, truth map[string]string) *setting {
	fixed := p.fork()
	fixed.config.Predicates["Neural/2"].Truth = truth
	if c.siamese {
		delete(fixed.config.Networks, "similarity")
		fixed.config.Predicates["Similar/2"] = &predicate{Observations: []string{"links.tsv"}}
	}
	return fixed
}

func (c *classification) writeFeatures(p *setting) {
	for k, row := range c.x {
		cells := []any{entity(k)}
		var words []string
		for word, x := range row {
			if !c.sparse {
				cells = append(cells, x)
			} else if x != 0 {
				words = append(words, strconv.Itoa(word))
			}
		}
		if c.sparse {
			cells = append(cells, strings.Join(words, " "))
		}
		p.row("features.tsv", cells...)
	}
}

// entity is the name of a row.
func entity(k int) string { return "r" + strconv.Itoa(k) }

func (c *classification) writeLabels(p *setting) {
	for k := range c.x {
		for class := range c.classes {
			p.row("targets.tsv", entity(k), "c"+strconv.Itoa(class))
		}
	}
	for _, part := range []struct {
		table string
		rows  []int
	}{{trainTable, c.train}, {validationTable, c.validation}, {testTable, c.test}} {
		for _, k := range part.rows {
			p.row(part.table, entity(k), "c"+strconv.Itoa(c.y[k]))
		}
	}
}

func (c *classification) writeLinks(p *setting) {
	for _, link := range c.links {
		p.row("links.tsv", entity(link[0]), entity(link[1]))
	}
	observed := predicate{Observations: []string{"links.tsv"}}
	if !c.siamese {
		p.declare("Near/2", observed)
		return
	}
	p.declare("Cite/2", observed)
	p.config.Networks["similarity"] = &network{Kind: "siamese", Encoder: "classifier"}
	p.declare("Similar/2", predicate{Neural: &neural{Network: "similarity", Atoms: "Similar(B, A) <- Cite(B, A)"}})
}

func (c *classification) samples() *samples {
	s := &samples{Hidden: c.hidden}
	for _, k := range c.train {
		s.Train, s.Known = append(s.Train, c.x[k]), append(s.Known, c.y[k])
	}
	for _, k := range c.test {
		s.Test, s.Wanted = append(s.Test, c.x[k]), append(s.Wanted, c.y[k])
	}
	return s
}

// split chooses rows to learn from, at least one of each class if there are enough, and leaves the others for the test.
func (c *classification) split(random *rand.Rand, labels, validation int) {
	order := random.Perm(len(c.y))
	seen := make([]bool, c.classes)
	first := func(k int) int { // rows that are the first of their class come first
		if seen[c.y[k]] {
			return 1
		}
		seen[c.y[k]] = true
		return 0
	}
	rank := make([]int, len(c.y))
	for _, k := range order {
		rank[k] = first(k)
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank[a] - rank[b] })
	c.train, c.validation, c.test = order[:labels], order[labels:labels+validation], order[labels+validation:]
	if validation == 0 {
		c.validation = nil
	}
}

// neighbours returns the pairs of each row with the k nearest others, measured in columns of the same scale.
func neighbours(x [][]float64, k int) [][2]int {
	scaled := standardised(x)
	var links [][2]int
	for a := range scaled {
		near, far := make([]int, 0, k+1), make([]float64, 0, k+1) // ascending by distance
		for b := range scaled {
			d := distance(scaled[a], scaled[b])
			if a == b || len(near) == k && d >= far[k-1] {
				continue
			}
			at, _ := slices.BinarySearch(far, math.Nextafter(d, math.Inf(1))) // behind those that are as far
			near, far = slices.Insert(near, at, b), slices.Insert(far, at, d)
			near, far = near[:min(k, len(near))], far[:min(k, len(far))]
		}
		for _, b := range near {
			links = append(links, [2]int{a, b})
		}
	}
	return links
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return sum
}

// standardised returns the columns with mean 0 and deviation 1; those that are constant become 0.
func standardised(x [][]float64) [][]float64 {
	scaled := make([][]float64, len(x))
	for k := range x {
		scaled[k] = make([]float64, len(x[k]))
	}
	for column := range x[0] {
		sum, squares := 0.0, 0.0
		for _, row := range x {
			sum += row[column]
		}
		mean := sum / float64(len(x))
		for _, row := range x {
			squares += (row[column] - mean) * (row[column] - mean)
		}
		if squares == 0 {
			continue
		}
		deviation := math.Sqrt(squares / float64(len(x)))
		for k, row := range x {
			scaled[k][column] = (row[column] - mean) / deviation
		}
	}
	return scaled
}

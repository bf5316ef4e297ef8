package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// sequences are the labelling of words in their order: rules have a weight for each pair of neighbours' classes. The
// reference knows how sequences are made, and takes the class with the greatest probability at each place.
func sequences(seed uint64) (*problem, error) {
	const (
		classes = 4
		length  = 10
		number  = 60
		known   = 10 // sequences whose classes are known
		noise   = 1.1
	)
	random := newRandom("sequences", seed)
	follows := transitions(random, classes)
	c := &classification{classes: classes, hidden: []int{16}}
	centres := make([][]float64, classes)
	for class := range centres {
		centres[class] = normals(random, 6, 1)
	}
	right := 0.0
	for s := range number {
		start := len(c.y)
		class := random.IntN(classes)
		for k := range length {
			if k > 0 {
				class = pick(random, follows[class])
			}
			x := normals(random, 6, noise)
			for column := range x {
				x[column] += centres[class][column]
			}
			c.x, c.y = append(c.x, x), append(c.y, class)
			if s < known {
				c.train = append(c.train, start+k)
			} else {
				c.test = append(c.test, start+k)
			}
		}
		if s >= known {
			right += decode(c.x[start:], c.y[start:], centres, noise, follows)
		}
	}
	rules := strings.Builder{}
	rules.WriteString("1: Seen(A, Y) -> Label(A, Y) ^2\nLabel(A, +Y) = 1 .\n")
	for from := range classes {
		for to := range classes {
			fmt.Fprintf(&rules, "1: Label(A, 'c%d') & Next(A, B) -> Label(B, 'c%d') ^2\n", from, to)
		}
	}
	p := c.problem()
	for _, project := range []*setting{p.project, p.fixed} {
		project.rules = strings.ReplaceAll(rules.String(), "Seen", "Neural")
		project.declare("Next/2", predicate{Observations: []string{"next.tsv"}})
	}
	for k := range c.y {
		if k%length > 0 {
			p.project.row("next.tsv", entity(k-1), entity(k))
		}
	}
	p.reference = 100 * right / float64(len(c.test))
	return p, nil
}

// transitions are a class's followers: one that is likely, and others.
func transitions(random *rand.Rand, classes int) [][]float64 {
	follows := make([][]float64, classes)
	order := random.Perm(classes)
	for from := range follows {
		follows[from] = make([]float64, classes)
		for to := range follows[from] {
			follows[from][to] = 0.2 / float64(classes-1)
		}
		follows[from][order[from]] = 0.8
	}
	return follows
}

// pick draws a number by its probability.
func pick(random *rand.Rand, shares []float64) int {
	at := random.Float64()
	for k, share := range shares {
		if at -= share; at < 0 {
			return k
		}
	}
	return len(shares) - 1
}

// decode counts the places of a sequence that the forward-backward algorithm gets right.
func decode(x [][]float64, y []int, centres [][]float64, noise float64, follows [][]float64) float64 {
	n, classes := len(y), len(centres)
	likely := make([][]float64, n)
	for k := range likely {
		likely[k] = make([]float64, classes)
		for class, centre := range centres {
			likely[k][class] = math.Exp(-distance(x[k], centre) / (2 * noise * noise))
		}
	}
	ahead, behind := make([][]float64, n), make([][]float64, n)
	for k := range n {
		ahead[k] = make([]float64, classes)
		for to := range classes {
			before := 1.0
			if k > 0 {
				before = 0
				for from, share := range ahead[k-1] {
					before += share * follows[from][to]
				}
			}
			ahead[k][to] = before * likely[k][to]
		}
		normalise(ahead[k])
	}
	right := 0.0
	for k := n - 1; k >= 0; k-- {
		behind[k] = make([]float64, classes)
		both := make([]float64, classes)
		for from := range classes {
			behind[k][from] = 1
			if k < n-1 {
				behind[k][from] = 0
				for to := range classes {
					behind[k][from] += follows[from][to] * likely[k+1][to] * behind[k+1][to]
				}
			}
			both[from] = ahead[k][from] * behind[k][from]
		}
		normalise(behind[k])
		if best(both) == y[k] {
			right++
		}
	}
	return right
}

func normalise(shares []float64) {
	total := 0.0
	for _, share := range shares {
		total += share
	}
	for k := range shares {
		shares[k] /= total
	}
}

// seats are groups of things of which each has another class: rules that hold always make a network's guesses agree.
func seats(seed uint64) (*problem, error) {
	const (
		classes = 5
		groups  = 80
		known   = 8 // groups whose classes are known
	)
	random := newRandom("seats", seed)
	c := &classification{classes: classes, hidden: []int{16}}
	centres := make([][]float64, classes)
	for class := range centres {
		centres[class] = normals(random, 6, 1)
	}
	for group := range groups {
		for _, class := range random.Perm(classes) {
			x := normals(random, 6, 1.1)
			for column := range x {
				x[column] += centres[class][column]
			}
			if group < known {
				c.train = append(c.train, len(c.y))
			} else {
				c.test = append(c.test, len(c.y))
			}
			c.x, c.y = append(c.x, x), append(c.y, class)
		}
	}
	p := c.problem()
	for _, project := range []*setting{p.project, p.fixed} {
		project.rules = "1: Neural(A, Y) -> Label(A, Y) ^2\nLabel(A, +Y) = 1 .\n" +
			"# In each group, each class is there once.\nLabel(+A, Y) + 0 * Group(G) = 1 . {A: In(A, G)}\n"
		project.declare("In/2", predicate{Observations: []string{"in.tsv"}})
		project.declare("Group/1", predicate{Observations: []string{"groups.tsv"}})
	}
	for k := range c.y {
		p.project.row("in.tsv", entity(k), fmt.Sprintf("g%d", k/classes))
	}
	for group := range groups {
		p.project.row("groups.tsv", fmt.Sprintf("g%d", group))
	}
	p.reference = c.assign(centres)
	return p, nil
}

// assign is the reference of seats: the order of a group's classes that is nearest to the centres, which it knows.
func (c *classification) assign(centres [][]float64) float64 {
	right := 0
	for at := 0; at < len(c.test); at += c.classes {
		rows := c.test[at : at+c.classes]
		chosen, cost := []int(nil), math.Inf(1)
		permutations(c.classes, func(order []int) {
			total := 0.0
			for k, row := range rows {
				total += distance(c.x[row], centres[order[k]])
			}
			if total < cost {
				chosen, cost = append(chosen[:0], order...), total
			}
		})
		for k, row := range rows {
			if chosen[k] == c.y[row] {
				right++
			}
		}
	}
	return 100 * float64(right) / float64(len(c.test))
}

// permutations calls visit with every order of the first n numbers.
func permutations(n int, visit func(order []int)) {
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	var place func(k int)
	place = func(k int) {
		if k == n {
			visit(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			place(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	place(0)
}

// kinds is a hierarchy: few things have a known class, more a known kind, which several classes have.
func kinds(seed uint64) (*problem, error) {
	const classes, ofKind = 8, 2
	random := newRandom("kinds", seed)
	m := even(600, classes, 16, 0.8)
	c := m.draw(random)
	c.hidden = []int{32}
	c.split(random, 24, 0)
	p := c.problem()
	coarse := c.test[:150] // whose kind is known
	for _, project := range []*setting{p.project, p.fixed} {
		project.rules = "1: Neural(A, Y) -> Label(A, Y) ^2\nLabel(A, +Y) = 1 .\n" +
			"# A thing is of a kind as far as it is of one of the kind's classes.\n" +
			"Label(A, +Y) = Kind(A, K) . {Y: Of(Y, K)}\n"
		project.declare("Of/2", predicate{Observations: []string{"of.tsv"}})
		project.declare("Kind/2", predicate{Targets: []string{"kind-targets.tsv"},
			Truth: map[string]string{"learn": "kinds.tsv"}})
	}
	for k := range c.y {
		for kind := range classes / ofKind {
			p.project.row("kind-targets.tsv", entity(k), fmt.Sprintf("k%d", kind))
		}
	}
	for _, k := range coarse {
		p.project.row("kinds.tsv", entity(k), fmt.Sprintf("k%d", c.y[k]/ofKind))
	}
	for class := range classes {
		p.project.row("of.tsv", fmt.Sprintf("c%d", class), fmt.Sprintf("k%d", class/ofKind))
	}
	p.reference = c.best()
	return p, nil
}

package main

import (
	"fmt"
	"slices"
)

// towns is the prediction of links from rules alone: who knows whom, by where people live and by common acquaintances.
// Half of the people's pairs are known.
func towns(seed uint64) (*problem, error) {
	const (
		people  = 40
		streets = 8
		clubs   = 6
	)
	random := newRandom("towns", seed)
	p := newProject(`
# Neighbours and members of a club may know each other, and so do friends of friends. Most people do not.
1: Lives(A, S) & Lives(B, S) & (A != B) -> Knows(A, B) ^2
1: Member(A, C) & Member(B, C) & (A != B) -> Knows(A, B) ^2
1: Knows(A, B) & Knows(B, C) & (A != C) -> Knows(A, C) ^2
1: !Knows(A, B) ^2
Knows(A, B) = Knows(B, A) .
`)
	street, club := make([]int, people), make([]int, people)
	for k := range people {
		street[k], club[k] = random.IntN(streets), random.IntN(clubs)
		p.row("lives.tsv", entity(k), fmt.Sprintf("s%d", street[k]))
		p.row("member.tsv", entity(k), fmt.Sprintf("c%d", club[k]))
	}
	p.declare("Lives/2", predicate{Observations: []string{"lives.tsv"}})
	p.declare("Member/2", predicate{Observations: []string{"member.tsv"}})
	p.declare("Knows/2", predicate{Targets: []string{"targets.tsv"},
		Truth:       map[string]string{"learn": trainTable, "infer": testTable},
		Evaluations: []any{"AUCEvaluator"}})
	var shares, wanted []float64
	for a := range people {
		for b := range a {
			chance := 0.03 // clubs say much, streets a little
			if street[a] == street[b] {
				chance += 0.15
			}
			if club[a] == club[b] {
				chance += 0.7
			}
			is := random.Float64() < chance
			table := testTable
			if random.IntN(2) == 0 {
				table = trainTable
			} else {
				shares, wanted = append(shares, chance), append(wanted, float64(truth(is)))
			}
			for _, pair := range [][2]int{{a, b}, {b, a}} {
				p.row("targets.tsv", entity(pair[0]), entity(pair[1]))
				p.row(table, entity(pair[0]), entity(pair[1]), truth(is))
			}
		}
	}
	return &problem{project: p, score: score{"Knows", "auc", "AUROC"}, fixed: p,
		reference: 100 * area(shares, wanted)}, nil
}

// area is that under the receiver operating characteristic: the share of pairs of a true and a false one in which the
// true one has the larger value.
func area(values, truth []float64) float64 {
	above, pairs := 0.0, 0.0
	for i, a := range values {
		for j, b := range values {
			if truth[i] == 1 && truth[j] == 0 {
				pairs++
				switch {
				case a > b:
					above++
				case a == b:
					above += 0.5
				}
			}
		}
	}
	return above / pairs
}

// views are two networks over two tables of the same things, one of which says little: which one to believe is learned.
func views(seed uint64) (*problem, error) {
	random := newRandom("views", seed)
	good, poor := even(500, 4, 10, 0.8), even(500, 4, 10, 0.3)
	c, other := good.draw(random), poor.draw(random)
	c.hidden = []int{16}
	c.split(random, 60, 0)
	p := c.problem()
	for _, project := range []*setting{p.project, p.fixed} {
		project.rules = "1: Neural(A, Y) -> Label(A, Y) ^2\n1: Other(A, Y) -> Label(A, Y) ^2\nLabel(A, +Y) = 1 .\n"
		project.config.Networks["second"] = &network{Features: "second.tsv", Hidden: c.hidden}
		seen := *project.config.Predicates["Neural/2"]
		seen.Neural = &neural{Network: "second", Entity: new(int), Class: one(), Classes: names("c", c.classes)}
		project.declare("Other/2", seen)
	}
	for k, row := range other.x {
		cells := []any{entity(k)}
		for _, value := range row {
			cells = append(cells, value)
		}
		p.project.row("second.tsv", cells...)
	}
	both := *c
	both.x = nil
	for k := range c.x {
		both.x = append(both.x, slices.Concat(c.x[k], other.x[k]))
	}
	p.plain, p.samples = both.problem().plain, both.samples()
	for k := range both.odds {
		for class, value := range other.odds[k] {
			both.odds[k][class] += value
		}
	}
	p.reference = both.best()
	return p, nil
}

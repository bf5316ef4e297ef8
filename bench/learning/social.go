package main

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// tagNames are classes of which pictures have several of them, or none.
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

// partners are animals of a table as people keep it, with columns of text and gaps in those of numbers. What tells the
// sexes apart are sizes, which differ more between the species; the two of a nest are of either sex. 30 are known.
func partners(seed uint64) (*problem, error) {
	const (
		nests = 160
		known = 30
		gaps  = 0.08
	)
	random := newRandom("partners", seed)
	p := newProject(`
1: Looks(A, S) -> Sex(A, S) ^2
1: Mate(A, B) & Sex(A, 'female') -> Sex(B, 'male') ^2
1: Mate(A, B) & Sex(A, 'male') -> Sex(B, 'female') ^2
Sex(A, +S) = 1 .
`)
	sexes, kinds := []string{"female", "male"}, []string{"Adélie", "Chinstrap", "Gentoo"}
	truths := map[string]string{"learn": trainTable, "infer": testTable}
	p.config.Networks["eye"] = &network{Features: "animals.csv", Hidden: []int{16}}
	p.declare("Looks/2", predicate{Truth: truths,
		Neural: &neural{Network: "eye", Entity: new(int), Class: one(), Classes: sexes}})
	p.declare("Mate/2", predicate{Observations: []string{"mates.tsv"}})
	p.declare("Sex/2", predicate{Targets: []string{"targets.tsv"}, Truth: truths,
		Evaluations: []any{"CategoricalEvaluator"}})
	animals := p.table("animals.csv")
	animals.WriteString("id,species,island,mass (g),bill (mm),flipper (mm)\n")
	learned := make(map[int]bool, known)
	for _, k := range random.Perm(2 * nests)[:known] {
		learned[k] = true
	}
	right, judged := 0, 0
	for nest := range nests {
		kind, island, first := random.IntN(len(kinds)), random.IntN(3), random.IntN(2)
		odds := 0.0 // that the first is male
		for k := range 2 {
			sex := first ^ k
			cells, own := sizes(random, kind, sex, gaps)
			odds += own * float64(1-2*k)
			name := entity(2*nest + k)
			fmt.Fprintf(animals, "%s,%s,%s%s\n", name, kinds[kind], []string{"Biscoe", "Dream", ""}[island], cells)
			p.row("mates.tsv", name, entity(2*nest+1-k))
			table := testTable
			if learned[2*nest+k] {
				table = trainTable
			}
			p.row(table, name, sexes[sex])
			for _, other := range sexes {
				p.row("targets.tsv", name, other)
			}
		}
		for k := range 2 {
			if !learned[2*nest+k] {
				judged++
				right += truth(odds > 0 == (first == 1))
			}
		}
	}
	plain := p.fork()
	plain.rules = ""
	plain.config.Predicates["Looks/2"].Evaluations = []any{"CategoricalEvaluator"}
	delete(plain.config.Predicates, "Sex/2")
	return &problem{project: p, score: accuracy("Sex"), plain: plain, plainScore: accuracy("Looks"), fixed: p,
		reference: 100 * float64(right) / float64(judged)}, nil
}

// sizes draws an animal's cells, some of them gaps, and says what they tell of its being male: logarithms of odds.
func sizes(random *rand.Rand, kind, sex int, gaps float64) (cells string, odds float64) {
	for _, column := range []struct{ usual, step, more, wide float64 }{
		{3600, 700, 500, 300}, {38, 5, 3, 2.5}, {190, 12, 6, 6},
	} {
		low := column.usual + column.step*float64(kind)
		value := low + column.more*float64(sex) + column.wide*random.NormFloat64()
		if random.Float64() < gaps {
			cells += ","
			continue
		}
		cells += "," + number(value)
		odds += column.more / (column.wide * column.wide) * (value - low - column.more/2)
	}
	return cells, odds
}

// catalogues are records of the same things in two files, in pairs that share a word: which of them are of one thing is
// told from how alike their fields are, with weights that are learned. One field says little. Pairs of a third of the
// first file are known, one in six of which is right.
func catalogues(seed uint64) (*problem, error) {
	const (
		things = 180
		others = 4
		known  = 3 // one in so many
	)
	random := newRandom("catalogues", seed)
	p := newProject(`
1: Pair(A, B) & Name(A, B) -> Same(A, B) ^2
1: Pair(A, B) & Street(A, B) -> Same(A, B) ^2
1: Pair(A, B) & Kind(A, B) -> Same(A, B) ^2
1: !Same(A, B) ^2
1: Same(A, +B) <= 1
1: Same(+A, B) <= 1
`)
	fields := []field{{"Name", 0.8, 0.45, 0.12}, {"Street", 0.7, 0.3, 0.15}, {"Kind", 0.55, 0.5, 0.25}}
	for _, f := range fields {
		p.declare(f.name+"/2", predicate{Observations: []string{f.table()}})
	}
	p.declare("Pair/2", predicate{Observations: []string{"pairs.tsv"}})
	p.declare("Same/2", predicate{Targets: []string{"pairs.tsv"},
		Truth:       map[string]string{"learn": trainTable, "infer": testTable},
		Evaluations: []any{"DiscreteEvaluator"}})
	plain := newProject("")
	plain.config.Networks["eye"] = &network{Features: "fields.tsv", Hidden: []int{8}}
	plain.declare("Match/1", predicate{Targets: []string{"ids.tsv"}, Neural: &neural{Network: "eye"},
		Truth:       map[string]string{"learn": trainTable, "infer": testTable},
		Evaluations: []any{"DiscreteEvaluator"}})
	var best counts
	for a := range things {
		candidates := map[int]bool{}
		if random.IntN(6) > 0 { // or it is in one file only
			candidates[a] = true
		}
		for len(candidates) <= others {
			if b := random.IntN(things); b != a {
				candidates[b] = true
			}
		}
		for b := range things {
			if !candidates[b] {
				continue
			}
			is, pair := a == b, []any{"left " + entity(a), "right " + entity(b)}
			id := fmt.Sprintf("%d and %d", a, b)
			odds, cells := -math.Log(others+1.), []any{id}
			for _, f := range fields {
				value := f.draw(random, is)
				odds += f.odds(value)
				value = min(max(value, 0), 1)
				p.row(f.table(), append(pair, value)...)
				cells = append(cells, value)
			}
			p.row("pairs.tsv", pair...)
			plain.row("fields.tsv", cells...)
			plain.row("ids.tsv", id)
			table := testTable
			if a%known == 0 {
				table = trainTable
			} else {
				best.add(odds > 0, is)
			}
			p.row(table, append(pair, truth(is))...)
			plain.row(table, id, truth(is))
		}
	}
	return &problem{project: p, score: score{"Same", "discrete", "F1"}, plain: plain,
		plainScore: score{"Match", "discrete", "F1"}, fixed: p, reference: 100 * best.f1()}, nil
}

// A field is alike by so much in records of one thing, and by so much in others.
type field struct {
	name             string
	same, other, off float64
}

func (f field) table() string { return f.name + ".tsv" }

func (f field) draw(random *rand.Rand, is bool) float64 {
	mean := f.other
	if is {
		mean = f.same
	}
	return mean + f.off*random.NormFloat64()
}

// odds is what a value says of the records being of one thing.
func (f field) odds(value float64) float64 {
	return (f.same - f.other) / (f.off * f.off) * (value - (f.same+f.other)/2)
}

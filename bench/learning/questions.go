package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// seen is a question about a few things that networks see, in which every example has something more to go by.
type seen struct {
	name, about string
	rules       string
	slots       []string
	kinds       int
	noise       float64
	train, test int // of the examples
	// gone is how often a slot is empty, of those from sure on.
	gone float64
	sure int
	// ask writes what example k has more, and returns its label, what is known of it beside the things, and the cells of
	// that.
	ask func(p *setting, random *rand.Rand, table string, k int, kinds []int) (label int, known []float64, cells string)
	// labels are what the label can be; column is its own in the tables.
	labels         []string
	column, target string
	facts          string
}

const countRules = `
1: 0 * Asked(K) + Kind(+S, K) = 1 * Count('1') + 2 * Count('2') + 3 * Count('3') + 4 * Count('4') ^2
Count(+N) = 1 .
`

const enemyRules = `
1: Kind(S, K) & Kind(T, L) & Enemy(K, L) & (S != T) -> Fight('yes')
0.5: Fight('no')
Fight(+X) = 1 .
`

func (z seen) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

// missing is the kind of an empty slot.
const missing = -1

func (z *seen) problem(seed uint64) (*problem, error) {
	const things = 400 // that examples to learn from show; those of the test show half as many others
	random := newRandom("seen "+z.name, seed)
	x, kind := blobs(random, things+things/2, z.kinds, 6, z.noise)
	p := newProject(z.rules)
	writeRows(p, "features.tsv", "t", x)
	p.config.Networks["eye"] = &network{Features: "features.tsv"}
	p.declare("Kind/2", predicate{Neural: &neural{Network: "eye", Class: one(), Classes: names("k", z.kinds),
		Slots: z.slots}})
	p.declare(z.facts, predicate{})
	p.declare(z.target+"/1", predicate{Targets: []string{"targets.tsv"}})
	for _, label := range z.labels {
		p.row("targets.tsv", label)
	}
	s := new(samples)
	for _, table := range []string{"train", "test"} {
		p.row(table+".csv", strings.Join(append(append([]string{"example"}, z.slots...), z.column), ","))
		first, count, examples := 0, things, z.train
		if table == "test" {
			first, count, examples = things, things/2, z.test
		}
		for k := range examples {
			cells := []string{table + strconv.Itoa(k)}
			kinds := make([]int, len(z.slots))
			var row []float64
			for at := range z.slots {
				thing := first + random.IntN(count)
				if at >= z.sure && random.Float64() < z.gone {
					kinds[at], cells = missing, append(cells, "")
					row = append(append(row, make([]float64, len(x[0]))...), 1)
					continue
				}
				kinds[at], cells = kind[thing], append(cells, "t"+strconv.Itoa(thing))
				row = append(append(row, x[thing]...), 0)
			}
			label, known, more := z.ask(p, random, table, k, kinds)
			p.row(table+".csv", strings.Join(append(cells, more), ","))
			if row = append(row, known...); table == "train" {
				s.Train, s.Known = append(s.Train, row), append(s.Known, label)
			} else {
				s.Test, s.Wanted = append(s.Test, row), append(s.Wanted, label)
			}
		}
	}
	p.config.Examples = map[string]any{"learn": z.examples("train"), "infer": z.examples("test")}
	return &problem{project: p, score: score{z.target, "Examples", "Accuracy"}, samples: s,
		plain: s.network(len(z.labels)), plainScore: accuracy("Neural"), reference: 100}, nil
}

// examples is what the configuration says of a table: its name, and that of the facts where these are a table.
func (z *seen) examples(table string) any {
	if strings.HasSuffix(z.facts, "/1") {
		return table + ".csv"
	}
	facts := map[string]string{strings.TrimSuffix(z.facts, "/2"): table + ".facts.csv"}
	return map[string]any{"table": table + ".csv", "facts": facts}
}

// askCount asks how many things are of a kind, which a column names.
func askCount(_ *setting, random *rand.Rand, _ string, _ int, kinds []int) (int, []float64, string) {
	const all = 3
	asked := random.IntN(all)
	count := 0
	for _, kind := range kinds {
		count += truth(kind == asked)
	}
	known := make([]float64, all)
	known[asked] = 1
	return count, known, "k" + strconv.Itoa(asked) + "," + strconv.Itoa(count)
}

// askFight asks whether two of the things are enemies, by a relation between kinds that each example has of its own.
func askFight(p *setting, random *rand.Rand, table string, k int, kinds []int) (int, []float64, string) {
	const all = 4
	known := make([]float64, all*all)
	facts := table + ".facts.csv"
	if k == 0 {
		p.row(facts, "example,from,to")
	}
	for at := range known {
		if random.Float64() < 0.22 {
			known[at] = 1
			p.row(facts, strings.Join([]string{table + strconv.Itoa(k), "k" + strconv.Itoa(at/all),
				"k" + strconv.Itoa(at%all)}, ","))
		}
	}
	fight := false
	for a, kind := range kinds {
		for b, other := range kinds {
			fight = fight || a != b && min(kind, other) != missing && known[kind*all+other] == 1
		}
	}
	return truth(fight), known, []string{"no", "yes"}[truth(fight)]
}

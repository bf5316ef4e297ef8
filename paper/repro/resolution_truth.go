package repro

import (
	"math/rand/v2"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/paper/published"
)

// parts is how many parts the learning fold falls into: one is held out, by which settings and epochs are chosen, or
// each in turn.
const parts = 3

// division says in which part each reference of a fold is. A pair belongs to the part of its reference with the smaller
// number, and whole entities are in one part: so all parts have true pairs of different entities, and false pairs in
// the proportion that the fold has.
type division struct{ authors, papers map[int]int }

// divide draws the parts of the authors and of the papers by the seed.
func (r *resolution) divide(seed uint64) division {
	random := rand.New(rand.NewPCG(seed, 0x6572))
	return division{divided(r.AuthorName, r.SameAuthor, random), divided(r.PaperTitle, r.SamePaper, random)}
}

// divided draws the parts of entities and returns those of their references.
func divided(items []published.Named, same [][2]int, random *rand.Rand) map[int]int {
	q := &question{items: items, truth: truePairs(same)}
	_, entity := q.clusters(0.5)
	out, drawn := map[int]int{}, map[int32]int{}
	for k, item := range items {
		part, known := drawn[entity[k]]
		if !known {
			part = random.IntN(parts)
			drawn[entity[k]] = part
		}
		out[item.ID] = part
	}
	return out
}

// add takes over what another question says of the pairs of a part.
func (q *question) add(other *question, partOf map[int]int, part int) {
	for p, value := range other.values {
		if partOf[p[0]] == part {
			q.values[p] = value
		}
	}
	for p := range other.truth {
		if partOf[p[0]] == part {
			q.truth[p] = true
		}
	}
}

// truthTable is what is known of a predicate's atoms in a phase of learning.
type truthTable struct {
	phase     load.Phase
	predicate string
	rows      [][]string
}

// truth returns what there is to learn from if a part is held out, and that part.
func (r *resolution) truth(d division, out int) (tables []truthTable) {
	names := map[int]string{}
	for _, author := range r.AuthorName {
		names[author.ID] = author.Text
	}
	for _, phase := range []load.Phase{load.Learn, load.Validation} {
		part := func(pairs [][2]int, partOf map[int]int) (chosen [][2]int) {
			for _, p := range pairs {
				if p[0] != p[1] && (partOf[min(p[0], p[1])] == out) == (phase == load.Validation) {
					chosen = append(chosen, p)
				}
			}
			return chosen
		}
		same, alike := truthOf(part(r.authors, d.authors), truePairs(r.SameAuthor), names)
		tables = append(tables, truthTable{phase, "SameAuthor", same}, truthTable{phase, "SimName", alike})
		same, alike = truthOf(part(r.papers, d.papers), truePairs(r.SamePaper), r.title)
		tables = append(tables, truthTable{phase, "SamePaper", same}, truthTable{phase, "SimTitle", alike})
	}
	return tables
}

// truthOf returns rows of pairs with their truth, and of the pairs' texts with the share that is true of theirs.
func truthOf(pairs [][2]int, true map[pair]bool, texts map[int]string) (same, alike [][]string) {
	known := newTextTruth()
	for _, p := range pairs {
		value := "0"
		if true[newPair(p[0], p[1])] {
			value = "1"
		}
		same = append(same, []string{strconv.Itoa(p[0]), strconv.Itoa(p[1]), value})
		known.add([2]string{texts[p[0]], texts[p[1]]}, value == "1")
	}
	return same, known.rows()
}

// textTruth is how often references with two texts are the same.
type textTruth struct {
	order  [][2]string
	counts map[[2]string]*[2]float64 // true ones, all
}

func newTextTruth() *textTruth { return &textTruth{counts: map[[2]string]*[2]float64{}} }

func (t *textTruth) add(texts [2]string, same bool) {
	count := t.counts[texts]
	if count == nil {
		count = new([2]float64)
		t.counts[texts] = count
		t.order = append(t.order, texts)
	}
	count[1]++
	if same {
		count[0]++
	}
}

// rows are the shares, as the truth of a predicate.
func (t *textTruth) rows() [][]string {
	rows := make([][]string, len(t.order))
	for k, texts := range t.order {
		count := t.counts[texts]
		rows[k] = []string{texts[0], texts[1], strconv.FormatFloat(count[0]/count[1], 'g', 6, 64)}
	}
	return rows
}

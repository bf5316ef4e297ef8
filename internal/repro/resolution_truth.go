package repro

import (
	"math/rand/v2"
	"strconv"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/dataset"
)

// heldOut is the share of the learning fold's entities by which settings and epochs are chosen.
const heldOut = 1.0 / 3

// division says which candidates of a fold are held out. A pair belongs to the part of its reference with the smaller
// number, and whole entities are held out: so both parts have true pairs of different entities, and false pairs in the
// proportion that the fold has.
type division struct{ authors, papers map[int]bool }

// divide holds a third of the authors and of the papers out, drawn by the seed.
func (r *resolution) divide(seed uint64) division {
	random := rand.New(rand.NewPCG(seed, 0x6572))
	return division{held(r.AuthorName, r.SameAuthor, random), held(r.PaperTitle, r.SamePaper, random)}
}

// held draws entities and returns which references belong to them.
func held(items []dataset.Named, same [][2]int, random *rand.Rand) map[int]bool {
	q := &question{items: items, truth: truePairs(same)}
	_, entity := q.clusters(0.5)
	out, chosen := map[int]bool{}, map[int32]bool{}
	for k, item := range items {
		if _, drawn := chosen[entity[k]]; !drawn {
			chosen[entity[k]] = random.Float64() < heldOut
		}
		out[item.ID] = chosen[entity[k]]
	}
	return out
}

// restrict returns the question about the pairs that are held out.
func (q *question) restrict(held map[int]bool) *question {
	out := &question{items: q.items, values: map[pair]float64{}, truth: map[pair]bool{}}
	for p, value := range q.values {
		if held[p[0]] {
			out.values[p] = value
		}
	}
	for p := range q.truth {
		if held[p[0]] {
			out.truth[p] = true
		}
	}
	return out
}

// truthTable is what is known of a predicate's atoms in a phase of learning.
type truthTable struct {
	phase     deeppsl.Phase
	predicate string
	rows      [][]string
}

// truth returns what there is to learn from, and what is held out.
func (r *resolution) truth(d division) (tables []truthTable) {
	names := map[int]string{}
	for _, author := range r.AuthorName {
		names[author.ID] = author.Text
	}
	for _, phase := range []deeppsl.Phase{deeppsl.Learn, deeppsl.Validation} {
		part := func(pairs [][2]int, held map[int]bool) (out [][2]int) {
			for _, p := range pairs {
				if p[0] != p[1] && held[min(p[0], p[1])] == (phase == deeppsl.Validation) {
					out = append(out, p)
				}
			}
			return out
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

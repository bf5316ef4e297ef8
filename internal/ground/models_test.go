package ground

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Models of known size. Each function makes the data and returns the fixture; the counts below are the arithmetic of
// the models, not measurements.

// transitivity is a social network of n people in which friends of friends are friends: n(n-1) targets, and
// n(n-1)(n-2) ground rules of transitivity.
func transitivity(t testing.TB, n int) *fixture {
	b := newBuilder()
	var targets, similar []data
	for i := range n {
		for j := range n {
			if i != j {
				pair := fmt.Sprintf("p%d p%d", i, j)
				targets = append(targets, target(pair))
				similar = append(similar, observed(pair, float64((i*31+j*17)%100+1)/128))
			}
		}
	}
	b.add("Friends", 2, true, targets...)
	b.add("Similar", 2, false, similar...)
	return b.rules(t, `
		10: Similar(A, B) -> Friends(A, B) ^2
		1: Friends(A, B) & Friends(B, C) & (A != B) & (B != C) & (A != C) -> Friends(A, C) ^2
		Friends(A, B) = Friends(B, A) .
		1: !Friends(A, B) ^2`)
}

// blocks is transitivity within groups: people, in groups of equal size.
func blocks(t testing.TB, groups, size int) *fixture {
	b := newBuilder()
	var targets, similar, block []data
	for i := range groups * size {
		block = append(block, observed(fmt.Sprintf("p%d g%d", i, i%groups), 1))
		for j := range groups * size {
			pair := fmt.Sprintf("p%d p%d", i, j)
			targets = append(targets, target(pair))
			similar = append(similar, observed(pair, float64((i*31+j*17)%100)/128)) // 1 in 100 is 0
		}
	}
	b.add("Friends", 2, true, targets...)
	b.add("Similar", 2, false, similar...)
	b.add("Block", 2, false, block...)
	return b.rules(t, `
		10: Block(P, A) & Block(Q, A) & Similar(P, Q) & P != Q -> Friends(P, Q) ^2
		10: Block(P, A) & Block(Q, A) & Block(R, A) & Friends(P, Q) & Friends(Q, R) & P != Q & Q != R & P != R
			-> Friends(P, R) ^2
		10: Block(P, A) & Block(Q, A) & Friends(P, Q) & P != Q -> Friends(Q, P) ^2
		1: !Friends(P, Q) ^2`)
}

func TestTransitivityCounts(t *testing.T) {
	const n = 20
	checkCounts(t, transitivity(t, n), []int64{n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1), n * (n - 1)})
}

func TestBlockCounts(t *testing.T) {
	const groups, size = 3, 7
	f := blocks(t, groups, size)
	similar := int64(0)
	for row := range int32(f.store.Relations[1].Len()) {
		i, j := int(row)/(groups*size), int(row)%(groups*size)
		if i != j && i%groups == j%groups && f.store.Relations[1].Value(row) > 0 {
			similar++
		}
	}
	checkCounts(t, f, []int64{similar, groups * size * (size - 1) * (size - 2), groups * size * (size - 1), 441})
}

func checkCounts(t *testing.T, f *fixture, want []int64) {
	t.Helper()
	model, report := f.made(t, Options{})
	kept := int64(0)
	for k, rule := range report.Rules {
		if rule.Potentials != want[k] {
			t.Errorf("rule %d has %d potentials, want %d", k+1, rule.Potentials, want[k])
		}
		kept += want[k]
	}
	if int64(model.Potentials()) != kept {
		t.Errorf("the model has %d potentials, want %d", model.Potentials(), kept)
	}
}

// citations is the shape of the paper's task T2: documents that cite each other in both directions, classes as targets,
// two networks. Every tenth document has a known class.
func citations(t testing.TB, documents, links, classes int) *fixture {
	b := newBuilder()
	random := rand.New(rand.NewPCG(1, 2))
	cites := make(map[[2]int]bool)
	degree := make([]int, documents)
	var cite, similar, label, neural, share []data
	for len(cites) < links {
		i, j := skewed(random, documents), skewed(random, documents)
		if i == j || cites[[2]int{i, j}] {
			continue
		}
		for _, pair := range [][2]int{{i, j}, {j, i}} {
			cites[pair] = true
			degree[pair[1]]++
			text := fmt.Sprintf("d%d d%d", pair[0], pair[1])
			cite = append(cite, observed(text, 1))
			similar = append(similar, perceived(text))
		}
	}
	for i := range documents {
		if degree[i] > 0 {
			share = append(share, observed(fmt.Sprintf("d%d", i), 1/float64(degree[i])))
		}
		for y := range classes {
			text := fmt.Sprintf("d%d c%d", i, y)
			neural = append(neural, perceived(text))
			if i%10 == 0 {
				label = append(label, observed(text, float64((classes-y)/classes)))
			} else {
				label = append(label, target(text))
			}
		}
	}
	b.add("Cite", 2, false, cite...)
	b.add("Share", 1, false, share...)
	b.add("Similar", 2, false, similar...)
	b.add("Neural", 2, false, neural...)
	b.add("Label", 2, true, label...)
	b.derive(t, "CiteP", 2, "CiteP(A, B) <- Cite(A, C) & Cite(C, B) & (A != B)")
	b.derive(t, "CiteQ", 2, "CiteQ(A, B) <- CiteP(A, C) & Cite(C, B) & (A != B)")
	return b.rules(t, `
		1: Neural(A, Y) -> Label(A, Y) ^2
		1 * Share(A): Label(B, Y) & Similar(B, A) & Cite(B, A) -> Label(A, Y) ^2
		1 * Share(A): Label(B, Y) & !Similar(B, A) & Cite(B, A) -> !Label(A, Y) ^2
		1: Neural(+B, Y) / |B| <= Label(A, Y) ^2 {B: Cite(A, B)}
		1: Neural(+B, Y) / |B| <= Label(A, Y) ^2 {B: CiteP(A, B)}
		1: Neural(+B, Y) / |B| <= Label(A, Y) ^2 {B: CiteQ(A, B)}
		fixed 20: Label(A, +Y) = 1 ^2`)
}

// skewed draws small numbers more often, so that some documents have many citations.
func skewed(random *rand.Rand, n int) int {
	x := random.Float64()
	return int(math.Pow(x, 1.75) * float64(n))
}

// derive adds a closed predicate that a definition fills.
func (b *builder) derive(t testing.TB, name string, arity int, text string) {
	t.Helper()
	b.predicates = append(b.predicates, &program.Predicate{Name: name, Types: make([]program.Type, arity), Closed: true})
	b.store.Relations = append(b.store.Relations, nil)
	columns, _, err := Derive(context.Background(), b.store, b.definition(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.predicates = b.predicates[:len(b.predicates)-1]
	b.store.Relations = b.store.Relations[:len(b.store.Relations)-1]
	b.addColumns(name, columns)
}

func (b *builder) definition(t testing.TB, text string) *program.Rule {
	t.Helper()
	var diags source.Diagnostics
	parsed := syntax.ParseDerivation(&source.File{Name: "derived.psl", Text: text}, &diags)
	if parsed == nil {
		t.Fatal(diags.Err())
	}
	rule := program.CompileDerivation(b.predicates, parsed, false, &diags)
	if rule == nil {
		t.Fatal(diags.Err())
	}
	return rule
}

func (b *builder) addColumns(name string, columns [][]symbol.ID) {
	var rows []data
	for row := range columns[0] {
		text := ""
		for _, column := range columns {
			text += b.store.Symbols.Name(column[row]) + " "
		}
		rows = append(rows, observed(text, 1))
	}
	b.add(name, len(columns), false, rows...)
}

func TestCitationCounts(t *testing.T) {
	const documents, classes = 60, 3
	f := citations(t, documents, 150, classes)
	cite := f.store.Relations[0]
	var free, labelled, hits int64 // links whose cited document is free; whose citing one is known, to be of class 0; both
	for row := range cite.Len() {
		from, to := f.store.Symbols.Name(cite.Columns[0][row]), f.store.Symbols.Name(cite.Columns[1][row])
		if !known(to) {
			free++
		}
		if known(from) {
			labelled++
		}
		if known(from) && !known(to) {
			hits++
		}
	}
	unknown := int64(documents - documents/10)
	kept := func(rule int) int64 { return int64(f.withNeighbours(rule)) * classes }
	_, report := f.made(t, Options{})
	got := make([]int64, len(report.Rules))
	for k := range report.Rules {
		got[k] = report.Rules[k].Potentials
	}
	bothFree := free - hits
	knownTarget := int64(cite.Len()) - free - (labelled - hits) // from a free document to a known one
	want := []int64{
		unknown * classes,
		bothFree*classes + hits + knownTarget*(classes-1), // a known label must be 1 in the body, and 0 in the head
		bothFree*classes + hits + knownTarget,             // and 1 in the negated head
		kept(0), kept(5), kept(6),
		unknown,
	}
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("rule %d has %d potentials, want %d", k+1, got[k], want[k])
		}
	}
}

// known tells whether a document's class is an observation.
func known(document string) bool {
	var i int
	if _, err := fmt.Sscanf(document, "d%d", &i); err != nil {
		panic(err)
	}
	return i%10 == 0
}

// withNeighbours counts the documents of unknown class that have rows in a relation.
func (f *fixture) withNeighbours(relation int) (count int) {
	from := f.store.Relations[relation].Distinct(0)
	for _, id := range from.Columns[0] {
		if !known(f.store.Symbols.Name(id)) {
			count++
		}
	}
	return count
}

func benchmark(b *testing.B, f *fixture) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			potentials := 0
			for b.Loop() {
				model, _ := f.made(b, Options{Threads: threads})
				potentials += model.Potentials()
			}
			b.ReportMetric(float64(potentials)/b.Elapsed().Seconds()/1e6, "Mrules/s")
			b.ReportMetric(float64(potentials)/float64(b.N), "rules")
		})
	}
}

func BenchmarkTransitivity(b *testing.B) { benchmark(b, transitivity(b, 100)) }
func BenchmarkBlocks(b *testing.B)       { benchmark(b, blocks(b, 10, 43)) }
func BenchmarkCitations(b *testing.B)    { benchmark(b, citations(b, 2708, 10556, 7)) }

func BenchmarkTwoAtoms(b *testing.B) {
	f := transitivity(b, 400)
	f.program.Rules = f.program.Rules[:1]
	benchmark(b, f)
}

func BenchmarkDerive(b *testing.B) {
	f := citations(b, 2708, 10556, 7)
	builder := &builder{predicates: f.program.Predicates, store: f.store}
	for _, text := range []string{
		"CiteP(A, B) <- Cite(A, C) & Cite(C, B) & (A != B)",
		"CiteQ(A, B) <- CiteP(A, C) & Cite(C, B) & (A != B)",
	} {
		rule := builder.definition(b, text)
		b.Run(text[:5], func(b *testing.B) {
			tuples := 0
			for b.Loop() {
				_, counts, err := Derive(context.Background(), f.store, rule, Options{Threads: 2})
				if err != nil {
					b.Fatal(err)
				}
				tuples = len(counts)
			}
			b.ReportMetric(float64(tuples), "tuples")
		})
	}
}

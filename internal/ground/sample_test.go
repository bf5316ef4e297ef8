package ground

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// resolution has the shape of entity resolution: authors in blocks of very different sizes, of which some are in two;
// names, of which only pairs within a block have a similarity; papers.
func resolution(t testing.TB, authors int) *fixture {
	b := newBuilder()
	random := rand.New(rand.NewPCG(3, 4))
	members := make(map[int][]int)
	var block, name, author []data
	for i := range authors {
		for range 1 + i%4/3 {
			at := int(math.Pow(random.Float64(), 2) * float64(authors) / 8)
			members[at] = append(members[at], i)
		}
		name = append(name, observed(fmt.Sprintf("a%d n%d", i, i%(authors/2)), 1))
		for range 1 + random.IntN(3) {
			author = append(author, observed(fmt.Sprintf("a%d p%d", i, random.IntN(authors/2)), 1))
		}
	}
	similar, same := make(map[string]data), make(map[string]data)
	for at := range authors / 8 {
		for _, i := range members[at] {
			block = append(block, observed(fmt.Sprintf("a%d b%d", i, at), 1))
			for _, j := range members[at] {
				names := fmt.Sprintf("n%d n%d", i%(authors/2), j%(authors/2))
				similar[names] = observed(names, float64(random.IntN(4))/4)
				pair := fmt.Sprintf("a%d a%d", i, j)
				same[pair] = target(pair)
			}
		}
	}
	b.add("AuthorBlock", 2, false, unique(block)...)
	b.add("AuthorName", 2, false, name...)
	b.add("AuthorOf", 2, false, unique(author)...)
	b.add("SimName", 2, false, sorted(similar)...)
	b.add("SameAuthor", 2, true, sorted(same)...)
	return b.rules(t, `
		1: AuthorName(A, N) & AuthorName(B, M) & SimName(N, M) & SameAuthor(A, B) -> SameAuthor(B, A) ^2
		1: AuthorBlock(A, K) & AuthorBlock(B, K) & AuthorName(A, N) & AuthorName(B, M) & SimName(N, M) & A != B
			-> SameAuthor(A, B) ^2
		1: AuthorBlock(A, K) & AuthorBlock(B, K) & AuthorBlock(C, K) & SameAuthor(A, B) & SameAuthor(B, C)
			& A != B & B != C & A != C -> SameAuthor(A, C) ^2
		1: AuthorOf(A, P) & AuthorOf(B, P) & SameAuthor(A, B) & A % B -> SameAuthor(B, A)
		1: !SameAuthor(A, B) ^2`)
}

// TestEstimates compares the estimates with what grounding makes: within a factor of 2 for every rule of every model,
// ground rules and bytes.
func TestEstimates(t *testing.T) {
	for name, f := range map[string]*fixture{
		"transitivity": transitivity(t, 60), "blocks": blocks(t, 10, 30), "citations": citations(t, 2708, 5278, 7),
		"resolution": resolution(t, 800),
	} {
		t.Run(name, func(t *testing.T) { checkEstimates(t, f, 1<<16) })
	}
}

// TestEstimatesOfRareBlocks estimates triples within blocks of which a single one holds nearly all of them.
func TestEstimatesOfRareBlocks(t *testing.T) {
	b := newBuilder()
	var block, good []data
	for at := range 40_000 {
		size := 1
		if at == 7000 {
			size = 100
		}
		for i := range size {
			block = append(block, observed(fmt.Sprintf("p%d_%d b%d", at, i, at), 1))
			good = append(good, target(fmt.Sprintf("p%d_%d", at, i)))
		}
	}
	b.add("Block", 2, false, block...)
	b.add("Good", 1, true, good...)
	checkEstimates(t, b.rules(t, `
		1: Block(A, K) & Block(B, K) & Good(A) -> Good(B)
		1: Block(A, K) & Block(B, K) & Block(C, K) & Good(A) & Good(B) -> Good(C)`), 1<<10)
}

func checkEstimates(t *testing.T, f *fixture, rows int) {
	estimates := sample(t, f, rows, 0)
	_, report := f.made(t, Options{})
	for k := range estimates {
		e, r := &estimates[k], &report.Rules[k]
		prior := len(f.program.Rules[k].Atoms) == 1 // of which a sample does not see that it takes no memory
		if !near(e.Potentials, r.Potentials) || !near(e.Bytes, r.Bytes) && !prior {
			t.Errorf("rule %d: estimated %.0f ground rules of %.0f bytes, made %d of %d", k+1,
				e.Potentials, e.Bytes, r.Potentials, r.Bytes)
		}
		if e.Exact && int64(e.Potentials) != r.Potentials {
			t.Errorf("rule %d: %.0f ground rules are said to be exact, %d are made", k+1, e.Potentials, r.Potentials)
		}
	}
}

// sampled is Prepare and Sample.
func sampled(ctx context.Context, f *fixture, threads, rows int) ([]Estimate, error) {
	p, err := Prepare(ctx, f.program, f.store, threads)
	if err != nil {
		return nil, err
	}
	return p.Sample(ctx, threads, rows)
}

func sample(t testing.TB, f *fixture, rows, threads int) []Estimate {
	estimates, err := sampled(context.Background(), f, threads, rows)
	if err != nil {
		t.Fatal(err)
	}
	return estimates
}

// TestSampleOfEverythingIsExact samples random models without a limit, which must count what grounding counts.
func TestSampleOfEverythingIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFixture(rt)
		_, report, err := f.ground(Options{})
		var found source.Diagnostics
		for k, e := range sample(t, f, math.MaxInt32, 0) {
			r := &report.Rules[k]
			got := [...]int64{int64(e.Potentials), int64(e.Constant), int64(e.Missing), int64(e.Violated)}
			if want := [...]int64{r.Potentials, r.Constant, r.Missing, r.Violated}; got != want || !e.Exact {
				rt.Fatalf("%s\nrule %d: sampled %v, ground %v, exact: %t", describe(f), k+1, got, want, e.Exact)
			}
			e.Diagnose(Options{}, &found)
		}
		if got := found.Err(); fmt.Sprint(got) != fmt.Sprint(err) {
			rt.Fatalf("%s\nthe sample finds %v\ngrounding finds %v", describe(f), got, err)
		}
	})
}

func TestSampleIsTheSameForAnyThreads(t *testing.T) {
	f := resolution(t, 200)
	want := sample(t, f, 2000, 1)
	for k, got := range sample(t, f, 2000, 3) {
		if got.Potentials != want[k].Potentials || got.Bytes != want[k].Bytes {
			t.Errorf("rule %d: %v and %v ground rules", k+1, got.Potentials, want[k].Potentials)
		}
	}
}

// TestSampleIsBounded estimates a rule with more groundings than anything could visit: every triple of 3000 people.
func TestSampleIsBounded(t *testing.T) {
	b := newBuilder()
	var people []data
	for i := range 3000 {
		people = append(people, observed(fmt.Sprint("p", i), 1))
	}
	b.add("Person", 1, false, people...)
	b.add("Trio", 3, true)
	f := b.rules(t, "1: Person(A) & Person(B) & Person(C) & A != B -> Trio(A, B, C)")
	e := sample(t, f, 10_000, 1)[0]
	if want := 3000. * 2999 * 3000; e.Exact || math.Abs(e.Missing/want-1) > 0.01 {
		t.Errorf("estimated %g missing targets of %g, exact: %t", e.Missing, want, e.Exact)
	}
}

// BenchmarkSample estimates a model of 10 million ground rules from relations without any index.
func BenchmarkSample(b *testing.B) {
	f := blocks(b, 10, 98)
	for b.Loop() {
		b.StopTimer()
		fresh := &fixture{program: f.program, store: &relation.Store{Symbols: f.store.Symbols}}
		for _, r := range f.store.Relations {
			fresh.store.Relations = append(fresh.store.Relations, &relation.Relation{Name: r.Name, Arity: r.Arity,
				Columns: r.Columns, Truth: r.Truth, Observed: r.Observed, Free: r.Free, Open: r.Open})
		}
		b.StartTimer()
		total := 0.0
		for _, e := range sample(b, fresh, 1<<16, 2) {
			total += e.Potentials
		}
		b.ReportMetric(total, "rules")
	}
}

// near tells whether an estimate is within a factor of 2, or off by what is nothing.
func near(estimate float64, made int64) bool {
	const nothing = 100
	return estimate <= 2*float64(made)+nothing && float64(made) <= 2*estimate+nothing
}

// sorted returns the values of a map in the order of their keys.
func sorted(rows map[string]data) (out []data) {
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, rows[key])
	}
	return out
}

// unique drops repeated rows.
func unique(rows []data) []data {
	seen := make(map[string]data)
	for _, row := range rows {
		seen[row.args] = row
	}
	return sorted(seen)
}

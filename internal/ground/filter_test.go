package ground

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Filters let the values through that the definition says, whether these are many or few: they are looked up side by
// side or one by one, and read from atoms or tried. A value that an alternative lets through twice, or that two of them
// let through, counts once.
func TestFiltersOfManyValues(t *testing.T) {
	const nodes = 30
	random := rand.New(rand.NewPCG(5, 6))
	name := func(k int) string { return fmt.Sprint("n", k) }
	b := newBuilder()
	for _, p := range []string{"P", "Q"} {
		var links []data
		for i := range nodes {
			for j := range nodes {
				if few := i%3 == 0; random.IntN(2) == 0 && (!few || random.IntN(10) == 0) {
					links = append(links, observed(name(i)+" "+name(j), []float64{1, 1, 0.5, 0}[random.IntN(4)]))
				}
			}
		}
		random.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		b.add(p, 2, false, links...)
	}
	var goods, marked, pairs []data
	for k := range nodes {
		goods = append(goods, target(name(k)))
		if k%4 == 0 {
			marked = append(marked, observed(name(k), 1))
		}
		pairs = append(pairs, observed(name(k)+" "+name(random.IntN(nodes)), 1))
	}
	b.add("Good", 1, true, goods...)
	b.add("Marked", 1, false, marked...)
	b.add("Pair", 2, false, pairs[:nodes/2]...)
	b.add("Loop", 2, false, observed("n1 n1", 1), observed("n2 n1", 1), observed("n3 n2", 1), observed("n4 n4", 0))
	for _, filter := range []string{
		"P(A, B)", "P(A, B) & !Marked(B)", "P(A, B) & Q(C, B)", "P(A, B) & !Q(B, C) & (B != C)", "P(A, B) | Q(C, B)",
		"P(A, B) & Q(B, C) | Q(C, B) & !P(A, B) | P(C, B)", "P(B, B)", "P(B, B) & Q(A, B) | Marked(B)", "!P(A, B)",
		"P('n1', B) & Q(B, A)", "P('n0', B) & Marked(B) | P(B, 'n2')", "Loop(B, B)", "Loop(B, B) | Loop(B, A)",
	} {
		text := fmt.Sprintf("1: Pair(A, C) + Good(+B) / |B| <= 1 {B: %s}\n"+
			"1: Pair(A, C) + 0.25 * P(A, +B) <= Good(C) {B: %[1]s}", filter)
		f := b.rules(t, text)
		g := &reference{fixture: f}
		for _, rule := range f.program.Rules {
			g.ground(rule)
		}
		slices.Sort(g.potentials)
		want, _ := f.made(t, Options{Threads: 1})
		if diff := cmp.Diff(g.potentials, potentials(want)); diff != "" {
			t.Fatalf("%s\n%s", filter, diff)
		}
		for _, options := range []Options{{Threads: 3}, {Threads: 1, arrangeAll: true}} {
			if got, _ := f.made(t, options); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v makes a difference", filter, options)
			}
		}
	}
}

package ground

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Where few rows of the first loop lead to all the work, it is divided by the rows of the next one, and what is
// ground and counted stays the same to the bit: of one row, of some of which one has nearly all, and with atoms
// between the loops that are observed, pruned or missing.
func TestWorkIsDividedWithinRows(t *testing.T) {
	b, random := newBuilder(), rand.New(rand.NewPCG(9, 10))
	var links, hubs, good []data
	const nodes = 3000
	for k := range nodes {
		links = append(links, observed(fmt.Sprintf("h0 n%d", k), 0.25*float64(random.IntN(5))))
		if k < 40 {
			links = append(links, observed(fmt.Sprintf("h%d n%d", 1+k%7, k), 1))
		}
		for range 4 {
			links = append(links, observed(fmt.Sprintf("n%d n%d", k, (k+1+random.IntN(900)*3+len(links)%3)%nodes), 1))
		}
		good = append(good, target(fmt.Sprintf("n%d", k)))
	}
	seen := make(map[string]bool)
	unique := links[:0]
	for _, l := range links {
		if !seen[l.args] {
			seen[l.args], unique = true, append(unique, l)
		}
	}
	for k := range 8 {
		hubs = append(hubs, observed(fmt.Sprintf("h%d", k), 0.5+0.5*float64(k%2)))
		good = append(good, target(fmt.Sprintf("h%d", k)))
	}
	b.add("Link", 2, false, unique...)
	b.add("Hub", 1, false, hubs...)
	b.add("Seldom", 1, false, hubs[1:3]...)
	b.add("Good", 1, true, good...)
	f := b.rules(t, `
1: Link('h0', B) & Link(B, C) & Good(B) -> Good(C)
1: Hub(A) & Link(A, B) & Link(B, C) & Good(A) -> Good(C)
1: Hub(A) & Link(A, B) & Link(B, C) & !Seldom(A) -> Good(C)
Hub(A) & Link(A, B) -> Good(B) .
2: Hub(A) & Good(B) -> Good(A)
`)
	divided := 0
	for k, rule := range f.program.Rules {
		var blocks [2][]*mrf.Block
		var totals [2]Counts
		for i := range 2 {
			s := newScope(f.store)
			s.declare(rule)
			r := compile(1, planned(t, rule, f.store), s)
			if i == 1 {
				if r.divide(); r.cuts != nil {
					divided++
				}
			}
			g := newGrounder(context.Background(), newScope(f.store), Options{Threads: 1 + 2*i})
			c := newCollection(g, r)
			g.each(r, c.take, c.end)
			for piece := range c.counts {
				totals[i].add(&c.counts[piece])
			}
			blocks[i] = c.assembly.blocks()
			g.release()
		}
		if !reflect.DeepEqual(blocks[0], blocks[1]) || totals[0] != totals[1] {
			t.Errorf("rule %d: %+v whole, %+v divided", k, totals[0], totals[1])
		}
	}
	if divided < 3 {
		t.Errorf("%d rules are divided", divided)
	}
}

package plan

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// Atoms over a cycle are met, with the next step looked ahead to where that stays the same for long, and those of a
// path are not; one node with very many links is reason enough, though the links are few for each on average.
func TestCyclesAreMet(t *testing.T) {
	graph := func(nodes, degree, hub int) *world {
		w := newWorld()
		var links, all [][]string
		node := func(k int) string { return fmt.Sprint("n", k%nodes) }
		for k := range nodes {
			for d := range degree {
				links = append(links, []string{node(k), node(k + (d+1)*(d+1))})
			}
			if k > 10 && k < hub {
				links = append(links, []string{node(0), node(k)}, []string{node(k), node(0)})
			}
			all = append(all, []string{node(k)})
		}
		w.add("Link", 2, relation.Observed, links...)
		w.add("Good", 1, relation.Target, all...)
		return w
	}
	for _, c := range []struct {
		name, rule, want string
		world            *world
	}{
		{"a triangle", "1: Link(A, B) & Link(B, C) & Link(A, C) -> Good(C)", `
scan     Link(A, B)                                ~8000 rows
meet     Link([B], C)    one by one, ~64000 rows   ~64000 rows
with     Link([A], [C])                            ~8000 rows
look up  Good([C])       must be a target          ~8000 rows
~8000 groundings, ~64000 bytes, ~0.0018 s`, graph(1000, 8, 0)},
		{"a cycle of four", "1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, A) -> Good(C)", `
scan     Link(B, C)      by C                         ~8000 rows
look up  Good([C])       must be a target             ~8000 rows
probe    Link(A, [B])    if linked to Link([C], D)    ~64000 rows
meet     Link([C], D)    one by one, ~510000 rows     ~510000 rows
with     Link([D], [A])                               ~8000 rows
~8000 groundings, ~64000 bytes, ~0.01 s`, graph(1000, 8, 0)},
		{"a path", "1: Link(A, B) & Link(B, C) & Link(C, D) -> Good(D)", `
scan     Link(C, D)                         ~8000 rows
look up  Good([D])     must be a target     ~8000 rows
probe    Link(B, [C])                       ~64000 rows
probe    Link(A, [B])                       ~510000 rows
~510000 groundings, ~4100000 bytes, ~0.047 s`, graph(1000, 8, 0)},
		{"few links", "1: Link(A, B) & Link(B, C) & Link(A, C) -> Good(C)", `
scan     Link(A, B)                         ~1000 rows
probe    Link([B], C)                       ~1000 rows
match    Link([A], [C])                     ~1000 rows
look up  Good([C])       must be a target   ~1000 rows
~1000 groundings, ~8000 bytes, under 1 ms`, graph(1000, 1, 0)},
		{"a hub that everything passes", "1: Good(C) & Link(B, C) & Link(A, B) & Good(A) -> Good(A)", `
scan     Good(A)                            ~1000 rows
look up  Good([A])     must be a target     ~1000 rows
probe    Link([A], B)                       ~2900 rows
probe    Link([B], C)                       ~8400 rows
match    Good([C])                          ~8400 rows
~8400 groundings, ~130000 bytes, ~0.0017 s`, graph(1000, 1, 960)},
		{"a hub", "1: Link(A, B) & Link(B, C) & Link(A, C) -> Good(C)", `
scan     Link(A, B)                                  ~2900 rows
meet     Link([B], C)    one by one, ~910000 rows    ~8400 rows
with     Link([A], [C])                              ~2900 rows
look up  Good([C])       must be a target            ~2900 rows
~2900 groundings, ~23000 bytes, under 1 ms`, graph(1000, 1, 960)},
	} {
		rule, err := compile(c.world.predicates, c.rule)
		if err != nil {
			t.Fatal(err)
		}
		_, steps, _ := strings.Cut(planned(t, rule, c.world.store).String(), "\n")
		if diff := cmp.Diff(normal(c.want), normal(steps)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// TestMeetingCosts does not begin a path at its middle: of several steps that are met, each costs the rows that the one
// before it leaves, so that meeting them saves no more than they take.
func TestMeetingCosts(t *testing.T) {
	w := newWorld()
	var links, few, other, all [][]string
	node := func(k int) string { return fmt.Sprint("n", k%2000) }
	for k := range 2000 {
		for d := range 8 {
			links = append(links, []string{node(k), node(k + (d+1)*(d+1))})
		}
		if k%100 == 0 {
			few, other = append(few, []string{node(k)}), append(other, []string{node(k + 50)})
		}
		all = append(all, []string{node(k)})
	}
	w.add("Link", 2, relation.Observed, links...)
	w.add("Start", 1, relation.Observed, few...)
	w.add("Stop", 1, relation.Observed, other...)
	w.add("Good", 1, relation.Target, all...)
	rule, err := compile(w.predicates,
		"1: Start(A) & Link(A, B) & Link(B, C) & Link(C, D) & Stop(D) & Good(A) -> Good(D)\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(context.Background(), rule, w.store)
	if err != nil {
		t.Fatal(err)
	}
	if rows := p.Steps[0].Rows; p.Cost <= 0 || rows > 2000 {
		t.Errorf("a cost of %g, with %g rows first:\n%s", p.Cost, rows, p)
	}
}

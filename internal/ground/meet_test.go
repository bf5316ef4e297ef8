package ground

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// drawCycle draws a rule over a cycle of three to five atoms, with chords and atoms of one constant at times.
func drawCycle(t *rapid.T) string {
	variables := []string{"A", "B", "C", "D", "E"}[:rapid.IntRange(3, 5).Draw(t, "length")]
	var body []string
	pair := func(k, l int) string {
		if rapid.Bool().Draw(t, "turned") {
			k, l = l, k
		}
		name := rapid.SampledFrom([]string{"Two", "Two", "Pair", "Net"}).Draw(t, "predicate")
		return fmt.Sprintf("%s(%s, %s)", name, variables[k], variables[l])
	}
	for k := range variables {
		body = append(body, pair(k, (k+1)%len(variables)))
	}
	if rapid.Bool().Draw(t, "chord") {
		body = append(body, pair(0, 2))
	}
	for _, extra := range []string{"One(C)", "Three(A, B, C)", "Two('a', C)", "(A != C)", "(B % C)", "Goal(B)"} {
		if rapid.IntRange(0, 5).Draw(t, "extra") == 0 {
			body = append(body, extra)
		}
	}
	return finishRule(t, strings.Join(body, " & ")+" -> "+drawAtom(t, "Goal", "Pair"))
}

// Rules over cycles mean the same whether their atoms are met in lists or looked up one by one.
func TestMeetingMatchesTheDefinition(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		b := drawData(t)
		var diags source.Diagnostics
		var parsed []*syntax.Rule
		for range 2 {
			parsed = append(parsed, syntax.Parse(&source.File{Name: "drawn.psl", Text: drawCycle(t)}, &diags)...)
		}
		f := &fixture{program: program.Compile(b.predicates, parsed, &diags), store: b.store}
		b.store.Number()
		g := &reference{fixture: f}
		for _, rule := range f.program.Rules {
			g.ground(rule)
		}
		slices.Sort(g.potentials)
		want, report, _ := f.ground(Options{Threads: 1, DiscardMissing: true, meetAll: true})
		if diff := cmp.Diff(g.potentials, potentials(want)); diff != "" {
			t.Fatalf("%s\n%s", describe(f), diff)
		}
		total := report.Total
		if total.Missing != g.missing || total.Violated != g.violated || total.Constant != g.constant {
			t.Fatalf("%s\ncounts %+v", describe(f), total)
		}
		got, _, _ := f.ground(Options{Threads: 3, DiscardMissing: true, meetAll: true})
		if !reflect.DeepEqual(got, want) {
			t.Fatal("3 threads make a difference")
		}
		got, tabled, _ := f.ground(Options{Threads: 3, DiscardMissing: true, meetAll: true, tableAll: true})
		if !reflect.DeepEqual(got, want) || tabled.Total != total {
			t.Fatalf("%s\ntables make a difference: %+v", describe(f), tabled.Total)
		}
		for _, r := range report.Rules {
			for k := range r.Plan.Steps {
				met += r.Plan.Steps[k].Meets
			}
		}
	})
	if met == 0 {
		t.Error("nothing was met")
	}
}

// network makes a graph at random, in which one node has links to and from very many.
func network(t testing.TB, nodes, degree, hub int, rules string) *fixture {
	b, random := newBuilder(), rand.New(rand.NewPCG(1, 2))
	var links, all []data
	seen := make(map[string]bool)
	link := func(i, j int) {
		if args := fmt.Sprintf("n%d n%d", i, j); i != j && !seen[args] {
			seen[args] = true
			links = append(links, observed(args, 1))
		}
	}
	for range nodes * degree {
		link(random.IntN(nodes), random.IntN(nodes))
	}
	for k := range hub {
		link(0, k)
		link(k, 0)
	}
	for k := range nodes {
		all = append(all, target(fmt.Sprintf("n%d", k)))
	}
	random.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	b.add("Link", 2, false, links...)
	b.add("Good", 1, true, all...)
	return b.rules(t, rules)
}

// In a graph, the plan chooses to meet lists by itself, with the same ground rules; lists are then marked, and gone
// through in more than one stretch.
func TestMeetingInGraphs(t *testing.T) {
	for _, c := range []struct {
		rule               string
		nodes, degree, hub int
	}{
		{"1: Link(A, B) & Link(B, C) & Link(A, C) & Good(A) -> Good(C)", 300, 5, 0},
		{"1: Link(A, B) & Link(B, C) & Link(A, C) & Good(A) -> Good(C)", 3000, 2, 2500},
		{"1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, A) & (A != C) & Good(A) -> Good(C)", 300, 5, 0},
		{"1: Link(A, B) & Link(B, C) & Link(A, C) & Link(D, C) & Link(D, A) -> Good(D)", 300, 8, 20},
	} {
		f := network(t, c.nodes, c.degree, c.hub, c.rule)
		model, report := f.made(t, Options{Threads: 2})
		chosen := report.Rules[0].Plan
		if !slices.ContainsFunc(chosen.Steps, func(s plan.Step) bool { return s.Meets > 0 }) {
			t.Errorf("nothing is met:\n%s", chosen)
		}
		for k := range chosen.Steps {
			chosen.Steps[k].Meets = 0
		}
		g := newGrounder(context.Background(), newScope(f.store), Options{Threads: 1})
		defer g.release()
		r := compile(1, chosen, g.scope)
		col := newCollection(g, r)
		g.each(r, col.take, col.end)
		model2 := *model
		model2.Blocks = col.assembly.blocks()
		if diff := cmp.Diff(potentials(&model2), potentials(model)); diff != "" {
			t.Errorf("%s: %s", c.rule, diff)
		}
		if model.Potentials() == 0 {
			t.Errorf("%s: no ground rules", c.rule)
		}
	}
}

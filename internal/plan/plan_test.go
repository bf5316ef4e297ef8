package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/program"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// world is data with the declarations of its predicates.
type world struct {
	predicates []*program.Predicate
	store      *relation.Store
}

// newWorld has nothing in it.
func newWorld() *world { return &world{store: &relation.Store{Symbols: symbol.NewTable()}} }

// add declares a predicate and gives it rows.
func (w *world) add(name string, arity int, role relation.Role, rows ...[]string) {
	b := relation.NewBuilder(name, arity)
	for _, row := range rows {
		var tuple []symbol.ID
		for _, arg := range row {
			tuple = append(tuple, w.store.Symbols.Intern(arg))
		}
		if err := b.Add(tuple, 1, role, 0); err != nil {
			panic(err)
		}
	}
	open := role == relation.Target
	w.predicates = append(w.predicates, &program.Predicate{Name: name, Types: make([]program.Type, arity), Closed: !open})
	w.store.Relations = append(w.store.Relations, b.Relation(open))
}

// town is data with telling statistics: 100 people in 10 blocks, all pairs of them targets, few links, one star.
func town() ([]*program.Predicate, *relation.Store) {
	w := newWorld()
	const people = 100
	person := func(i int) string { return fmt.Sprint("p", i) }
	var friends, block, link [][]string
	for i := range people {
		for k := range people {
			friends = append(friends, []string{person(i), person(k)})
		}
		block = append(block, []string{person(i), fmt.Sprint("b", i%10)})
		if i < people/2 {
			link = append(link, []string{person(i), person(i + 1)})
		}
	}
	w.add("Friends", 2, relation.Target, friends...)
	w.add("Block", 2, relation.Observed, block...)
	w.add("Link", 2, relation.Observed, link...)
	w.add("Star", 1, relation.Observed, []string{"p7"})
	w.add("Alike", 2, relation.Observed)
	w.predicates[4].Functional = true
	w.store.Relations[4].Function = func(...string) float64 { return 1 }
	return w.predicates, w.store
}

// compile returns the rule of a text, or nil if it has no meaning.
func compile(predicates []*program.Predicate, text string) (*program.Rule, error) {
	var diags source.Diagnostics
	parsed := syntax.Parse(&source.File{Name: "test.psl", Text: text}, &diags)
	prog := program.Compile(predicates, parsed, &diags)
	if len(prog.Rules) == 0 {
		return nil, diags.Err()
	}
	return prog.Rules[0], diags.Err()
}

func TestPlans(t *testing.T) {
	predicates, store := town()
	for _, c := range []struct{ name, rule, want string }{
		{"blocks first, then the pair", "1: Friends(P, Q) & Block(P, B) & Block(Q, B) & (P != Q) -> Friends(Q, P)", `
scan     Block(P, B)                          ~100 rows
probe    Block(Q, [B])      if P != Q         ~990 rows
match    Friends([P], [Q])                    ~990 rows
look up  Friends([Q], [P])  must be a target  ~990 rows
~990 groundings, ~12000 bytes, under 1 ms`},
		{"constants are keys", "1: Friends('p1', Q) & Link(Q, R) -> Friends('p1', R)", `
scan     Link(Q, R)                             ~50 rows
match    Friends('p1', [Q])                     ~50 rows
look up  Friends('p1', [R])  must be a target   ~50 rows
~50 groundings, ~600 bytes, under 1 ms`},
		{"a small start", "1: Friends(P, Q) & Link(Q, R) & Star(R) -> Friends(P, R)", `
scan     Link(Q, R)                           ~50 rows
match    Star([R])                            ~1 rows
probe    Friends(P, [Q])                      ~100 rows
look up  Friends([P], [R])  must be a target  ~100 rows
~100 groundings, ~1200 bytes, under 1 ms`},
		{"early look-ups", "1: Link(P, Q) & !Star(P) & Friends(Q, R) -> Friends(P, R)", `
scan     Link(P, Q)                           ~50 rows
look up  Star([P])                            ~50 rows
probe    Friends([Q], R)                      ~5000 rows
look up  Friends([P], [R])  must be a target  ~5000 rows
~5000 groundings, ~60000 bytes, under 1 ms`},
		{"sums are semi-joins", "1: Friends(+P, Q) <= Block(Q, B)", `
scan   Block(Q, B)               ~100 rows
match  Friends(+P, [Q])  distinct  ~100 rows
~100 groundings, ~80000 bytes, under 1 ms`},
		{"weights", "1 * Star(P): Link(P, Q) -> Friends(P, Q)", `
scan      Link(P, Q)                           ~50 rows
look up   Friends([P], [Q])  must be a target  ~50 rows
weigh by  Star([P])                            ~50 rows
~50 groundings, ~400 bytes, under 1 ms`},
		{"functions last", "1: Link(P, Q) & Alike(P, Q) & !Star(Q) & Link(Q, R) -> Friends(P, R)", `
scan     Link(P, Q)                           ~50 rows
look up  Star([Q])                            ~50 rows
compute  Alike([P], [Q])                      ~50 rows
probe    Link([Q], R)                         ~50 rows
look up  Friends([P], [R])  must be a target  ~50 rows
~50 groundings, ~400 bytes, under 1 ms`},
		{"constants compared", "1: Link(P, Q) & ('a' != 'b') -> Friends(P, Q)", `
if 'a' != 'b'
scan     Link(P, Q)                           ~50 rows
look up  Friends([P], [Q])  must be a target  ~50 rows
~50 groundings, ~400 bytes, under 1 ms`},
		{"a repeated variable", "1: Friends(P, P) & Link(P, Q) -> Friends(Q, Q)", `
scan     Link(P, Q)                           ~50 rows
match    Friends([P], [P])                    ~50 rows
look up  Friends([Q], [Q])  must be a target  ~50 rows
~50 groundings, ~600 bytes, under 1 ms`},
		{"a match before a look-up", "1: Friends(P, P) & Star(P) -> Link(P, P)", `
scan     Star(P)            ~1 rows
match    Friends([P], [P])  ~1 rows
look up  Link([P], [P])     ~1 rows
~1 groundings, ~8 bytes, under 1 ms`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule, err := compile(predicates, c.rule)
			if err != nil {
				t.Fatal(err)
			}
			_, steps, _ := strings.Cut(planned(t, rule, store).String(), "\n")
			if diff := cmp.Diff(normal(c.want), normal(steps)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestShortRulesArePlannedExactly is about a rule in which the step that leaves the fewest rows is the wrong one: going
// from A to C, of two rows each, instead of to B, of three, whose values D then thins out.
func TestShortRulesArePlannedExactly(t *testing.T) {
	w := newWorld()
	rows := func(n, fan int, prefix string) (all [][]string) {
		for i := range n {
			all = append(all, []string{fmt.Sprint("x", i/fan), fmt.Sprint(prefix, i)})
		}
		return all
	}
	unary := func(n int, prefix string) (all [][]string) {
		for i := range n {
			all = append(all, []string{fmt.Sprint(prefix, i)})
		}
		return all
	}
	w.add("A", 1, relation.Observed, unary(100, "x")...)
	w.add("B", 2, relation.Observed, rows(3000, 3, "y")...)
	w.add("C", 2, relation.Observed, rows(2000, 2, "w")...)
	w.add("D", 2, relation.Observed, rows(300, 1, "y")...)
	rule, err := compile(w.predicates, "1: A(X) & B(X, Y) & C(X, W) & D(V, Y) -> A(X)")
	if err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(planned(t, rule, w.store).String(), "\n")
	want := `
scan     A(X)         ~100 rows
look up  A([X])       ~100 rows
probe    B([X], Y)    ~300 rows
probe    D(V, [Y])    ~30 rows
probe    C([X], W)    ~60 rows
~60 groundings, ~240 bytes, under 1 ms`
	if diff := cmp.Diff(normal(want), normal(steps)); diff != "" {
		t.Error(diff)
	}
}

// TestLongRulesArePlannedInTurns counts how often planning asks whether it should go on: once for each step of a plan,
// of a number of plans that falls as rules grow.
func TestLongRulesArePlannedInTurns(t *testing.T) {
	predicates, store := town()
	for _, c := range []struct {
		text  func(k int) string
		atoms int
	}{
		{func(k int) string { return fmt.Sprintf("Link(P%d, P%d)", k, k+1) }, 1000},
		{func(k int) string { return fmt.Sprintf("Friends(P%d, P%d)", k/20, k%20) }, 400},
		{func(k int) string { return fmt.Sprintf("Star(P%d)", k) }, 3000}, // nothing links them
	} {
		var body []string
		for k := range c.atoms {
			body = append(body, c.text(k))
		}
		rule, err := compile(predicates, "1: "+strings.Join(body, " & ")+" -> "+body[0])
		if err != nil {
			t.Fatal(err)
		}
		const looks = 8000
		p, err := New(contexttest.Countdown(looks), rule, store)
		if err != nil {
			t.Errorf("%d atoms like %s are not planned in %d steps", c.atoms, body[0], looks)
			continue
		}
		if len(p.Steps) != c.atoms+1 || math.IsNaN(p.Cost) {
			t.Errorf("%d atoms: %d steps that cost %v", c.atoms, len(p.Steps), p.Cost)
		}
		for _, early := range []int64{0, 1, looks / 16} {
			if _, err := New(contexttest.Countdown(early), rule, store); !errors.Is(err, context.Canceled) {
				t.Errorf("%d atoms: %v after %d looks", c.atoms, err, early)
			}
		}
	}
}

// planned is New without a context that ends.
func planned(t interface{ Fatal(...any) }, rule *program.Rule, store *relation.Store) *Plan {
	p, err := New(context.Background(), rule, store)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// normal drops the alignment of a table.
func normal(text string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}

// TestPlansAreComplete checks of random rules what every plan must have: each generating atom once, each look-up once
// and after its variables, keys that are bound, each condition decided once and with its terms bound.
func TestPlansAreComplete(t *testing.T) {
	predicates, store := town()
	rapid.Check(t, func(t *rapid.T) {
		rule := drawRule(t, predicates)
		if rule == nil {
			t.Skip("no rule with a meaning")
		}
		p := planned(t, rule, store)
		if again := planned(t, rule, store); again.String() != p.String() {
			t.Fatalf("two plans of one rule:\n%s\n%s", p, again)
		}
		checkPlan(t, p)
	})
}

func drawRule(t *rapid.T, predicates []*program.Predicate) *program.Rule {
	term := rapid.SampledFrom([]string{"A", "B", "C", "D", "'p1'"})
	atom := func() string {
		p := rapid.SampledFrom(predicates).Draw(t, "predicate")
		var args []string
		for range p.Arity() {
			args = append(args, term.Draw(t, "argument"))
		}
		return p.Name + "(" + strings.Join(args, ", ") + ")"
	}
	body := []string{atom()}
	for range rapid.IntRange(0, 4).Draw(t, "body") {
		body = append(body, rapid.SampledFrom([]string{"", "", "!"}).Draw(t, "sign")+atom())
	}
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		body = append(body, "("+term.Draw(t, "left")+" != "+term.Draw(t, "right")+")")
	}
	weight := rapid.SampledFrom([]string{"1: ", "1 * Star(A): "}).Draw(t, "weight")
	rule, _ := compile(predicates, weight+strings.Join(body, " & ")+" -> "+atom())
	return rule
}

func checkPlan(t *rapid.T, p *Plan) {
	bound := make([]bool, len(p.Rule.Variables))
	var joined, decided []int
	for k := range p.Steps {
		s := &p.Steps[k]
		for _, column := range s.Key {
			if arg := s.Atom.Args[column]; arg.IsVariable() && !bound[arg.Variable] {
				t.Fatalf("step %d looks for a value that it does not have:\n%s", k, p)
			}
		}
		for _, column := range s.Bind {
			bound[s.Atom.Args[column].Variable] = true
		}
		if whole := len(s.Bind)+len(s.Check) == 0; whole != (s.Op >= Match) {
			t.Fatalf("step %d is a %s:\n%s", k, s.Op, p)
		}
		for _, c := range s.Conditions {
			condition := p.Rule.Conditions[c]
			for _, arg := range []program.Term{condition.Left, condition.Right} {
				if arg.IsVariable() && !bound[arg.Variable] {
					t.Fatalf("step %d decides too early:\n%s", k, p)
				}
			}
		}
		if s.Index >= 0 && p.Rule.Atoms[s.Index].Generates && k >= p.Generators {
			t.Fatalf("step %d generates after the last one that should:\n%s", k, p)
		}
		decided = append(decided, s.Conditions...)
		joined = append(joined, s.Index)
	}
	decided = append(decided, p.Conditions...)
	slices.Sort(joined)
	slices.Sort(decided)
	want := make([]int, 0, len(p.Rule.Atoms)+1)
	if p.Rule.Weight.Atom != nil {
		want = append(want, -1)
	}
	for k := range p.Rule.Atoms {
		want = append(want, k)
	}
	if !slices.Equal(joined, want) || !slices.Equal(decided, everyCondition(p.Rule)) {
		t.Fatalf("joined %v, decided %v:\n%s", joined, decided, p)
	}
}

func everyCondition(rule *program.Rule) (all []int) {
	for k := range rule.Conditions {
		all = append(all, k)
	}
	return all
}

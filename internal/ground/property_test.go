package ground

import (
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/program"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// TestMain lets the properties be tried often: most draws are quick, and the corners are many.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// drawData fills predicates of every kind with atoms over few constants. Some constants appear in no atom.
func drawData(t *rapid.T) *builder {
	b := newBuilder()
	constants := rapid.IntRange(1, 4).Draw(t, "constants")
	for k := range constants {
		b.store.Symbols.Intern(string(rune('a' + k)))
	}
	for _, p := range []struct {
		name  string
		arity int
		open  bool
		roles []relation.Role
	}{
		{"One", 1, false, []relation.Role{relation.Observed}},
		{"Two", 2, false, []relation.Role{relation.Observed}},
		{"Three", 3, false, []relation.Role{relation.Observed}},
		{"Goal", 1, true, []relation.Role{relation.Observed, relation.Target}},
		{"Pair", 2, true, []relation.Role{relation.Observed, relation.Target, relation.Target}},
		{"Net", 2, false, []relation.Role{relation.Observed, relation.Perceived}},
	} {
		b.add(p.name, p.arity, p.open, drawRows(t, constants, p.arity, p.roles)...)
		last := b.predicates[len(b.predicates)-1]
		last.Perceived = p.name == "Net"
		last.Closed = !p.open && !last.Perceived
	}
	return b
}

func drawRows(t *rapid.T, constants, arity int, roles []relation.Role) (rows []data) {
	density := rapid.SampledFrom([]int{1, 2, 3, 4}).Draw(t, "density")
	tuples := 1
	for range arity {
		tuples *= constants
	}
	for code := range tuples {
		if rapid.IntRange(0, 3).Draw(t, "present") >= density {
			continue
		}
		var args []string
		for range arity {
			args = append(args, string(rune('a'+code%constants)))
			code /= constants
		}
		role := rapid.SampledFrom(roles).Draw(t, "role")
		value := rapid.SampledFrom([]float64{1, 1, 0.5, 0.25, 0, 0.3}).Draw(t, "value")
		rows = append(rows, data{strings.Join(args, " "), role, value})
	}
	return rows
}

var arities = map[string]int{"One": 1, "Two": 2, "Three": 3, "Goal": 1, "Pair": 2, "Net": 2}

func drawTerm(t *rapid.T) string {
	return rapid.SampledFrom([]string{"A", "A", "B", "B", "C", "'a'", "'zz'"}).Draw(t, "term")
}

func drawAtom(t *rapid.T, names ...string) string {
	name := rapid.SampledFrom(names).Draw(t, "predicate")
	var args []string
	for range arities[name] {
		args = append(args, drawTerm(t))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

var everyName = []string{"One", "Two", "Three", "Goal", "Goal", "Pair", "Pair", "Net"}

// drawWeight returns a weight and the end of the rule.
func drawWeight(t *rapid.T) (weight, end string) {
	return rapid.SampledFrom([]string{"", "2: ", "0.5 * One(A): ", "1 * Two(A, B): "}).Draw(t, "weight"),
		rapid.SampledFrom([]string{"", " ^2"}).Draw(t, "exponent")
}

func finishRule(t *rapid.T, text string) string {
	weight, end := drawWeight(t)
	if weight == "" {
		end = " ."
	}
	return weight + text + end
}

func drawLogical(t *rapid.T) string {
	var body, head []string
	for range rapid.IntRange(1, 3).Draw(t, "body") {
		sign := rapid.SampledFrom([]string{"", "", "", "!"}).Draw(t, "sign")
		body = append(body, sign+drawAtom(t, everyName...))
	}
	for range rapid.IntRange(0, 1).Draw(t, "conditions") {
		op := rapid.SampledFrom([]string{" != ", " == ", " % "}).Draw(t, "comparison")
		body = append(body, "("+drawTerm(t)+op+drawTerm(t)+")")
	}
	for range rapid.IntRange(1, 2).Draw(t, "head") {
		sign := rapid.SampledFrom([]string{"", "", "", "!"}).Draw(t, "sign")
		head = append(head, sign+drawAtom(t, everyName...))
	}
	return finishRule(t, strings.Join(body, " & ")+" -> "+strings.Join(head, " | "))
}

// drawArithmetic draws sums with up to two summation variables, each in one atom, and filters.
func drawArithmetic(t *rapid.T) string {
	sums := []string{"X", "Y"}[:rapid.IntRange(0, 2).Draw(t, "sums")]
	left := sums
	var operands []string
	for range rapid.IntRange(1, 3).Draw(t, "operands") {
		coef := rapid.SampledFrom([]string{"", "2 * ", "0.5 * ", "-1 * ", "0 * "}).Draw(t, "coefficient")
		if len(sums) > 0 && rapid.IntRange(0, 2).Draw(t, "sized") == 0 {
			coef = rapid.SampledFrom([]string{"1 / |X| * ", "1 / @Max[|X|, 1] * ", "|X| * "}).Draw(t, "sized coefficient")
		}
		atom := drawAtom(t, everyName...)
		for len(left) > 0 && rapid.Bool().Draw(t, "summed") {
			before := atom
			atom = strings.Replace(atom, rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "replaced"), "+"+left[0], 1)
			if before == atom {
				break
			}
			left = left[1:]
		}
		operands = append(operands, coef+atom)
	}
	op := rapid.SampledFrom([]string{" <= ", " >= ", " = "}).Draw(t, "relation")
	bound := rapid.SampledFrom([]string{"1", "0.5", "0", "|X|", "Pair(A, B)"}).Draw(t, "bound")
	rule := finishRule(t, strings.Join(operands, " + ")+op+bound)
	for _, v := range sums {
		if rapid.Bool().Draw(t, "filtered") {
			rule += " {" + v + ": " + drawFilter(t, v) + "}"
		}
	}
	return rule
}

func drawFilter(t *rapid.T, variable string) string {
	argument := rapid.SampledFrom([]string{variable, variable, "A", "B", "'a'"})
	var literals []string
	for range rapid.IntRange(1, 3).Draw(t, "literals") {
		sign := rapid.SampledFrom([]string{"", "", "!"}).Draw(t, "sign")
		if rapid.IntRange(0, 3).Draw(t, "condition") == 0 {
			op := rapid.SampledFrom([]string{" != ", " == ", " % "}).Draw(t, "comparison")
			literals = append(literals, sign+"("+variable+op+drawTerm(t)+")")
			continue
		}
		name := rapid.SampledFrom([]string{"One", "Two", "Two", "Three"}).Draw(t, "predicate")
		var args []string
		for range arities[name] {
			args = append(args, argument.Draw(t, "argument"))
		}
		literals = append(literals, sign+name+"("+strings.Join(args, ", ")+")")
	}
	return strings.Join(literals, rapid.SampledFrom([]string{" & ", " | "}).Draw(t, "connective"))
}

// drawFixture draws a program of a few rules; those without a meaning are left out.
func drawFixture(t *rapid.T) *fixture {
	b := drawData(t)
	var parsed []*syntax.Rule
	for range rapid.IntRange(4, 8).Draw(t, "rules") {
		text := rapid.SampledFrom([]func(*rapid.T) string{drawLogical, drawArithmetic}).Draw(t, "kind")(t)
		var diags source.Diagnostics
		parsed = append(parsed, syntax.Parse(&source.File{Name: "drawn.psl", Text: text}, &diags)...)
		if diags.HasErrors() {
			t.Fatalf("%s\n%v", text, diags.Err())
		}
	}
	prog := program.Compile(b.predicates, parsed, &source.Diagnostics{})
	b.store.Number()
	return &fixture{program: prog, store: b.store}
}

func TestGroundMatchesTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		g := &reference{fixture: f}
		for _, rule := range f.program.Rules {
			g.ground(rule)
		}
		slices.Sort(g.potentials)
		model, report, err := f.ground(Options{Threads: 1, DiscardMissing: true})
		if (err != nil) != (g.broken+g.violated > 0) {
			t.Fatalf("%s\nbroken %d, violated %d, but the error is %v", describe(f), g.broken, g.violated, err)
		}
		if model == nil {
			t.Fatal("no model")
		}
		if err := model.Check(); err != nil {
			t.Fatalf("%s\n%v", describe(f), err)
		}
		if diff := cmp.Diff(g.potentials, potentials(model)); diff != "" {
			t.Fatalf("%s\n%s", describe(f), diff)
		}
		got, want := report.Total, Counts{Missing: g.missing, Violated: g.violated}
		if got.Missing != want.Missing || got.Violated != want.Violated || got.Constant != g.constant {
			t.Fatalf("%s\ncounts %+v, want %+v and constant %d", describe(f), got, want, g.constant)
		}
		if got.Potentials != int64(len(g.potentials)) {
			t.Fatalf("%d potentials are reported, there are %d", got.Potentials, len(g.potentials))
		}
	})
}

// describe prints a fixture, for failures.
func describe(f *fixture) string {
	var b strings.Builder
	for _, rule := range f.program.Rules {
		fmt.Fprintln(&b, rule.Text)
	}
	for _, r := range f.store.Relations {
		for row := range int32(r.Len()) {
			fmt.Fprintf(&b, "%s %s", f.store.Atom(r, row), r.Role(row))
			if r.Role(row) == relation.Observed {
				fmt.Fprintf(&b, " %v", r.Value(row))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestModelHasTheSameBitsForAnyThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		want, wantReport, wantErr := f.ground(Options{Threads: 1})
		for _, threads := range []int{2, 4} {
			got, report, err := f.ground(Options{Threads: threads})
			if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) || report.Total != wantReport.Total {
				t.Fatalf("%d threads make a difference", threads)
			}
		}
	})
}

// Which shape a machine meets first is up to the rows that it is given, and so to the threads: here, pairs of people
// with third ones who may be the first, an atom with the coefficient 0 away.
func TestShapesMetInAnyOrder(t *testing.T) {
	b := newBuilder()
	var friends []data
	for i := range 900 {
		friends = append(friends, target(fmt.Sprintf("p%d p%d", i/30, i%30)))
	}
	b.add("Friends", 2, true, friends...)
	f := b.rules(t, "1: 0 * Friends(C, B) + Friends(A, B) <= 0.25")
	want, _ := f.made(t, Options{Threads: 1})
	for range 20 {
		for _, threads := range []int{2, 4} {
			got, _, err := f.ground(Options{Threads: threads})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%d threads make a difference", threads)
			}
		}
	}
}

func TestOrderOfAtomsAndRowsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		model, report, _ := f.ground(Options{DiscardMissing: true})
		permuted := *f.program
		permuted.Rules = slices.Clone(f.program.Rules)
		for k, rule := range permuted.Rules {
			permuted.Rules[k] = permuteAtoms(rule, rapid.Permutation(indices(len(rule.Atoms))).Draw(t, "order"))
		}
		again, reportAgain, _ := (&fixture{&permuted, f.store}).ground(Options{DiscardMissing: true})
		if diff := cmp.Diff(potentials(model), potentials(again)); diff != "" {
			t.Fatalf("%s\n%s", describe(f), diff)
		}
		if report.Total.Missing != reportAgain.Total.Missing {
			t.Fatalf("%d missing, then %d", report.Total.Missing, reportAgain.Total.Missing)
		}
	})
}

func permuteAtoms(rule *program.Rule, order []int) *program.Rule {
	out := *rule
	out.Atoms = nil
	place := make([]int, len(order))
	for k, from := range order {
		out.Atoms = append(out.Atoms, rule.Atoms[from])
		place[from] = k
	}
	out.Sums = slices.Clone(rule.Sums)
	for k := range out.Sums {
		out.Sums[k].Atom = place[out.Sums[k].Atom]
	}
	return &out
}

func indices(n int) []int { return every(n) }

// deriveByDefinition counts the assignments of the body's variables for each head tuple.
func deriveByDefinition(f *fixture, rule *program.Rule) map[string]int32 {
	counts := make(map[string]int32)
	g := &reference{fixture: f, rule: rule, values: make([]symbol.ID, len(rule.Variables))}
	last := len(rule.Atoms) - 1
	var enumerate func(v int)
	enumerate = func(v int) {
		if v < len(g.values) {
			for id := range f.store.Symbols.Len() {
				g.values[v] = symbol.ID(id)
				enumerate(v + 1)
			}
			return
		}
		for k := range rule.Conditions {
			if !g.holds(&rule.Conditions[k]) {
				return
			}
		}
		truth := rule.Constant.Number
		for k := range rule.Atoms[:last] {
			if rows := g.rows(&rule.Atoms[k]); len(rows) > 0 {
				truth += rule.Atoms[k].Coef.Number * f.store.Relations[rule.Atoms[k].Predicate].Value(rows[0])
			}
		}
		if truth > 1e-13 {
			var head []string
			for _, arg := range rule.Atoms[last].Args {
				head = append(head, g.name(arg))
			}
			counts[strings.Join(head, " ")]++
		}
	}
	enumerate(0)
	return counts
}

func TestDeriveMatchesTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawData(t)
		b.add("Derived", 2, false)
		var body []string
		for range rapid.IntRange(1, 3).Draw(t, "body") {
			body = append(body, drawAtom(t, "One", "Two", "Three"))
		}
		body = append(body, rapid.SampledFrom([]string{"!Two(A, B)", "One(A)", "(A != B)"}).Draw(t, "last"))
		var diags source.Diagnostics
		file := &source.File{Name: "drawn.psl", Text: strings.Join(body, " & ") + " -> Derived(A, B)"}
		rule := program.CompileDerivation(b.predicates, syntax.ParseDerivation(file, &diags), false, &diags)
		if rule == nil {
			t.Skip("no derivation with a meaning")
		}
		want := deriveByDefinition(&fixture{store: b.store}, rule)
		for _, threads := range []int{1, 3} {
			columns, counts, err := Derive(context.Background(), b.store, rule, Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			got := make(map[string]int32)
			for row, count := range counts {
				got[b.store.Symbols.Name(columns[0][row])+" "+b.store.Symbols.Name(columns[1][row])] = count
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s\n%s", file.Text, diff)
			}
		}
	})
}

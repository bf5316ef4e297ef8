package ground

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Rows that are taken side by side, in more than one lot, give the model that they give one by one, to the bit, and
// the same counts and messages: with observed atoms of all values, atoms that occur twice, missing ones, and hard
// rules.
func TestSideBySide(t *testing.T) {
	b, random := newBuilder(), rand.New(rand.NewPCG(7, 8))
	name := func(k int) string { return fmt.Sprint("c", k) }
	const constants = 16
	for _, p := range []struct {
		name  string
		arity int
		open  bool
		roles []relation.Role
	}{
		{"One", 1, false, []relation.Role{relation.Observed}},
		{"Two", 2, false, []relation.Role{relation.Observed}},
		{"Three", 3, false, []relation.Role{relation.Observed}},
		{"Goal", 1, true, []relation.Role{relation.Observed, relation.Target, relation.Target}},
		{"Pair", 2, true, []relation.Role{relation.Observed, relation.Target, relation.Target, relation.Target}},
		{"Net", 2, false, []relation.Role{relation.Observed, relation.Perceived}},
	} {
		var rows []data
		tuples := 1
		for range p.arity {
			tuples *= constants
		}
		for code := range tuples {
			if random.IntN(3) == 0 || p.arity == 3 && random.IntN(20) > 0 {
				continue
			}
			args := make([]string, p.arity)
			for k, rest := 0, code; k < p.arity; k, rest = k+1, rest/constants {
				args[k] = name(rest % constants)
			}
			rows = append(rows, data{strings.Join(args, " "), p.roles[random.IntN(len(p.roles))],
				[]float64{1, 1, 0.5, 0.3, 0}[random.IntN(5)]})
		}
		b.add(p.name, p.arity, p.open, rows...)
		last := b.predicates[len(b.predicates)-1]
		last.Perceived = p.name == "Net"
		last.Closed = !p.open && !last.Perceived
	}
	b.store.Number()
	potentials := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SampledFrom([]func(*rapid.T) string{drawLogical, drawLogical, drawCycle, drawArithmetic})
		text := strings.ReplaceAll(draw.Draw(t, "kind")(t), "'a'", "'c3'")
		var diags source.Diagnostics
		parsed := syntax.Parse(&source.File{Name: "drawn.psl", Text: text}, &diags)
		prog := program.Compile(b.predicates, parsed, &diags)
		if len(prog.Rules) == 0 || strings.Contains(text, "E)") || strings.Contains(text, "+") {
			t.Skip("nothing, or too much")
		}
		f := &fixture{program: prog, store: b.store}
		discard := rapid.Bool().Draw(t, "discard")
		arrange, meet := rapid.Bool().Draw(t, "arrange"), rapid.Bool().Draw(t, "meet")
		reduce, table := rapid.Bool().Draw(t, "reduce"), rapid.Bool().Draw(t, "table")
		want, wantReport, wantErr := f.ground(
			Options{Threads: 2, DiscardMissing: discard, meetAll: meet, oneByOne: true})
		got, report, err := f.ground(
			Options{Threads: 2, DiscardMissing: discard, meetAll: meet, reduceAll: reduce, tableAll: table, arrangeAll: arrange})
		if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) || report.Total != wantReport.Total {
			t.Fatalf("%s: %+v side by side, %+v one by one\n%v\n%v", text, report.Total, wantReport.Total, err, wantErr)
		}
		potentials += report.Total.Potentials
	})
	if potentials < 20_000 {
		t.Errorf("%d potentials are few", potentials)
	}
}

// Loops of few rows each are taken side by side as well, tier by tier, and give what they give one by one, to the bit,
// in the same order: lots that are full and not, rows that lead to none and to many, for any number of threads.
func TestTiers(t *testing.T) {
	b, random := newBuilder(), rand.New(rand.NewPCG(3, 4))
	const nodes = 200
	for _, name := range []string{"P", "Q", "R"} {
		var rows []data
		seen := make(map[string]bool)
		for k := range 6 * nodes {
			args := fmt.Sprint("n", random.IntN(nodes), " n", random.IntN(nodes))
			if k%3 == 0 {
				args = fmt.Sprint("n", random.IntN(nodes), " n", random.IntN(3)) // few have very many
			}
			if !seen[args] {
				seen[args] = true
				rows = append(rows, data{args, relation.Observed, []float64{1, 1, 0.9, 0}[random.IntN(4)]})
			}
		}
		b.add(name, 2, false, rows...)
	}
	var goals []data
	for k := range nodes {
		if k%50 > 0 {
			goals = append(goals, data{fmt.Sprint("n", k), relation.Target, 0})
		}
	}
	b.add("Goal", 1, true, goals...)
	for _, text := range []string{
		"1: P(A, B) & Q(B, C) & R(C, D) & (A != D) & Goal(D) -> Goal(A)",
		"P(A, B): Q(A, B) & R(B, C) & P(C, D) & !Q(A, D) -> Goal(C) ^2",
		"1: P(A, B) & Q(A, C) & R(A, D) & P(A, E) & (B % C) -> Goal(E)",
	} {
		f := b.rules(t, text)
		want, wantReport, wantErr := f.ground(Options{Threads: 1, DiscardMissing: true, oneByOne: true})
		for threads := 1; threads <= 3; threads++ {
			got, report, err := f.ground(Options{Threads: threads, DiscardMissing: true, arrangeAll: true})
			if !reflect.DeepEqual(got, want) || report.Total != wantReport.Total || err != nil || wantErr != nil {
				t.Errorf("%s: %+v in tiers, %+v one by one (%v, %v)", text, report.Total, wantReport.Total, err, wantErr)
			}
			if report.Total.Potentials < lanes {
				t.Errorf("%s: %d potentials are few", text, report.Total.Potentials)
			}
		}
	}
}

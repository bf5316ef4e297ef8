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
		reduce := rapid.Bool().Draw(t, "reduce")
		want, wantReport, wantErr := f.ground(
			Options{Threads: 2, DiscardMissing: discard, meetAll: meet, oneByOne: true})
		got, report, err := f.ground(
			Options{Threads: 2, DiscardMissing: discard, meetAll: meet, reduceAll: reduce, arrangeAll: arrange})
		if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) || report.Total != wantReport.Total {
			t.Fatalf("%s: %+v side by side, %+v one by one\n%v\n%v", text, report.Total, wantReport.Total, err, wantErr)
		}
		potentials += report.Total.Potentials
	})
	if potentials < 20_000 {
		t.Errorf("%d potentials are few", potentials)
	}
}

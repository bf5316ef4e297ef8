package ground

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Whatever atoms come, go and change, the ground rules that Effect lets come and go must be those of a cold grounding.
func TestEffectsAddUp(t *testing.T) {
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		living := &relation.Store{Symbols: f.store.Symbols}
		for _, r := range f.store.Relations {
			living.Relations = append(living.Relations, r.Living(rapid.IntRange(0, 3).Draw(t, "room"), 20))
		}
		living.Number()
		tracer, faults, now := NewTracer(f.program, living), &Faults{}, make(map[string]int)
		for _, rule := range f.program.Rules {
			tracer.All(rule, faults, func(p *mrf.Potential) bool { now[textOf(p)]++; return true })
		}
		effect := func(predicate int, tuple []symbol.ID, each int) {
			faults.Leaving(each < 0)
			for _, rule := range f.program.Rules {
				tracer.Effect(rule, predicate, tuple, faults, func(p *mrf.Potential) bool {
					now[textOf(p)] += each
					changed++
					return true
				})
			}
		}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			predicate := rapid.IntRange(0, len(living.Relations)-1).Draw(t, "predicate")
			r := living.Relations[predicate]
			if !r.Lives() {
				continue
			}
			tuple := make([]symbol.ID, r.Arity)
			for k := range tuple {
				tuple[k] = rapid.Int32Range(0, int32(f.store.Symbols.Len()-1)).Draw(t, "constant")
			}
			effect(predicate, tuple, -1)
			change(t, r, tuple)
			effect(predicate, tuple, 1)
		}
		compareLiving(t, f, living, now, faults)
	})
	if changed == 0 {
		t.Error("nothing changed")
	}
}

// change lets an atom come, go, or have another value.
func change(t *rapid.T, r *relation.Relation, tuple []symbol.ID) {
	value := rapid.SampledFrom([]float64{0, 0.4, 1}).Draw(t, "value")
	switch row, known := r.Find(tuple...); {
	case known && r.Role(row) == relation.Observed && rapid.Bool().Draw(t, "kept"):
		r.SetValue(row, value)
	case known:
		r.Delete(row)
		if rapid.Bool().Draw(t, "back") {
			r.Revive(row)
		}
	case r.FreeLen() > 0 && r.Open && rapid.Bool().Draw(t, "target"):
		r.Insert(tuple, r.Free, 0)
	default:
		r.Insert(tuple, relation.Observed, value)
	}
}

// compareLiving grounds the atoms that are there anew, and compares.
func compareLiving(t *rapid.T, f *fixture, living *relation.Store, now map[string]int, faults *Faults) {
	cold := &relation.Store{Symbols: f.store.Symbols}
	numbers := [2]map[int32]int32{{}, {}}
	var rows [][]int32
	for _, r := range living.Relations {
		settled, kept := r.Settled()
		cold.Relations, rows = append(cold.Relations, settled), append(rows, kept)
	}
	cold.Number()
	for k, r := range living.Relations {
		c := cold.Relations[k]
		for at, row := range rows[k] {
			if at >= c.Observed {
				numbers[r.Free-relation.Target][c.Number(int32(at))] = r.Number(row)
			}
		}
	}
	g := &fixture{f.program, cold}
	model, report, _ := g.ground(Options{Threads: 1, DiscardMissing: true, DiscardViolated: true})
	for _, b := range model.Blocks {
		for j := range b.Len {
			p := b.At(j)
			for k, i := range p.Vars {
				p.Vars[k] = numbers[0][i]
			}
			for k, i := range p.Inputs {
				p.Inputs[k] = numbers[1][i]
			}
			now[textOf(&p)]--
		}
	}
	for text, count := range now {
		if count != 0 {
			t.Fatalf("%s\n%s is there %+d times too often", describe(g), text, count)
		}
	}
	missing, violated := int64(0), int64(0)
	for _, p := range faults.found {
		missing, violated = missing+p.missing.count, violated+p.violated.count
	}
	if missing != report.Total.Missing || violated != report.Total.Violated {
		t.Fatalf("%s\n%d missing and %d violated, want %d and %d", describe(g), missing, violated, report.Total.Missing,
			report.Total.Violated)
	}
}

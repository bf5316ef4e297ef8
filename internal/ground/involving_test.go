package ground

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// What an observed atom has a part in must be all that changes when its value does, or when it goes.
func TestInvolvingIsWhatChanges(t *testing.T) {
	changed := 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		var observed []int
		for k, r := range f.store.Relations {
			if r.Observed > 0 {
				observed = append(observed, k)
			}
		}
		if len(observed) == 0 {
			return
		}
		predicate := rapid.SampledFrom(observed).Draw(t, "predicate")
		before := f.store.Relations[predicate]
		row := rapid.Int32Range(0, int32(before.Observed)-1).Draw(t, "row")
		after := before.Removed(row)
		if rapid.Bool().Draw(t, "kept") {
			after = before.Changed(row, rapid.SampledFrom([]float64{0, 0.4, 1}).Draw(t, "value"))
		}
		store := &relation.Store{Symbols: f.store.Symbols, Relations: slices.Clone(f.store.Relations)}
		store.Relations[predicate] = after
		g := &fixture{f.program, store}
		options := Options{Threads: 1, DiscardMissing: true, DiscardViolated: true}
		old, _, _ := f.ground(options)
		new, _, _ := g.ground(options)
		if old == nil || new == nil {
			return
		}
		want, got := counted(old, -1), make(map[string]int)
		for text, count := range counted(new, 1) {
			want[text] += count
		}
		tuple := before.Tuple(nil, row)
		for _, m := range NewTracer(f.program, f.store).Involving(predicate, tuple) {
			got[textOf(&m)]--
		}
		for _, m := range NewTracer(g.program, g.store).Involving(predicate, tuple) {
			got[textOf(&m)]++
		}
		for _, texts := range []map[string]int{want, got} {
			for text := range texts {
				if want[text] != got[text] {
					t.Fatalf("%s of %s: %s changes by %d, and not %d", before.Name, f.store.Atom(before, row), text, got[text],
						want[text])
				}
				if want[text] != 0 {
					changed++
				}
			}
		}
	})
	if changed == 0 {
		t.Error("nothing changed")
	}
}

// Rules leaves out no rule that an atom has a part in, and most of those that have other constants.
func TestRulesThatAnAtomMayBeIn(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		predicate := rapid.IntRange(0, len(f.store.Relations)-1).Draw(t, "predicate")
		r := f.store.Relations[predicate]
		if r.Len() == 0 || r.Function != nil {
			return
		}
		tuple := r.Tuple(nil, rapid.Int32Range(0, int32(r.Len())-1).Draw(t, "row"))
		tracer := NewTracer(f.program, f.store)
		rules := tracer.Rules(predicate, tuple)
		if !slices.IsSorted(rules) {
			t.Fatalf("rules %v are out of order", rules)
		}
		for k, rule := range f.program.Rules {
			if slices.Contains(rules, k) {
				continue
			}
			if len(atomsOf(rule, predicate)) > 0 {
				left++
			}
			var faults Faults
			whole := tracer.Effect(rule, predicate, tuple, &faults, func(p *mrf.Potential) bool {
				t.Errorf("rule %d is left out, and has %s", k, textOf(p))
				return true
			})
			if whole || len(faults.rules) > 0 {
				t.Errorf("rule %d is left out, and has an effect", k)
			}
		}
	})
	if left == 0 {
		t.Error("no rule with the predicate is left out")
	}
}

// text tells potentials apart.
func textOf(m *mrf.Potential) string {
	return fmt.Sprint(m.Rule, m.Kind, m.Exponent, m.Vars, m.Coef, m.Inputs, m.InputCoef, float32(m.Constant), m.Scale)
}

// counted counts the potentials of a model.
func counted(model *mrf.Model, each int) map[string]int {
	out := make(map[string]int)
	for _, b := range model.Blocks {
		for j := range b.Len {
			var p potential
			p.read(b, j, new(mrf.RowBuffer))
			m := mrf.Potential{Rule: b.Rule, Kind: b.Kind, Exponent: b.Exponent, Vars: p.vars, Inputs: p.inputs,
				Coef: p.coef, InputCoef: p.inputCoef, Constant: p.constant, Scale: float64(p.scale)}
			out[textOf(&m)] += each
		}
	}
	return out
}

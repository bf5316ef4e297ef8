package ground

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// Each ground rule of a program drawn at random must be traced to a grounding of its own, which makes it.
func TestTraceFindsEachGrounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		model, _, err := f.ground(Options{Threads: 1, DiscardMissing: true, DiscardViolated: true})
		if model == nil {
			t.Fatal(err)
		}
		tracer := NewTracer(f.program, f.store)
		seen, place, index := make(map[string]bool), 0, mrf.NewOccurrences(model)
		for _, b := range model.Blocks {
			for j := range b.Len {
				text, twins := fmt.Sprint(b.Rule, Text(f.weights(), f.store, b, j)), index.Twins(place)
				found := tracer.Trace(b, j, twins)
				if found == nil {
					t.Fatalf("%s: no grounding of %s (after %d)", text, f.program.Rules[b.Rule].Text, twins)
				}
				place++
				if key := fmt.Sprint(b.Rule, found.Constants); seen[key] {
					t.Fatalf("%s: %s is found twice for %s", text, key, found.Rule.Text)
				} else {
					seen[key] = true
				}
				checkInstance(t, f.store, b, j, found)
			}
		}
	})
}

// What is found of many at once is found one by one, too: each grounding once, and one that makes the ground rule.
func TestTraceFindsAllAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFixture(t)
		model, _, err := f.ground(Options{Threads: 1, DiscardMissing: true, DiscardViolated: true})
		if model == nil {
			t.Fatal(err)
		}
		tracer, seen, index := NewTracer(f.program, f.store), make(map[string]bool), mrf.NewOccurrences(model)
		done := make(map[int]bool)
		for place := range model.Potentials() {
			if done[place] {
				continue
			}
			var blocks []*mrf.Block
			var rows []int
			places := slices.Collect(index.Alike(place))
			for _, other := range places {
				block, j := index.Locate(other)
				blocks, rows = append(blocks, model.Blocks[block]), append(rows, j)
				if done[other] {
					t.Fatalf("place %d is like %d, and not the other way round", place, other)
				}
				done[other] = true
			}
			for k, found := range tracer.TraceAll(blocks, rows) {
				if found == nil {
					t.Fatalf("no grounding of %s", Text(f.weights(), f.store, blocks[k], rows[k]))
				}
				key := fmt.Sprint(blocks[k].Rule, found.Constants)
				if seen[key] {
					t.Fatalf("%s is found twice for %s", key, found.Rule.Text)
				}
				seen[key] = true
				checkInstance(t, f.store, blocks[k], rows[k], found)
				one := tracer.Trace(blocks[k], rows[k], index.Twins(places[k]))
				if fmt.Sprint(one.Constants) != fmt.Sprint(found.Constants) {
					t.Fatalf("%v is found in one search, and %v by itself", found.Constants, one.Constants)
				}
			}
		}
	})
}

// checkInstance compares the sum of an instance's terms with the potential.
func checkInstance(t *rapid.T, store *relation.Store, b *mrf.Block, j int, found *Instance) {
	constant, free := found.Constant, make(map[string]float64)
	for _, term := range found.Terms {
		if term.Free() {
			free[store.Atom(term.Relation, term.Row)] += term.Coef
		} else {
			constant += term.Coef * term.Value
		}
	}
	for _, s := range sides(b, j) {
		from, to := s.row(j)
		for k := from; k < to; k++ {
			r, row := store.Locate(s.role, s.index[k])
			free[store.Atom(r, row)] -= s.coefficient(k-from, k)
		}
	}
	for atom, left := range free {
		if math.Abs(left) > 1e-6 {
			t.Fatalf("the coefficient of %s differs by %v in %+v", atom, left, found)
		}
	}
	if want := constantOf(b, j); math.Abs(constant-want) > 1e-9*(1+math.Abs(want)) {
		t.Fatalf("the constant is %v, and not %v: %+v", constant, want, found)
	}
	if w := found.Weight; w != nil && float32(w.Value) != float32(scaleOf(b, j)) {
		t.Fatalf("weighed by %v, and not %v", w.Value, scaleOf(b, j))
	}
}

// What is passed over is not found again, and what is no ground rule of the program is not found at all.
func TestTraceOfDuplicates(t *testing.T) {
	b := newBuilder()
	b.add("Lived", 2, false, observed("a x", 1), observed("b x", 1), observed("a y", 1), observed("b y", 1))
	b.add("Knows", 2, true, target("a b"), target("b a"))
	f := b.rules(t, "1: Lived(A, L) & Lived(B, L) & (A != B) -> Knows(A, B)")
	model, _ := f.made(t, Options{Threads: 1})
	tracer := NewTracer(f.program, f.store)
	var towns []string
	block := model.Blocks[0]
	j := slices.Index(block.Numbers(), block.Numbers()[0])
	for others := range 2 {
		towns = append(towns, tracer.Trace(block, j, others).Constants["L"])
	}
	if slices.Sort(towns); !slices.Equal(towns, []string{"x", "y"}) {
		t.Errorf("traced to %q", towns)
	}
	if more := tracer.Trace(block, j, 2); more != nil {
		t.Errorf("there is a third grounding: %+v", more)
	}
	stranger := *block
	stranger.Constant += 0.5
	if found := tracer.Trace(&stranger, j, 0); found != nil {
		t.Errorf("a ground rule of another program is %+v", found)
	}
}

// Ground rules whose constants differ by rounding alone are told apart, too.
func TestTraceOfRounded(t *testing.T) {
	b := newBuilder()
	b.add("P", 1, false, observed("a", 0.1), observed("b", 0.3))
	b.add("Q", 1, false, observed("a", 0.2), observed("b", 0.2))
	b.add("R", 1, false, observed("a", 0.3), observed("b", 0.1))
	b.add("T", 1, true, target("x"))
	f := b.rules(t, "1: P(A) + Q(A) + R(A) + T('x') <= 0")
	model, _ := f.made(t, Options{Threads: 1})
	block, index := model.Blocks[0], mrf.NewOccurrences(model)
	if constantOf(block, 0) == constantOf(block, 1) {
		t.Fatal("the constants are the same")
	}
	tracer := NewTracer(f.program, f.store)
	for j, want := range []string{"a", "b"} {
		if got := tracer.Trace(block, j, index.Twins(j)).Constants["A"]; got != want {
			t.Errorf("ground rule %d is that of %s, and not of %s", j, got, want)
		}
	}
}

// Those with the same inputs, and other coefficients, are no twins.
func TestTraceOfInputs(t *testing.T) {
	b := newBuilder()
	b.add("Net", 1, true, observed("b", 0), perceived("a"))
	b.add("T", 1, true, target("x"))
	f := b.rules(t, "1: 2 * Net(A) + Net(B) + T('x') <= 0")
	model, _ := f.made(t, Options{Threads: 1})
	index, tracer, place := mrf.NewOccurrences(model), NewTracer(f.program, f.store), 0
	for _, block := range model.Blocks {
		for j := range block.Len {
			if tracer.Trace(block, j, index.Twins(place)) == nil {
				t.Errorf("ground rule %d is not found: %d twins", place, index.Twins(place))
			}
			place++
		}
	}
	if place != 4 {
		t.Errorf("%d ground rules", place)
	}
}

// A hub is in many ground rules; one of them is found without going through the others.
func BenchmarkTrace(b *testing.B) {
	f := transitivity(b, 100)
	model, _ := f.made(b, Options{Threads: 1})
	tracer := NewTracer(f.program, f.store)
	largest := slices.MaxFunc(model.Blocks, func(a, b *mrf.Block) int { return a.Len - b.Len })
	k := 0
	for b.Loop() {
		if k = (k + 7919) % largest.Len; tracer.Trace(largest, k, 0) == nil {
			b.Fatal("not found")
		}
	}
}

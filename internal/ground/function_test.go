package ground

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// functionRules use a function wherever one may stand.
const functionRules = `
1: Name(A, N) & Name(B, M) & Alike(N, M) & (A != B) -> Same(A, B) ^2
1: Name(A, N) & Name(B, M) & !Alike(N, M) -> !Same(A, B)
1: Name(A, N) & Name(B, M) & Same(A, B) -> Alike(N, M)
1: Name(A, N) & Alike(N, 'n2') -> Same(A, A)
0.5 * Alike(N, M): Name(A, N) & Name(B, M) & Same(A, B) -> Same(B, A)
1: Same(A, B) + 0 * Name(A, N) + 0 * Name(B, M) = 0.8 * Alike(N, M)
1: Same(A, +B) <= |B| / 2 {B: Alike(A, B)}
1: Same(A, +B) >= 1 {B: !Alike(A, B) | Alike(B, 'n1')}
1: Alike('n1', 'n3') & Name(A, 'n1') -> Same(A, 'n1')
`

// nearness is a function of numbered names: 1 for equal ones, 0 for those further apart than 3.
func nearness(args ...string) float64 {
	a, _ := strconv.Atoi(args[0][1:])
	b, _ := strconv.Atoi(args[1][1:])
	return max(0, 1-math.Abs(float64(a-b))/4)
}

// functionFixture has 8 entities, named n0 … n4 by twos and threes, all pairs of which are targets; their own names are
// n0 … n7. Alike is f, or the table of its values if f is nil.
func functionFixture(t testing.TB, rules string, f func(args ...string) float64) *fixture {
	b := newBuilder()
	var names, pairs, table []data
	for i := range 8 {
		names = append(names, observed("n"+strconv.Itoa(i)+" n"+strconv.Itoa(i*i%5), 1))
		for j := range 8 {
			args := "n" + strconv.Itoa(i) + " n" + strconv.Itoa(j)
			pairs = append(pairs, target(args))
			table = append(table, observed(args, float64(float32(nearness(strings.Fields(args)...)))))
		}
	}
	b.add("Name", 2, false, names...)
	b.add("Same", 2, true, pairs...)
	if f == nil {
		b.add("Alike", 2, false, table...)
	} else {
		b.add("Alike", 2, false)
		b.predicates[2].Functional = true
		b.store.Relations[2].Function = f
	}
	return b.rules(t, rules)
}

// groundRules grounds and lists the ground rules in alphabetical order.
func groundRules(t testing.TB, f *fixture, threads int) []string {
	return slices.Sorted(strings.Lines(f.text(t, Options{Threads: threads}, 0)))
}

// TestFunctionIsATable grounds one program with a function and with the table of the function's values.
func TestFunctionIsATable(t *testing.T) {
	var calls atomic.Int64
	counted := func(args ...string) float64 {
		calls.Add(1)
		return nearness(args...)
	}
	want := groundRules(t, functionFixture(t, functionRules, nil), 1)
	got := groundRules(t, functionFixture(t, functionRules, counted), 1)
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 100 {
		t.Errorf("(-table +function):\n%s", diff)
	}
	if calls.Load() > 64 {
		t.Errorf("%d calls for 64 pairs", calls.Load())
	}
	if diff := cmp.Diff(got, groundRules(t, functionFixture(t, functionRules, nearness), 4)); diff != "" {
		t.Errorf("(-one thread +four):\n%s", diff)
	}
}

// TestFunctionInDerivation derives pairs that a function finds alike, and their number.
func TestFunctionInDerivation(t *testing.T) {
	f := functionFixture(t, "", nearness)
	f.store.Relations = append(f.store.Relations, relation.NewBuilder("Pair", 2).Relation(false))
	b := &builder{store: f.store, predicates: append(f.program.Predicates,
		&program.Predicate{Name: "Pair", Types: make([]program.Type, 2), Closed: true})}
	rule := b.definition(t, "Pair(A, B) <- Name(A, N) & Name(B, M) & Alike(N, M) & (A != B)")
	columns, _, err := Derive(context.Background(), f.store, rule, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	// The names' numbers are 0 1 4 4 1 0 1 4: of the 56 pairs, those of a 0 with a 4 are further apart than 3.
	if len(columns[0]) != 56-2*2*3 {
		t.Errorf("%d pairs", len(columns[0]))
	}
	f.store.Relations[2].Function = func(...string) float64 { return 2 }
	_, _, err = Derive(context.Background(), f.store, rule, Options{Threads: 1})
	if err == nil || !strings.Contains(err.Error(), "function-value") {
		t.Errorf("got %v", err)
	}
}

// TestFunctionValues gives what is no number in [0, 1]; rounding may pass.
func TestFunctionValues(t *testing.T) {
	for _, value := range []float64{math.NaN(), -0.1, 1.1, math.Inf(1)} {
		f := functionFixture(t, "1: Name(A, N) & Name(B, M) & Alike(N, M) -> Same(A, B)",
			func(...string) float64 { return value })
		_, _, err := f.ground(Options{})
		if err == nil || !strings.Contains(err.Error(), "a value is no number in [0, 1], such as that of Alike('n0', 'n0')") {
			t.Errorf("%g: got %v", value, err)
		}
	}
	f := functionFixture(t, functionRules, func(...string) float64 { return 1 + 1e-12 })
	groundRules(t, f, 1)
}

package conflict

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// contradict tells whether constraints of a field cannot hold together.
func contradict(t *testing.T, field *mrf.Field, places []int) bool {
	t.Helper()
	f := mrf.NewField(field.Model.Only(places))
	f.SetWeights(field.Weights())
	f.SetInputs(field.Inputs())
	result, err := newton.New(f, solve.Settings{}).Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result.Status == solve.Infeasible
}

// checkMinimal checks that places contradict each other, and that no one can be left out.
func checkMinimal(t *testing.T, field *mrf.Field, places []int) {
	t.Helper()
	if !contradict(t, field, places) {
		t.Errorf("%v do not contradict each other", places)
	}
	for k := range places {
		if rest := slices.Concat(places[:k], places[k+1:]); len(rest) > 0 && contradict(t, field, rest) {
			t.Errorf("%v is not minimal: %v will do", places, rest)
		}
	}
}

// TestFew has a hundred variables of at least 0.8, whose sum is to be at most 5: seven of them are too many. A weighted
// potential is in between, and what is named is a part of what was given.
func TestFew(t *testing.T) {
	const n = 100
	b := mrftest.New(n, 0, 3).Rule(0, mrf.LessEqual, 0)
	var all []mrftest.Term
	for i := range n {
		b.Add(0.8, []mrftest.Term{{Index: i, Coef: -1}}, nil)
		all = append(all, mrftest.Term{Index: i, Coef: 1})
	}
	field := mrf.NewField(b.Rule(1, mrf.Hinge, 2).Add(-0.5, all, nil).Rule(2, mrf.LessEqual, 0).Add(-5, all, nil).Model())
	field.SetWeights([]float64{1, 1, 1})
	places := []int{n + 1}
	for i := range n {
		places = append(places, i)
	}
	slices.Sort(places)
	got := Minimal(context.Background(), field, places, solve.Settings{})
	if len(got) != 8 || got[7] != n+1 {
		t.Errorf("%v", got)
	}
	checkMinimal(t, field, got)
}

// TestMinimal checks random systems of sums, with inputs.
func TestMinimal(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := mrftest.New(6, 1, 1)
		var places []int
		for k := range 12 {
			b.Rule(0, []mrf.Kind{mrf.LessEqual, mrf.Equal}[random.IntN(2)], 0)
			other := mrftest.Term{Index: (k + 1 + random.IntN(5)) % 6, Coef: 1 - 2*float64(random.IntN(2))}
			b.Add(1-2*random.Float64(), []mrftest.Term{{Index: k % 6, Coef: 1}, other},
				[]mrftest.Term{{Index: 0, Coef: random.Float64()}})
			places = append(places, k)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{1})
		field.SetInputs([]float64{0.5})
		got := Minimal(context.Background(), field, places, solve.Settings{})
		if !contradict(t, field, places) {
			if !slices.Equal(got, places) {
				t.Errorf("seed %d: %v of what can hold together", seed, got)
			}
			continue
		}
		found++
		checkMinimal(t, field, got)
	}
	if found < 10 {
		t.Errorf("only %d contradictions", found)
	}
}

// TestChain has implications in a row among others that lead nowhere, and two constraints apart; propagation
// proves it, and also that no link can be left out.
func TestChain(t *testing.T) {
	const n = 400
	b := mrftest.New(2*n+1, 0, 1).Rule(0, mrf.LessEqual, 0)
	imply := func(i, k int) { b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: k, Coef: -1}}, nil) }
	var want, all []int
	for i := range n - 1 {
		want = append(want, 2*i)
		imply(i, i+1)
		imply(i, n+i)
	}
	b.Add(1, []mrftest.Term{{Index: 0, Coef: -1}}, nil).Add(0, []mrftest.Term{{Index: n - 1, Coef: 1}}, nil)
	b.Add(0.7, []mrftest.Term{{Index: 2 * n, Coef: -1}}, nil).Add(-0.8, []mrftest.Term{{Index: 2 * n, Coef: 1}}, nil)
	want = append(want, 2*n-2, 2*n-1)
	for place := range 2*n + 2 {
		all = append(all, place)
	}
	field := mrf.NewField(b.Model())
	if got := Minimal(context.Background(), field, all, solve.Settings{}); !slices.Equal(got, want) {
		t.Errorf("%d constraints: %v", len(got), got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := Minimal(ctx, field, all, solve.Settings{}); len(got) != 2*n {
		t.Errorf("%d constraints share variables with the first one, want %d", len(got), 2*n)
	}
}

// TestEnded checks that a context that has ended leaves everything as it was.
func TestEnded(t *testing.T) {
	one := []mrftest.Term{{Index: 0, Coef: 1}}
	field := mrf.NewField(mrftest.New(1, 0, 1).Rule(0, mrf.Equal, 0).Add(0, one, nil).Add(-1, one, nil).
		Add(-0.5, one, nil).Model())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := Minimal(ctx, field, []int{0, 1, 2}, solve.Settings{}); len(got) != 3 {
		t.Errorf("%v", got)
	}
	if got := Minimal(context.Background(), field, []int{0, 1, 2}, solve.Settings{}); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

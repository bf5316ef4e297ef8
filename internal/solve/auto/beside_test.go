package auto

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// problems are some that the interior point method solves: without factors, and with them.
func problems() map[string]*mrf.Field {
	return map[string]*mrf.Field{
		"cover": mrftest.Cover{Variables: 2000, Terms: 6, Times: 1, Cost: (*rand.Rand).Float64}.Field(),
		"sizes": mrftest.Cover{Variables: 1500, Terms: 5, Times: 1,
			Cost: func(rng *rand.Rand) float64 { return math.Pow(10, 6*rng.Float64()-3) }}.Field(),
		"chain": straight(3000),
	}
}

// straight is a chain of values that are each the mean of their neighbours, as equations, and are pulled to guesses.
func straight(n int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 1))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Equal, 0)
	for i := range n - 2 {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: i + 1, Coef: -2}, {Index: i + 2, Coef: 1}}, nil)
	}
	b.Rule(1, mrf.Absolute, 1)
	for i := range n {
		b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	return mrftest.Field(b.Model(), []float64{0, 1}, nil)
}

// Answers, what is said of them and the steps that are shown have the same bits with a thread for each method, the
// first time and after a change of weights.
func TestBesideIsAsAlone(t *testing.T) {
	for name, field := range problems() {
		t.Run(name, func(t *testing.T) {
			weights := slices.Clone(field.Weights())
			var alone []any
			for _, threads := range []int{1, 2, 3} {
				field.SetWeights(weights)
				var seen []any
				h := newHybrid(field, solve.Settings{Threads: threads, Trace: func(it solve.Iteration) {
					seen = append(seen, [3]float64{float64(it.Number), it.Gap, it.Violation})
				}})
				for range 2 {
					r, err := h.Solve(t.Context())
					if err != nil || r.Status != solve.Optimal || r.Method != "interior" {
						t.Fatalf("%d threads: %v by %q, %v", threads, r.Status, r.Method, err)
					}
					seen = append(seen, slices.Clone(r.Y), slices.Clone(r.Multipliers), r.Iterations, r.Reason, r.Certificate)
					field.SetWeights([]float64{2 * weights[0], 3 * weights[1]})
				}
				switch {
				case threads > 1 && h.twin == nil:
					t.Errorf("%d threads: one had nothing to do", threads)
				case threads > 1 && !reflect.DeepEqual(seen, alone):
					t.Errorf("%d threads: other answers or steps than alone", threads)
				case h.beside != nil || field.Threads != threads:
					t.Errorf("%d threads: %d are left", threads, field.Threads)
				}
				alone = seen
			}
		})
	}
}

// What is asked for otherwise than was foreseen is done anew, and what was not asked for leaves no trace.
func TestBesideElsewhere(t *testing.T) {
	for name, field := range problems() {
		solver := interior.New(field, solve.Settings{Threads: 1})
		cost := solver.Cost()
		begin := func() *hybrid {
			h := newHybrid(field, solve.Settings{Threads: 2})
			h.tries = tries{budget: h.first(cost)}
			h.workBeside(t.Context(), time.Now())
			h.analyse()
			return h
		}
		want, left := solver.Try(t.Context(), begin().budget)
		h := begin()
		if got, ahead := h.attempt(t.Context(), time.Now(), h.budget); ahead != left || !same(got, want) {
			t.Errorf("%s: a try leaves %v, alone %v", name, ahead, left)
		}
		h.endBeside()
		solver.Forget()
		want, _ = solver.Solve(t.Context())
		h = begin()
		if got, err := h.conclude(t.Context(), time.Now()); err != nil || !same(got, want) {
			t.Errorf("%s: %v is another answer than alone", name, got.Status)
		}
		h.endBeside()
	}
}

// same tells whether two results are the same answer, or none.
func same(a, b *solve.Result) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Status == b.Status && a.Iterations == b.Iterations && slices.Equal(a.Y, b.Y) &&
		slices.Equal(a.Multipliers, b.Multipliers)
}

// A panic beside is one of whoever waits for what it was about.
func TestBesidePanics(t *testing.T) {
	h := newHybrid(straight(100), solve.Settings{Threads: 2})
	b := &beside{cancel: func() {}, analysed: make(chan struct{}), ended: make(chan struct{})}
	go b.work(context.Background(), nil, h.settings, nil, nil)
	defer func() {
		if recover() == nil {
			t.Error("nobody was told")
		}
	}()
	b.await(b.analysed)
}

// What the other method takes is told as it is, also if the context ends while it is found out.
func TestBesideCostsWhatItCosts(t *testing.T) {
	field := straight(3000)
	want := interior.New(field, solve.Settings{Threads: 1}).Cost()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := newHybrid(field, solve.Settings{Threads: 2})
	h.workBeside(ctx, time.Now())
	h.analyse()
	h.endBeside()
	if h.cost != want {
		t.Errorf("%+v, want %+v", h.cost, want)
	}
}

package interior_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// What links variables at random fills a factor, so that conjugate gradients begin: sums to the end, orders until a
// factorisation is less work, and packings until a basis is the better preconditioner. Threads must not matter.
func TestGraphsThatFill(t *testing.T) {
	for name, field := range map[string]*mrf.Field{"sums": randomSums(fillers), "orders": randomOrders(),
		"packings": randomPackings()} {
		var first *solve.Result
		for _, threads := range []int{1, 3} {
			r, err := interior.New(field, solve.Settings{Gap: 1e-6, Threads: threads}).Solve(t.Context())
			if err != nil || r.Status != solve.Optimal {
				t.Fatalf("%s: %v, %+v, %v", name, r.Status, r.Certificate, err)
			}
			if first == nil {
				first = r
			} else if !slices.Equal(first.Y, r.Y) {
				t.Errorf("%s: threads change bits", name)
			}
		}
	}
}

// fillers is the number of variables of the models below.
const fillers = 1500

// randomSums are as many sums of six variables each as there are variables, which are to reach 1, and costs.
func randomSums(n int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 2))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
	for range n {
		var row []mrftest.Term
		for k, i := range rng.Perm(n)[:6] {
			row = append(row, mrftest.Term{Index: i, Coef: -float64(1 + k%2)})
		}
		b.Add(1, row, nil)
	}
	return withGuesses(b, rng, n, 0.1)
}

// randomOrders are a path along which values do not fall, and links between any two along which they do not either.
func randomOrders() *mrf.Field {
	return randomLinks(fillers, 1, 0, -1)
}

// randomPackings are more such links, of which both ends are 1 together at most.
func randomPackings() *mrf.Field { return randomLinks(2*fillers, 3, -1, 1) }

// randomLinks are a path of n variables, and so many links of each to any other, each with a hard rule about its ends.
func randomLinks(n, links int, constant, second float64) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 2))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
	for i := range n - 2 {
		for l := range links + 1 {
			k := i + 1
			if l > 0 {
				k += 1 + rng.IntN(n-k-1)
			}
			b.Add(constant, []mrftest.Term{{Index: i, Coef: 1}, {Index: k, Coef: second}}, nil)
		}
	}
	return withGuesses(b, rng, n, 1)
}

// withGuesses adds what the values are guessed to be, at most so much.
func withGuesses(b *mrftest.Builder, rng *rand.Rand, n int, most float64) *mrf.Field {
	b.Rule(1, mrf.Absolute, 1)
	for i := range n {
		b.Add(-most*rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 1})
	return field
}

// What is tried for a little work at a time, until factorisations are less, ends as what is solved at once, if not by
// the same steps: the one in which a try ends is taken again.
func TestTry(t *testing.T) {
	field, settings := randomSums(fillers/3), solve.Settings{Gap: 1e-11, Threads: 1}
	whole, err := interior.New(field, settings).Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := interior.New(field, settings)
	step, left, tries := s.Cost().Early/50, 0.0, 0
	for ; !math.IsInf(left, 1) && tries < 1000; tries++ {
		var r *solve.Result
		if r, left = s.Try(t.Context(), float64(tries+1)*step); r != nil || !(left > 0) {
			t.Fatalf("%v with %v left, though factorisations are less work", r, left)
		}
	}
	r, err := s.Solve(t.Context())
	if err != nil || r.Status != solve.Optimal || r.Iterations != whole.Iterations || tries < 3 ||
		math.Abs(r.Objective-whole.Objective) > 1e-9 {
		t.Errorf("%v, %d tries and %d steps to %v, not %d to %v; %v", r.Status, tries, r.Iterations, r.Objective,
			whole.Iterations, whole.Objective, err)
	}
}

// Random sums, whose factors fill, are solved without any: a basis of theirs does at a part of the work.
func TestRandomSumsNeedNoFactor(t *testing.T) {
	s := interior.New(randomSums(fillers), solve.Settings{Gap: 1e-6, Threads: 1})
	if r, _ := s.Try(t.Context(), 10*s.Cost().Early); r == nil || r.Status != solve.Optimal {
		t.Error("no proof without factorisations")
	}
}

// They are, too, beside components that are not small, but a little of all.
func TestComponentsBesideWhatFills(t *testing.T) {
	const length, beside = 60, 2
	rng := rand.New(rand.NewPCG(1, 2))
	b := mrftest.New(fillers+beside*length, 0, 2).Rule(0, mrf.LessEqual, 0)
	for range fillers {
		var row []mrftest.Term
		for k, i := range rng.Perm(fillers)[:6] {
			row = append(row, mrftest.Term{Index: i, Coef: -float64(1 + k%2)})
		}
		b.Add(1, row, nil)
	}
	for i := fillers; i < fillers+beside*length; i++ {
		if (i-fillers)%length > 0 {
			b.Add(-0.9, []mrftest.Term{{Index: i - 1, Coef: 1}, {Index: i, Coef: 1}}, nil)
		}
	}
	s := interior.New(withGuesses(b, rng, fillers+beside*length, 0.1), solve.Settings{Gap: 1e-6, Threads: 1})
	if r, _ := s.Try(t.Context(), 10*s.Cost().Early); r == nil || r.Status != solve.Optimal {
		t.Error("no proof without factorisations")
	}
}

// A try that ends without a proof says so: more of it, which would end at once, is asked for no more.
func TestTryInVain(t *testing.T) {
	s := interior.New(randomSums(fillers), solve.Settings{Gap: 1e-6, Threads: 1, MaxIterations: 3})
	for range 2 {
		if r, left := s.Try(t.Context(), 10*s.Cost().Early); r != nil || !math.IsInf(left, 1) {
			t.Fatalf("%v with %v left of a try that has ended", r, left)
		}
	}
}

// Slacks take what products with the diagonal leave of rows. Where equations had to hold, a quarter less work would
// not do.
func TestSlacksTakeWhatIsLeft(t *testing.T) {
	cover := mrftest.Cover{Variables: 8000, Terms: 5, Times: 1,
		Cost: func(rng *rand.Rand) float64 { return 0.2 + rng.Float64() }}
	s := interior.New(cover.Field(), solve.Settings{Gap: 1e-6, Threads: 1})
	if r, left := s.Try(t.Context(), 4e8); r == nil || r.Status != solve.Optimal {
		t.Fatalf("%v is left of the work", left)
	}
}

// What is paused does not go on without time: to one who asks again as long as little is left, it is over.
func TestTryWithoutTime(t *testing.T) {
	s := interior.New(randomSums(fillers), solve.Settings{Gap: 1e-6, Threads: 1})
	step := s.Cost().Early / 50
	if r, left := s.Try(t.Context(), step); r != nil || math.IsInf(left, 1) {
		t.Fatalf("%v with %v left of a paused try", r, left)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, left := s.Try(ctx, 2*step); r != nil || !math.IsInf(left, 1) {
		t.Errorf("%v with %v left after the end", r, left)
	}
	s.Within(1)
	if r, left := s.Try(t.Context(), 2*step); r != nil || !math.IsInf(left, 1) {
		t.Errorf("%v with %v left after the limit of time", r, left)
	}
}

// Where steps take many products, the end of a context, and of time, is noticed between two of them, and the best point
// is the answer. What asks hears of each step meanwhile.
func TestEndsBetweenProducts(t *testing.T) {
	var told []solve.Iteration
	s := interior.New(randomSums(fillers), solve.Settings{Gap: 1e-6, Threads: 1,
		Trace: func(it solve.Iteration) { told = append(told, it) }})
	ctx, asked := contexttest.Counting()
	whole, err := s.Solve(ctx)
	if err != nil || whole.Status != solve.Optimal {
		t.Fatal(whole.Status, err)
	}
	if asked() < 10*int64(whole.Iterations) {
		t.Fatalf("asked %d times in %d steps", asked(), whole.Iterations)
	}
	if first, last := told[0], told[len(told)-1]; len(told) <= whole.Iterations || !(last.Gap <= 1e-6) ||
		!(first.Gap > last.Gap) || !math.IsNaN(first.Objective) {
		t.Errorf("told of %d of %d steps, %+v and %+v", len(told), whole.Iterations, first, last)
	}
	for part := range int64(8) {
		s := interior.New(randomSums(fillers), solve.Settings{Gap: 1e-6, Threads: 1})
		r, err := s.Solve(contexttest.Countdown(asked() * part / 8))
		if err != nil || r.Status != solve.Cancelled || !(r.Objective >= whole.DualBound) ||
			!(r.DualBound <= whole.Objective) {
			t.Errorf("ended after %d of 8 parts: %v, %+v, %v", part, r.Status, r.Certificate, err)
		}
	}
}

// Values that are held where a limit of great weight begins are basic in what the last steps do without factors: what
// these leave of their equations must not come to be multipliers of the limits, which are a part of the proof.
func TestLimitsOfAllWeights(t *testing.T) {
	for seed := range uint64(3) {
		const n, length = 2400, 4
		rng := rand.New(rand.NewPCG(seed, 6))
		b := mrftest.New(n, 0, 4).Rule(0, mrf.LessEqual, 0)
		for range n {
			var row []mrftest.Term
			for _, i := range rng.Perm(n)[:length] {
				row = append(row, mrftest.Term{Index: i, Coef: -1})
			}
			b.Add(1, row, nil)
		}
		b.Rule(1, mrf.Hinge, 1)
		for i := 0; i < n; i += 5 {
			b.Add(-0.5, []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		b.Rule(2, mrf.Linear, 1)
		for i := 1; i < n; i += 5 {
			b.Add(0, []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		b.Rule(3, mrf.Linear, 1)
		for i := range n {
			b.Add(0, []mrftest.Term{{Index: i, Coef: math.Pow(10, -4*rng.Float64())}}, nil)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{0, 1e6, 1e-6, 1})
		r, err := interior.New(field, solve.Settings{Gap: 1e-6, Threads: 1}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || r.Iterations > 40 {
			t.Errorf("seed %d: %v after %d steps, %+v, %v", seed, r.Status, r.Iterations, r.Certificate, err)
		}
	}
}

// A square that holds at its bound gives way by its weight, and not by its slack: what is left of its equation, as much
// as its weight allows, must not come to be its slack, which would end all steps.
func TestSquaresAtTheirBounds(t *testing.T) {
	for seed := range uint64(3) {
		const n, length = 1200, 4
		rng := rand.New(rand.NewPCG(seed, 6))
		b := mrftest.New(n, 0, 3)
		sums := func(constant, sign float64) {
			for range n / 2 {
				var row []mrftest.Term
				for _, i := range rng.Perm(n)[:length] {
					row = append(row, mrftest.Term{Index: i, Coef: sign})
				}
				b.Add(constant, row, nil)
			}
		}
		b.Rule(0, mrf.Hinge, 2)
		sums(1.5, -1)
		b.Rule(1, mrf.Hinge, 1)
		sums(-2, 1)
		b.Rule(2, mrf.Absolute, 1)
		for i := range n {
			b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{1, 1000, 1})
		r, err := interior.New(field, solve.Settings{Gap: 1e-6, Threads: 1}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || r.Iterations > 40 {
			t.Errorf("seed %d: %v after %d steps, %+v, %v", seed, r.Status, r.Iterations, r.Certificate, err)
		}
	}
}

// Values of states that are at least what any of three actions comes to have three times as many rows as variables: by
// variables conjugate gradients end with some tens of products a solution, where by rows they take ten times as many,
// and give up.
func TestRowsOutnumberVariables(t *testing.T) {
	s := interior.New(randomDecisions(3000), solve.Settings{Gap: 1e-6, Threads: 1})
	r, left := s.Try(t.Context(), 3*s.Cost().Early)
	if r == nil || r.Status != solve.Optimal {
		t.Fatalf("not solved without factorisations; %v is left of the work", left)
	}
	again, err := interior.New(randomDecisions(3000), solve.Settings{Gap: 1e-6, Threads: 3}).Solve(t.Context())
	if err != nil || !slices.Equal(r.Y, again.Y) {
		t.Errorf("threads change bits, or an error: %v", err)
	}
}

// randomDecisions are values of states, each at least 0.95 times the mean of those of three others and a reward, for
// each of three actions, that are to be small.
func randomDecisions(states int) *mrf.Field {
	rng := rand.New(rand.NewPCG(3, 4))
	b := mrftest.New(states, 0, 2).Rule(0, mrf.LessEqual, 0)
	for range 3 {
		for i := range states {
			row := []mrftest.Term{{Index: i, Coef: -1}}
			for _, j := range rng.Perm(states)[:4] {
				if j != i && len(row) < 4 {
					row = append(row, mrftest.Term{Index: j, Coef: 0.95 / 3})
				}
			}
			b.Add(0.1*rng.Float64()-0.045, row, nil)
		}
	}
	b.Rule(1, mrf.Linear, 1)
	for i := range states {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 1})
	return field
}

// Of sums of eight variables at random, with coefficients at random, which are to reach 1, the columns of greatest
// weight fill as a basis, and depend on others: it is chosen from fewer of them, and only where the diagonal takes
// hundreds of products.
func TestBasesThatAreDear(t *testing.T) {
	const rows, n, length = 5000, 10000, 8
	rng := rand.New(rand.NewPCG(1, 5008))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
	for range rows {
		var row []mrftest.Term
		for _, i := range rng.Perm(n)[:length] {
			row = append(row, mrftest.Term{Index: i, Coef: -0.2 - 2*rng.Float64()})
		}
		b.Add(1, row, nil)
	}
	b.Rule(1, mrf.Linear, 1)
	for i := range n {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 0.05 + rng.Float64()}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 1})
	s := interior.New(field, solve.Settings{Gap: 1e-6, Threads: 1})
	if r, left := s.Try(t.Context(), 10*s.Cost().Early); r == nil || r.Status != solve.Optimal {
		t.Fatalf("not solved without factorisations; %v is left of the work", left)
	}
}

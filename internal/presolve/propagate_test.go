package presolve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/presolve"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// chain has n implications in any order, from a variable that is at least the given value to one that is at most 0.
func chain(n int, least float64) *mrf.Field {
	b := mrftest.New(n+1, 0, 3).Rule(0, mrf.LessEqual, 0)
	for _, i := range rand.New(rand.NewPCG(7, uint64(n))).Perm(n) {
		b.Add(0, two(i, 1, i+1, -1), nil)
	}
	b.Rule(1, mrf.LessEqual, 0).Add(least, one(0, -1), nil).Rule(2, mrf.Equal, 0).Add(0, one(n, 1), nil)
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 1, 1})
	return field
}

// A chain contradicts itself end to end. Every link may give way by what is accepted, but not all together by more than
// ten times that.
func TestContradictionOfAChain(t *testing.T) {
	const n = 3000
	field := chain(n, 0.75)
	c, _ := presolve.Examine(field, 1e-6, nil)
	if c == nil {
		t.Fatal("no contradiction")
	}
	if places := c.Places(); len(places) != n+2 || math.Abs(c.Violation-0.75/(n+2)) > 1e-12 {
		t.Errorf("%d constraints, violated by %v", len(places), c.Violation)
	}
	checkRay(t, field, c)
	if c, _ := presolve.Examine(field, 1e-3, nil); c == nil || math.Abs(c.Total-0.75) > 1e-12 {
		t.Errorf("violated by %+v together, of which 1e-2 would be accepted", c)
	}
	if c, _ := presolve.Examine(field, 0.1, nil); c != nil {
		t.Errorf("violated by %v, and by %v together, of which 0.1 and 1 would be accepted", c.Violation, c.Total)
	}
	if r, c, _ := presolve.Reduce(field, 1e-6, nil); r != nil || c == nil {
		t.Errorf("reduced to %v, contradiction %v", r, c)
	}
}

// Values that must grow along a chain, by a thousandth from one to the next, outgrow the box: T(B) >= 1.001 T(A).
func TestContradictionOfGrowth(t *testing.T) {
	const n = 3000
	b := mrftest.New(n+1, 0, 2).Rule(0, mrf.LessEqual, 0)
	for _, i := range rand.New(rand.NewPCG(7, n)).Perm(n) {
		b.Add(0, two(i, 1.001, i+1, -1), nil)
	}
	for _, first := range []float64{0.04, 0.1} {
		m := *b.Model()
		m.Blocks = append(slices.Clone(m.Blocks), mrftest.New(n+1, 0, 2).Rule(1, mrf.LessEqual, 0).
			Add(first, one(0, -1), nil).Model().Blocks...)
		field := mrf.NewField(&m)
		c, _ := presolve.Examine(field, 1e-6, nil)
		if contradicts := first*math.Pow(1.001, n) > 1; (c != nil) != contradicts {
			t.Fatalf("from %v on: contradiction %v", first, c)
		}
		if c != nil {
			checkRay(t, field, c)
		}
	}
}

// A chain of any order whose first variable is true is true to its end, and what is left of it is nothing.
func TestChainsAreDecided(t *testing.T) {
	const n = 10_000
	b := mrftest.New(n+1, 0, 2).Rule(0, mrf.LessEqual, 0)
	for _, i := range rand.New(rand.NewPCG(7, n)).Perm(n) {
		b.Add(0, two(i, 1, i+1, -1), nil)
	}
	b.Rule(0, mrf.LessEqual, 0).Add(1, one(0, -1), nil).Rule(1, mrf.Hinge, 2).Add(0, two(0, 1, n, 1), nil)
	r, c, _ := presolve.Reduce(mrf.NewField(b.Model()), 1e-6, nil)
	if c != nil || r == nil || r.Fixed != n+1 || r.Dropped != n+2 {
		t.Errorf("%+v, %v", r, c)
	}
}

// checkRay recomputes what multipliers prove: scaled by s, they are a dual bound of s, but for a few soft rules.
func checkRay(t interface{ Errorf(string, ...any) }, field *mrf.Field, c *presolve.Contradiction) {
	r, length := slices.Clone(c.Multipliers), 0.0
	for j := range r {
		length += math.Abs(r[j])
		r[j] *= 1e6
	}
	got := solve.Certify(field, c.Point, r)
	if math.Abs(got.DualBound-1e6) > 100 || math.Abs(c.Violation*length-1) > 1e-9 {
		t.Errorf("bound %v, violation %v, length %v", got.DualBound, c.Violation, length)
	}
}

// hardModel draws constraints whose numbers are tenths and whose coefficients are small, so that bounds meet and
// contradict each other often, and soft rules in between. They may be infeasible.
func hardModel(t *rapid.T, shared bool) *mrf.Field {
	n := rapid.IntRange(2, 6).Draw(t, "variables")
	b := mrftest.New(n, 0, 3)
	coef := rapid.SampledFrom([]float64{1, -1, 1, -1, 2, -0.5})
	terms := func(most int) []term {
		vars := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, min(most, n), rapid.ID).Draw(t, "variables of a row")
		row := make([]term, len(vars))
		for k, i := range vars {
			row[k] = term{Index: i, Coef: coef.Draw(t, "coefficient")}
		}
		return row
	}
	add := func(rule int, kind mrf.Kind, exponent, most int) {
		b.Rule(rule, kind, exponent).Add(float64(rapid.IntRange(-12, 8).Draw(t, "tenths"))/10, terms(most), nil)
	}
	for range rapid.IntRange(2, 8).Draw(t, "constraints") {
		add(0, rapid.SampledFrom([]mrf.Kind{mrf.LessEqual, mrf.LessEqual, mrf.Equal}).Draw(t, "kind"), 0, 3)
		if shared && rapid.Bool().Draw(t, "tie") {
			i := rapid.IntRange(1, n-1).Draw(t, "tied")
			b.Rule(0, mrf.Equal, 0).Add(0, two(i, 1, i-1, -1), nil)
		}
	}
	for range rapid.IntRange(1, 5).Draw(t, "potentials") {
		add(1, mrf.Hinge, 2, 3)
		add(2, rapid.SampledFrom([]mrf.Kind{mrf.Hinge, mrf.Absolute, mrf.Linear}).Draw(t, "kind"), 1, 2)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 2, 0.7})
	return field
}

// What presolving says of random hard rules is what the solver says without it: the optimum, or that there is none; and
// the constraints that it names contradict each other by themselves.
func TestHardRulesKeepTheirOptimum(t *testing.T) {
	settings := solve.Settings{Gap: 1e-7, Feasibility: 2e-7, MaxIterations: 20000}
	rapid.Check(t, func(t *rapid.T) {
		field := hardModel(t, true)
		want := solved(t, field, settings)
		field.Threads = 1
		r, c, _ := presolve.Reduce(field, 1e-6, nil)
		field.Threads = 2
		r2, _, _ := presolve.Reduce(field, 1e-6, nil)
		if (r == nil) != (r2 == nil) || r != nil && r.Counts != r2.Counts {
			t.Errorf("one thread %v, two %v", r, r2)
		}
		switch {
		case c != nil:
			checkRay(t, field, c)
			part := mrf.NewField(field.Model.Only(c.Places()))
			part.SetWeights(field.Weights())
			if alone := solved(t, part, settings); want.Status != solve.Infeasible || alone.Status != solve.Infeasible {
				t.Errorf("the solver says %v, and %v of the conflict", want.Status, alone.Status)
			}
		case r != nil && want.Status == solve.Optimal:
			checkRestored(t, field, r, solved(t, r.Field, settings), want)
		case r != nil:
			small := solved(t, r.Field, settings)
			if small.Status != want.Status {
				t.Errorf("%v, without presolving %v", small.Status, want.Status)
			}
			if small.Status == solve.Infeasible {
				if c := r.Contradiction(small.Y, small.Multipliers); c != nil {
					checkRay(t, field, c)
				}
			}
		}
	})
}

func solved(t *rapid.T, field *mrf.Field, settings solve.Settings) *solve.Result {
	result, err := newton.New(field, settings).Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// checkRestored compares the optimum of a reduction, put back into the original, with the original's.
func checkRestored(t *rapid.T, field *mrf.Field, r *presolve.Reduction, small, want *solve.Result) {
	y, mu := r.Restore(small.Y, small.Multipliers)
	got := solve.Certify(field, y, mu)
	if small.Status != solve.Optimal || math.Abs(got.Objective-want.Objective) > 1e-5*max(1, math.Abs(want.Objective)) {
		t.Errorf("%v, objective %v restored, %v without", small.Status, got.Objective, want.Objective)
	}
	if math.Abs(got.Gap) > 1e-5 || got.MaxViolation > 1e-6 {
		t.Errorf("restored: %+v\nreduced:  %+v", got, small.Certificate)
	}
}

// Bounds that come closer for ever, by less and less, end; so do those of sums, each of which narrows all others.
func TestPropagationEnds(t *testing.T) {
	cycle := mrftest.New(2, 0, 2).Rule(0, mrf.LessEqual, 0).Add(-1e-3, two(0, 1, 1, -0.999), nil).
		Add(-1e-3, two(1, 1, 0, -0.999), nil).Rule(1, mrf.Hinge, 1).Add(1, one(0, -1), nil).Model()
	rows := mrftest.New(300, 0, 1).Rule(0, mrf.LessEqual, 0)
	for i := range 300 {
		var sum []term
		for k := range 300 {
			sum = append(sum, term{Index: k, Coef: 1 + float64((i*k)%7)})
		}
		rows.Add(-1-float64(i), sum, nil)
	}
	for _, m := range []*mrf.Model{cycle, rows.Model()} {
		if c, _ := presolve.Examine(mrf.NewField(m), 1e-6, nil); c != nil {
			t.Errorf("contradiction of %d constraints", len(c.Places()))
		}
	}
}

// Bounds of means that have crossed each other part without end: not every one of them is looked at for a proof, which
// rounding has long made worthless.
func TestCrossedBoundsOfMeans(t *testing.T) {
	const width = 40
	b := mrftest.New(width*width, 0, 2).Rule(0, mrf.Equal, 0)
	at := func(x, y int) int { return y*width + x }
	for y := 1; y < width-1; y++ {
		for x := 1; x < width-1; x++ {
			b.Add(0, append(append(one(at(x, y), -1), two(at(x-1, y), 0.25, at(x+1, y), 0.25)...),
				two(at(x, y-1), 0.25, at(x, y+1), 0.25)...), nil)
		}
	}
	b.Rule(1, mrf.LessEqual, 0).Add(1, one(at(width/2, width/2), -1), nil)
	for k := range width {
		for _, i := range []int{at(k, 0), at(k, width-1), at(0, k), at(width-1, k)} {
			b.Add(-0.4, one(i, 1), nil)
		}
	}
	field := mrf.NewField(b.Model())
	allocations := testing.AllocsPerRun(1, func() { presolve.Examine(field, 1e-6, nil) })
	if allocations > 500 {
		t.Errorf("%v allocations", allocations)
	}
}

// Tasks wait for two others each, and all wish to begin early: that is decided, whatever the order of the constraints,
// with bounds of every size.
func TestTasksAreDecided(t *testing.T) {
	const n = 5000
	rng := rand.New(rand.NewPCG(1, 1))
	type wait struct {
		of, on int
		time   float64
	}
	var waits []wait
	for i := 40; i < n; i++ {
		for _, on := range []int{i - 1 - rng.IntN(20), i - 21 - rng.IntN(20)} {
			waits = append(waits, wait{i, on, 5 * rng.Float64() / n})
		}
	}
	rng.Shuffle(len(waits), func(i, j int) { waits[i], waits[j] = waits[j], waits[i] })
	b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
	for _, w := range waits {
		b.Add(w.time, two(w.on, 1, w.of, -1), nil)
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n {
		b.Add(-rng.Float64(), one(i, 1), nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 2})
	r, _, _ := presolve.Reduce(field, 1e-6, nil)
	if r == nil || r.Fixed != n {
		t.Fatalf("%+v, want %d fixed", r, n)
	}
	y, mu := r.Restore(make([]float64, n), make([]float64, r.Field.Model.Potentials()))
	if got := solve.Certify(field, y, mu); math.Abs(got.Gap) > 1e-9 || got.MaxViolation > 1e-9 {
		t.Errorf("%+v", got)
	}
}

// Nobody agrees where long sums hold each other down, as budgets within budgets do. To find that out by going through
// the sums of each variable anew would take minutes here.
func TestLongSums(t *testing.T) {
	const n = 1 << 17
	b := mrftest.New(n, 0, 2).Rule(0, mrf.LessEqual, 0)
	for size := n; size > 100; size /= 2 {
		for first := 0; first < n; first += size {
			var sum []term
			for i := range size {
				sum = append(sum, term{Index: first + i, Coef: 1})
			}
			b.Add(-0.4*float64(size), sum, nil)
		}
	}
	b.Rule(1, mrf.Hinge, 1)
	for i := range n {
		b.Add(0.5, one(i, -1), nil)
	}
	if r, c, _ := presolve.Reduce(mrf.NewField(b.Model()), 1e-6, nil); c != nil || r != nil {
		t.Errorf("%v, %v", r, c)
	}
}

// Whenever presolving is told to stop, it gives up or has made the whole reduction.
func TestStop(t *testing.T) {
	field := known(500)
	want, _, _ := presolve.Reduce(field, 1e-6, nil)
	asked := int64(0)
	for end := false; !end; asked++ {
		ctx := contexttest.Countdown(asked)
		got, _, _ := presolve.Reduce(field, 1e-6, func() bool { return ctx.Err() != nil })
		end = got != nil
		if end && got.Counts != want.Counts {
			t.Errorf("asked %d times: %+v, want %+v", asked, got.Counts, want.Counts)
		}
	}
	if asked < 10 || asked > 1000 {
		t.Errorf("asked %d times", asked)
	}
}

// BenchmarkExamine is of a long chain in any order.
func BenchmarkExamine(b *testing.B) {
	field := chain(100_000, 0.9)
	for b.Loop() {
		presolve.Examine(field, 1e-9, nil)
	}
}

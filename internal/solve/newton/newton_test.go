package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// solved solves a model and fails the test unless the answer is proven.
func solved(t testing.TB, s *Solver) *solve.Result {
	t.Helper()
	r, err := s.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solve.Optimal {
		t.Fatalf("%v: %+v", r.Status, r.Certificate)
	}
	return r
}

func TestCitationModels(t *testing.T) {
	for _, hard := range []bool{false, true} {
		for _, exponent := range []int{1, 2} {
			c := mrftest.Cora
			c.Documents, c.Links, c.Exponent, c.HardSum = 300, 600, exponent, hard
			solved(t, New(mrftest.Field(c.Model()), solve.Settings{}))
		}
	}
}

// BenchmarkSolveCora is a MAP inference of the size of the paper's T2, from nothing, and again after its inputs moved.
func BenchmarkSolveCora(b *testing.B) {
	for _, p := range []struct {
		name     string
		exponent int
		hard     bool
	}{{"squared", 2, false}, {"squared-hard", 2, true}, {"linear", 1, false}, {"linear-hard", 1, true}} {
		c := mrftest.Cora
		c.Exponent, c.HardSum = p.exponent, p.hard
		m, theta, x := c.Model()
		f := mrftest.Field(m, theta, x)
		other := make([]float64, len(x))
		for k, v := range x {
			other[k] = v * (1 + 0.02*float64(k%3-1))
		}
		b.Run(p.name+"/cold", func(b *testing.B) {
			for b.Loop() {
				f.SetInputs(x)
				solved(b, New(f, solve.Settings{}))
			}
		})
		b.Run(p.name+"/warm", func(b *testing.B) {
			s := New(f, solve.Settings{})
			for k := 0; b.Loop(); k++ {
				s.SetInputs([][]float64{x, other}[k%2])
				solved(b, s)
			}
		})
	}
}

func TestVariablesWithoutPotentialsKeepTheirStart(t *testing.T) {
	m := mrftest.New(3, 0, 2).Rule(0, mrf.Hinge, 2).Add(1, []mrftest.Term{{Index: 1, Coef: -1}}, nil).
		Rule(1, mrf.LessEqual, 0).Add(-1, []mrftest.Term{{Index: 1, Coef: 1}}, nil).Model()
	s := New(mrf.NewField(m), solve.Settings{})
	s.WarmStart([]float64{0.25, 0, 7}, nil)
	if y := solved(t, s).Y; y[0] != 0.25 || y[2] != 1 {
		t.Errorf("y = %v", y)
	}
}

func TestZeroWeights(t *testing.T) {
	c := mrftest.Cora
	c.Documents, c.Links = 20, 30
	for _, exponent := range []int{1, 2} {
		c.Exponent = exponent
		m, theta, x := c.Model()
		for _, k := range []int{0, 3, len(theta)} {
			clear(theta[:k])
			if r := solved(t, New(mrftest.Field(m, theta, x), solve.Settings{})); r.Objective < 0 {
				t.Errorf("objective %v", r.Objective)
			}
		}
	}
}

// Weights that overflow are a numerical error, and never an optimum; as long as they do not, they are only large.
func TestOverflow(t *testing.T) {
	y := []mrftest.Term{{Index: 0, Coef: 1}}
	for _, test := range []struct {
		second mrf.Kind
		theta  []float64
		want   solve.Status
	}{{mrf.Absolute, []float64{1e160, 1}, solve.Optimal},
		{mrf.Absolute, []float64{1e308, 1e308}, solve.NumericalError},
		{mrf.Linear, []float64{1e308, 1e308}, solve.NumericalError}} {
		m := mrftest.New(1, 0, 2).Rule(0, mrf.Absolute, 2).Add(-0.5, y, nil).Rule(1, test.second, 2).Add(0, y, nil).Model()
		r, err := New(mrftest.Field(m, test.theta, nil), solve.Settings{}).Solve(context.Background())
		if err != nil || r.Status != test.want {
			t.Errorf("%+v: %v, gap %v, %v", test, r.Status, r.Gap, err)
		}
	}
}

func TestTraceTellsOfEachIteration(t *testing.T) {
	c := mrftest.Cora
	c.Documents, c.Links = 50, 80
	for _, hard := range []bool{false, true} {
		c.HardSum = hard
		last := solve.Iteration{}
		s := New(mrftest.Field(c.Model()), solve.Settings{Trace: func(it solve.Iteration) {
			if it.Number < last.Number {
				t.Errorf("iteration %d after %d", it.Number, last.Number)
			}
			last = it
		}})
		if r := solved(t, s); last.Number != r.Iterations || r.Iterations == 0 {
			t.Errorf("%d iterations, the trace ends at %d", r.Iterations, last.Number)
		}
	}
}

func TestWarmStartLeavesTheLastAnswerAlone(t *testing.T) {
	c := mrftest.Cora
	c.Documents, c.Links = 20, 30
	s := New(mrftest.Field(c.Model()), solve.Settings{})
	r := solved(t, s)
	before := slices.Clone(r.Y)
	s.WarmStart(make([]float64, len(r.Y)), nil)
	if !slices.Equal(before, r.Y) {
		t.Error("the answer changed before the next Solve")
	}
}

// Where every point violates a constraint by just what is accepted, no certificate shows a gap: the outer iterations
// have to end though each inner solve is done at once.
func TestOuterIterationsEnd(t *testing.T) {
	model := mrftest.New(3, 0, 2).Rule(0, mrf.LessEqual, 0)
	for i := range 3 {
		model.Add(1e-6, []mrftest.Term{{Index: i, Coef: 0.3333}}, nil)
	}
	model.Rule(1, mrf.Linear, 1)
	for i := range 3 {
		model.Add(1, []mrftest.Term{{Index: i, Coef: -1}}, nil)
	}
	field := mrftest.Field(model.Model(), []float64{0, 1e-9}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got, err := New(field, solve.Settings{}).Solve(ctx)
	if err != nil || got.Status != solve.Stalled && got.Status != solve.Optimal {
		t.Errorf("%+v, %v", got, err)
	}
	calls := 0
	s := New(field, solve.Settings{})
	s.Limit(func(float64) bool { calls++; return calls < 5 })
	if _, err := s.Solve(ctx); err != nil || calls != 5 {
		t.Errorf("asked %d times whether to go on, want 5; %v", calls, err)
	}
}

// Along a valley that all but a tiny weight leaves flat, and the box cuts, steps must not be as small as that weight.
func TestValleys(t *testing.T) {
	model := mrftest.New(4, 0, 2).Rule(0, mrf.Linear, 1)
	for i := range 2 {
		model.Add(0, []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	model.Rule(1, mrf.Hinge, 2)
	for i := range 2 {
		model.Add(0.5, []mrftest.Term{{Index: i, Coef: -1}, {Index: 2 + i, Coef: -1}}, nil)
	}
	for _, small := range []float64{1e-5, 2e-9, 1e-14} {
		r := solved(t, New(mrftest.Field(model.Model(), []float64{small, 1}, nil), solve.Settings{Gap: 1e-9}))
		if r.Iterations > 10 {
			t.Errorf("%v: %d steps: %+v", small, r.Iterations, r.Certificate)
		}
	}
}

// Where the inner problems are solved to rounding before the outer ones are, no steps are wasted on the former.
func TestInnerTolerance(t *testing.T) {
	term := func(i int, a float64) mrftest.Term { return mrftest.Term{Index: i, Coef: a} }
	model := mrftest.New(12, 0, 4).Rule(0, mrf.Hinge, 1)
	model.Add(1, []mrftest.Term{term(1, -1), term(0, -1)}, nil).Add(1, []mrftest.Term{term(0, -1), term(2, -1)}, nil)
	model.Add(1e-6, []mrftest.Term{term(1, -1), term(2, -1)}, nil).Rule(1, mrf.Hinge, 1)
	for i := range 3 {
		model.Add(0, []mrftest.Term{term(3+4*i, 1), term(i, -1)}, nil)
	}
	model.Rule(2, mrf.Linear, 1)
	for i := range 3 {
		model.Add(0, []mrftest.Term{term(i, 1)}, nil)
	}
	model.Rule(3, mrf.Hinge, 2)
	for i := range 9 {
		model.Add(1, []mrftest.Term{term(3+i, -1)}, nil)
	}
	field := mrftest.Field(model.Model(), []float64{3.7, 2, 0.5, 0.1}, nil)
	for r, w := range field.Weights() {
		field.Weights()[r] = w / 3.7
	}
	if r := solved(t, New(field, solve.Settings{})); r.Iterations > 200 {
		t.Errorf("%d steps: %+v", r.Iterations, r.Certificate)
	}
}

// Near the end of a linear model with hard sums, little violations are all that is left. The point is moved, rather
// than the multipliers.
func TestRepairEndsEarly(t *testing.T) {
	c := mrftest.Cora
	c.Exponent, c.HardSum = 1, true
	field := mrftest.Field(c.Model())
	r := solved(t, New(field, solve.Settings{Gap: 1e-4}))
	if r.Iterations > 65 {
		t.Errorf("%d steps to a gap of %.1e", r.Iterations, r.Gap)
	}
	if own := solve.Certify(field, r.Y, r.Multipliers); own != r.Certificate || own.MaxViolation > 1e-6 {
		t.Errorf("certificate %+v, by itself %+v", r.Certificate, own)
	}
}

// Where a few variables leave the place where the quadratic model holds, all others must move nevertheless: the larger
// the model, the more of them there are, and each step was cut to what the worst allowed.
func TestFarVariablesDoNotHoldTheOthers(t *testing.T) {
	const documents, classes = 4000, 7
	rng := rand.New(rand.NewPCG(1, 2))
	model := mrftest.New(documents*classes, 0, 3).Rule(0, mrf.Hinge, 1)
	for i := range documents * classes {
		for range 3 {
			model.Add(rng.Float64()/2, []mrftest.Term{{Index: i, Coef: -1}}, nil)
		}
	}
	model.Rule(1, mrf.Hinge, 1)
	for i := range documents * classes {
		j := rng.IntN(documents)*classes + i%classes
		if j != i {
			model.Add(-rng.Float64()/2, []mrftest.Term{{Index: i, Coef: 1}, {Index: j, Coef: -1}}, nil)
		}
	}
	model.Rule(2, mrf.Equal, 0)
	for d := range documents {
		sum := make([]mrftest.Term, classes)
		for c := range sum {
			sum[c] = mrftest.Term{Index: d*classes + c, Coef: 1}
		}
		model.Add(-1, sum, nil)
	}
	s := New(mrftest.Field(model.Model(), []float64{1, 0.3, 0}, nil), solve.Settings{Gap: 1e-6})
	solved(t, s)
	if sweeps := s.inner.work / s.inner.sweep; sweeps > 420 {
		t.Errorf("as much work as %.0f sweeps; 359 without far steps, 503 with them", sweeps)
	}
}

// Things with many classes, nearly all of them at 0, of which a sum is known: there a whole step leaves the box at
// once, and so did all that had been tried in its place. Then no inner solve moved, multipliers went astray, and 3,000
// steps found nothing.
func TestManyClassesFromTheLast(t *testing.T) {
	c := mrftest.Cora
	c.Documents, c.Links, c.Classes, c.HardSum = 300, 500, 60, true
	m, theta, x := c.Model()
	f := mrftest.Field(m, theta, x)
	s := New(f, solve.Settings{})
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 40 {
		for i := range x {
			x[i] = min(max(x[i]*(0.9+0.2*rng.Float64()), 0), 1)
		}
		s.SetInputs(x)
		if r := solved(t, s); r.Iterations > 50 {
			t.Errorf("change %d took %d steps", k, r.Iterations)
		}
		y, nu := slices.Clone(s.result.Y), slices.Clone(s.result.Multipliers)
		s.WarmStart(y, nu)
	}
}

// A start from multipliers begins in the schedule a factor before where the last solution ended, and no earlier than
// one that does not know; one without multipliers begins at the start, and squares need no pull. All that is in units
// of the weights.
func TestBeginsInTheSchedule(t *testing.T) {
	for _, c := range []struct {
		exponent        int
		warm            bool
		begin           solve.Schedule
		steepness, pull float64
	}{
		{1, true, solve.Schedule{}, warmSteepness, warmPull},
		{1, true, solve.Schedule{Steepness: 5000, Pull: 1e-3}, 5000 / back, back * 1e-3},
		{1, true, solve.Schedule{Steepness: 40, Pull: 1}, warmSteepness, warmPull},
		{1, true, solve.Schedule{Steepness: 40, Pull: 1e-4}, warmSteepness, back * 1e-4},
		{1, false, solve.Schedule{Steepness: 5000, Pull: 1e-3}, coldSteepness, coldPull},
		{2, true, solve.Schedule{Steepness: 5000, Pull: 1e-3}, coldSteepness, weakest},
	} {
		for _, unit := range []float64{1, 1000} {
			model := mrftest.Cora
			model.Documents, model.Links, model.Exponent, model.HardSum = 30, 60, c.exponent, true
			m, theta, x := model.Model()
			for k := range theta {
				theta[k] *= unit
			}
			f := mrftest.Field(m, theta, x)
			var first []float64
			s := New(f, solve.Settings{Begin: c.begin, Trace: func(i solve.Iteration) { first = append(first, i.Step) }})
			if last := solved(t, New(f, solve.Settings{})); c.warm {
				s.WarmStart(last.Y, last.Multipliers)
			}
			scale := weightScale(f)
			s.begin(scale)
			if pull := s.inner.shift / scale; s.env.steepness != c.steepness || math.Abs(pull/c.pull-1) > 1e-12 {
				t.Errorf("%+v: it begins at %v with a pull of %v", c, s.env.steepness, pull)
			}
			if solved(t, s); first[0] != c.steepness {
				t.Errorf("%+v: the first iteration is at %v", c, first[0])
			}
		}
	}
}

// Problems that differ in little each time take fewer steps from near where the last solution ended than from its
// multipliers alone.
func TestBegin(t *testing.T) {
	near, far := 0, 0
	for seed := range uint64(6) {
		c := mrftest.Cora
		c.Documents, c.Links, c.Exponent, c.HardSum = 300, 1200, 1, seed%2 == 0
		m, theta, x := c.Model()
		f := mrftest.Field(m, theta, x)
		near += changed(t, f, x, seed, func(last *solve.Result) solve.Schedule { return last.Schedule })
		far += changed(t, f, x, seed, func(*solve.Result) solve.Schedule { return solve.Schedule{} })
	}
	if t.Logf("%d steps, and %d from multipliers alone", near, far); float64(near) > 0.9*float64(far) {
		t.Error("no gain")
	}
}

// changed returns how many steps a few changes of single inputs take.
func changed(t *testing.T, f *mrf.Field, x []float64, seed uint64,
	begin func(last *solve.Result) solve.Schedule,
) (steps int) {
	inputs, rng := slices.Clone(x), rand.New(rand.NewPCG(seed, 2))
	f.SetInputs(inputs)
	last := solved(t, New(f, solve.Settings{}))
	for range 5 {
		inputs[rng.IntN(len(inputs))] = rng.Float64()
		f.SetInputs(inputs)
		s := New(f, solve.Settings{Begin: begin(last)})
		s.WarmStart(last.Y, last.Multipliers)
		last = solved(t, s)
		steps += last.Iterations
	}
	return steps
}

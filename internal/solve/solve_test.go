package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/solve/dense"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
)

// tight asks for much more than the defaults.
var tight = solve.Settings{Gap: 1e-9, Feasibility: 1e-8}

// exact is what the reference reaches for all models here.
var exact = solve.Settings{Gap: 1e-6, Feasibility: 1e-8}

// method is a solver with how far from the optimum its answers may be.
type method struct {
	name      string
	make      func(*mrf.Field) solve.Solver
	tolerance float64
	hard      bool
}

var methods = []method{
	{"dense", func(f *mrf.Field) solve.Solver { return dense.New(f, exact) }, 1e-7, true},
	{"newton", func(f *mrf.Field) solve.Solver { return newton.New(f, tight) }, 1e-7, true},
	{"interior", func(f *mrf.Field) solve.Solver { return interior.New(f, tight) }, 1e-7, true},
	{"simplified", func(f *mrf.Field) solve.Solver { return simplified(f, tight) }, 1e-7, true},
	{"sgd", func(f *mrf.Field) solve.Solver {
		return sgd.New(f, solve.Settings{MaxIterations: 20000}, sgd.Options{
			LearningRate: 1e-3, Threshold: 1e-12, Gamma: 200,
		})
	}, 0.02, false},
}

// simplified presolves, and solves components apart.
func simplified(f *mrf.Field, s solve.Settings) solve.Solver {
	solver, err := auto.Inference("newton", f, s, auto.Options{Presolve: true, Split: true})
	if err != nil {
		panic(err)
	}
	return solver
}

type term = mrftest.Term

func vars(v ...float64) []term {
	out := make([]term, len(v))
	for i, a := range v {
		out[i] = term{Index: i, Coef: a}
	}
	return out
}

// problems are small models with the optimal energy worked out by hand.
var problems = []struct {
	name    string
	model   *mrf.Model
	optimum float64
	y       []float64 // nil if not unique
}{
	{"nothing", mrftest.New(0, 0, 0).Model(), 0, []float64{}},
	{"no potentials", mrftest.New(2, 0, 0).Model(), 0, nil},
	{"only a constant", mrftest.New(0, 0, 1).Rule(0, mrf.Hinge, 2).Add(3, nil, nil).Model(), 9, []float64{}},
	{"a free variable beside", mrftest.New(2, 0, 1).Rule(0, mrf.Hinge, 2).Add(0.5, vars(-1), nil).Model(), 0, nil},
	{
		"two squares", // (0.7-y)² + y², at y = 0.35
		mrftest.New(1, 0, 1).Rule(0, mrf.Hinge, 2).Add(0.7, vars(-1), nil).Add(0, vars(1), nil).Model(),
		0.245, []float64{0.35},
	},
	{
		"pushed out of the box", // (2-y)² at y = 1
		mrftest.New(1, 0, 1).Rule(0, mrf.Absolute, 2).Add(2, vars(-1), nil).Model(), 1, []float64{1},
	},
	{
		"median", // |y-.2| + |y-.3| + |y-.9| at y = .3
		mrftest.New(1, 0, 1).Rule(0, mrf.Absolute, 1).
			Add(-0.2, vars(1), nil).Add(-0.3, vars(1), nil).Add(-0.9, vars(1), nil).Model(),
		0.7, []float64{0.3},
	},
	{
		"linear", // 0.5 - y and y': at y = 1, y' = 0
		mrftest.New(2, 0, 1).Rule(0, mrf.Linear, 1).Add(0.5, vars(-1, 1), nil).Model(), -0.5, []float64{1, 0},
	},
	{
		"linear hinges on a chain", // max(0, .8-y) + max(0, y-y') + y'
		mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 1).Add(0.8, vars(-1), nil).Add(0, vars(1, -1), nil).
			Rule(1, mrf.Linear, 1).Add(0, []term{{Index: 1, Coef: 1}}, nil).Model(),
		0.8, nil,
	},
	{
		"sum to one", // (1-y)² + (1-y')² with y + y' = 1
		mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 2).Add(1, vars(-1), nil).
			Add(1, []term{{Index: 1, Coef: -1}}, nil).Rule(1, mrf.Equal, 0).Add(-1, vars(1, 1), nil).Model(),
		0.5, []float64{0.5, 0.5},
	},
	{
		"at most one", // linear: max(0, 1-y) + max(0, 1-y') with y + y' <= 1
		mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 1).Add(1, vars(-1), nil).
			Add(1, []term{{Index: 1, Coef: -1}}, nil).Rule(1, mrf.LessEqual, 0).Add(-1, vars(1, 1), nil).Model(),
		1, nil,
	},
	{
		"the same constraint twice", // y² with y >= 0.4
		mrftest.New(1, 0, 2).Rule(0, mrf.Absolute, 2).Add(0, vars(1), nil).
			Rule(1, mrf.LessEqual, 0).Add(0.4, vars(-1), nil).Add(0.4, vars(-1), nil).Model(),
		0.16, []float64{0.4},
	},
}

func TestProblems(t *testing.T) {
	for _, p := range problems {
		for _, m := range methods {
			if p.model.Hard() && !m.hard {
				continue
			}
			t.Run(p.name+"/"+m.name, func(t *testing.T) {
				if err := p.model.Check(); err != nil {
					t.Fatal(err)
				}
				field := mrf.NewField(p.model)
				r := run(t, m.make(field))
				checkProof(t, field, r)
				if math.Abs(r.Objective-p.optimum) > m.tolerance*max(1, p.optimum) {
					t.Errorf("objective %v, want %v (%v)", r.Objective, p.optimum, r.Status)
				}
				for i := range p.y {
					if math.Abs(r.Y[i]-p.y[i]) > math.Sqrt(m.tolerance) {
						t.Errorf("y = %v, want %v", r.Y, p.y)
					}
				}
			})
		}
	}
}

func run(t *testing.T, s solve.Solver) *solve.Result {
	t.Helper()
	r, err := s.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// slack computes c_j and d_j of potential k of a block from the arenas alone.
func slack(m *mrf.Field, b *mrf.Block, k int, y []float64) (c, d float64) {
	c = b.Constant
	if b.Bias != nil {
		c += float64(b.Bias[k])
	}
	inputs, coefs := b.Inputs, b.InputCoef
	if b.InputStart != nil {
		lo, hi := b.InputStart[k], b.InputStart[k+1]
		inputs, coefs = inputs[lo:hi], nil
		for l := lo; l < hi; l++ {
			coefs = append(coefs, b.InputValue.At(int(l)))
		}
	} else {
		inputs = inputs[k*len(coefs) : (k+1)*len(coefs)]
	}
	for l, i := range inputs {
		c += coefs[l] * m.Inputs()[i]
	}
	d = c
	for l, i := range b.Variables(k) {
		d += b.Coefficient(k, l) * y[i]
	}
	return c, d
}

// checkProof recomputes a result's certificate from the definitions, without any code of the solvers' or the field's.
func checkProof(t *testing.T, f *mrf.Field, r *solve.Result) {
	t.Helper()
	const small = 1e-9
	objective, dual, violation := 0.0, 0.0, 0.0
	g := make([]float64, f.Model.Variables)
	j := 0
	for _, b := range f.Model.Blocks {
		for k := range b.Len {
			w, mu := f.Weights()[b.Rule], r.Multipliers[j]
			if b.Scale != nil {
				w *= float64(b.Scale[k])
			}
			c, d := slack(f, b, k, r.Y)
			dual += mu * c
			for l, i := range b.Variables(k) {
				g[i] += mu * b.Coefficient(k, l)
			}
			bad := false
			switch b.Kind {
			case mrf.Hinge:
				objective += w * math.Pow(max(0, d), float64(b.Exponent))
				bad = mu < 0 || b.Exponent == 1 && mu > w+small
			case mrf.Absolute:
				objective += w * math.Pow(math.Abs(d), float64(b.Exponent))
				bad = b.Exponent == 1 && math.Abs(mu) > w+small
			case mrf.Linear:
				objective += w * d
				bad = math.Abs(mu-w) > small
			case mrf.LessEqual:
				violation = max(violation, d)
				bad = mu < 0
			case mrf.Equal:
				violation = max(violation, math.Abs(d))
			}
			if b.Exponent == 2 && b.Kind <= mrf.Absolute && mu != 0 {
				dual -= mu * mu / (4 * w)
			}
			if bad {
				t.Errorf("multiplier %v of potential %d of kind %d, weight %v", mu, j, b.Kind, w)
			}
			j++
		}
	}
	for i, v := range g {
		dual += min(0, v)
		if r.Y[i] < 0 || r.Y[i] > 1 {
			t.Errorf("y[%d] = %v", i, r.Y[i])
		}
	}
	want := solve.Certificate{
		Objective: objective, DualBound: dual, Gap: (objective - dual) / max(f.Grain(), math.Abs(objective)),
		MaxViolation: violation,
	}
	for _, p := range [][2]float64{
		{r.Objective, want.Objective}, {r.DualBound, want.DualBound}, {r.Gap, want.Gap}, {r.MaxViolation, violation},
	} {
		if math.Abs(p[0]-p[1]) > 1e-8*max(1, math.Abs(p[1])) {
			t.Fatalf("certificate %+v, recomputed %+v", r.Certificate, want)
		}
	}
}

// shapes are families of random models; none is larger than dense can do at once.
var shapes = []mrftest.Shape{
	{Variables: 6, Inputs: 2, Blocks: 3, Potentials: 4, Kinds: mrftest.Squared, Arity: 3},
	{Variables: 15, Inputs: 4, Blocks: 6, Potentials: 9, Kinds: mrftest.Squared, Arity: 5, Scales: true},
	{Variables: 8, Inputs: 2, Blocks: 4, Potentials: 6, Kinds: mrftest.Soft, Arity: 3, Scales: true},
	{Variables: 15, Inputs: 4, Blocks: 6, Potentials: 9, Kinds: mrftest.Soft, Arity: 5, Scales: true},
	{Variables: 8, Inputs: 2, Blocks: 5, Potentials: 5, Kinds: mrftest.All, Arity: 3},
	{Variables: 15, Inputs: 4, Blocks: 8, Potentials: 9, Kinds: mrftest.All, Arity: 5, Scales: true},
}

func randomField(seed uint64, shape mrftest.Shape) *mrf.Field {
	return mrftest.Field(mrftest.Random(rand.New(rand.NewPCG(seed, 3)), shape))
}

func TestNewtonAgreesWithDense(t *testing.T) {
	for k, shape := range shapes {
		for seed := range uint64(25) {
			f := randomField(seed, shape)
			want := run(t, dense.New(f, exact))
			got := run(t, newton.New(f, tight))
			if want.Status != solve.Optimal || got.Status != solve.Optimal {
				t.Fatalf("shape %d, seed %d: dense %v %+v, newton %v %+v",
					k, seed, want.Status, want.Certificate, got.Status, got.Certificate)
			}
			if math.Abs(got.Objective-want.Objective) > 1e-6*max(1, math.Abs(want.Objective)) {
				t.Errorf("shape %d, seed %d: %v, dense says %v", k, seed, got.Objective, want.Objective)
			}
			checkProof(t, f, got)
			checkProof(t, f, want)
			simple := run(t, simplified(f, tight))
			checkProof(t, f, simple)
			if math.Abs(simple.Objective-want.Objective) > 1e-6*max(1, math.Abs(want.Objective)) {
				t.Errorf("shape %d, seed %d: simplified %v, dense says %v", k, seed, simple.Objective, want.Objective)
			}
		}
	}
}

func TestCertifyHoldsForAnyMultipliers(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for k, shape := range shapes {
		f := randomField(uint64(k), shape)
		optimum := run(t, dense.New(f, exact)).Objective
		for range 20 {
			y := mrftest.Uniform(rng, shape.Variables)
			mu := make([]float64, f.Model.Potentials())
			for j := range mu {
				mu[j] = 3 * rng.NormFloat64()
			}
			c := solve.Certify(f, y, mu)
			checkProof(t, f, &solve.Result{Y: y, Multipliers: mu, Certificate: c})
			if c.DualBound > optimum+1e-9 {
				t.Errorf("shape %d: bound %v above the optimum %v", k, c.DualBound, optimum)
			}
		}
	}
}

func TestInfeasibleModelsNameTheConflict(t *testing.T) {
	one := func(i int, a float64) []term { return []term{{Index: i, Coef: a}} }
	cases := []struct {
		name  string
		model *mrf.Model
		want  []int
	}{
		{
			"outside the box", // y >= 2
			mrftest.New(1, 0, 1).Rule(0, mrf.LessEqual, 0).Add(2, one(0, -1), nil).Model(), []int{0},
		},
		{
			"a false constant",
			mrftest.New(1, 0, 1).Rule(0, mrf.Equal, 0).Add(0.5, nil, nil).Add(0, one(0, 1), nil).Model(), []int{0},
		},
		{
			"two sums, beside a potential and constraints that hold", // y0 + y1 = 1, y0 + y1 <= 0.5, y2 = 0.3
			mrftest.New(3, 0, 2).Rule(0, mrf.Hinge, 2).Add(1, one(0, -1), nil).
				Rule(1, mrf.Equal, 0).Add(-0.3, one(2, 1), nil).Add(-1, vars(1, 1), nil).
				Rule(1, mrf.LessEqual, 0).Add(-0.5, vars(1, 1), nil).Add(-0.9, one(2, 1), nil).Model(),
			[]int{2, 3},
		},
		{
			"a chain", // y0 = 1, y0 <= y1, y1 <= y2, y2 = 0
			mrftest.New(3, 0, 2).Rule(0, mrf.Equal, 0).Add(-1, one(0, 1), nil).Add(0, one(2, 1), nil).
				Rule(1, mrf.LessEqual, 0).Add(0, vars(1, -1), nil).Add(0, vars(0, 1, -1), nil).Model(),
			[]int{0, 1, 2, 3},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := mrf.NewField(c.model)
			r := run(t, newton.New(f, solve.Settings{}))
			if r.Status != solve.Infeasible || !slices.Equal(r.Conflict, c.want) {
				t.Errorf("%v, conflict %v, want %v", r.Status, r.Conflict, c.want)
			}
			if simple := run(t, simplified(f, solve.Settings{})); simple.Status != r.Status || len(simple.Conflict) == 0 {
				t.Errorf("simplified: %v, conflict %v", simple.Status, simple.Conflict)
			}
			if r.DualBound <= r.Objective {
				t.Errorf("bound %v does not exceed %v", r.DualBound, r.Objective)
			}
			checkProof(t, f, r)
		})
	}
}

func TestStatus(t *testing.T) {
	f := randomField(1, shapes[3])
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	background := context.Background()
	descent := func(s solve.Settings, o sgd.Options) solve.Solver { return sgd.New(f, s, o) }
	cases := []struct {
		name   string
		solver solve.Solver
		ctx    context.Context
		want   solve.Status
	}{
		{"cancelled", newton.New(f, solve.Settings{}), cancelled, solve.Cancelled},
		{"iterations", newton.New(f, solve.Settings{Gap: 1e-12, MaxIterations: 1}), background, solve.IterationLimit},
		{"simplified, cancelled", simplified(f, solve.Settings{}), cancelled, solve.Cancelled},
		{"simplified, time", simplified(f, solve.Settings{TimeLimit: time.Nanosecond}), background, solve.TimeLimit},
		{"time", newton.New(f, solve.Settings{TimeLimit: time.Nanosecond}), background, solve.TimeLimit},
		{"passes", descent(solve.Settings{MaxIterations: 1}, sgd.Options{}), background, solve.IterationLimit},
		{"threshold", descent(solve.Settings{Gap: 1e-12}, sgd.Options{Threshold: 1}), background, solve.Stalled},
		{"too fast", descent(solve.Settings{}, sgd.Options{LearningRate: 1e9}), background, solve.NumericalError},
	}
	for _, c := range cases {
		r, err := c.solver.Solve(c.ctx)
		if err != nil || r.Status != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, r.Status, err, c.want)
		}
		if r.Status.Sentence() == "" || r.Status.String() == "" {
			t.Errorf("%s: no words for it", c.name)
		}
	}
}

func TestBrokenInputIsAnError(t *testing.T) {
	for _, m := range methods {
		f := randomField(1, shapes[0])
		theta := slices.Clone(f.Weights())
		theta[1] = math.NaN()
		s := m.make(f)
		s.SetWeights(theta)
		if _, err := s.Solve(context.Background()); err == nil || !strings.Contains(err.Error(), "rule 1") {
			t.Errorf("%s: error %v", m.name, err)
		}
	}
}

func TestSolversAreDeterministic(t *testing.T) {
	c := mrftest.Cora
	c.Documents, c.Links = 700, 1500
	for _, hard := range []bool{false, true} {
		c.HardSum = hard
		answer := func(threads int) []float64 {
			f := mrftest.Field(c.Model())
			r := run(t, newton.New(f, solve.Settings{Threads: threads}))
			bits := append(append(slices.Clone(r.Y), r.Multipliers...), r.Objective, r.DualBound, r.Gap)
			r = run(t, simplified(f, solve.Settings{Threads: threads}))
			return append(append(append(bits, r.Y...), r.Multipliers...), r.Objective, r.DualBound, r.Gap)
		}
		want := answer(1)
		for _, threads := range []int{2, 4} {
			if !slices.Equal(answer(threads), want) {
				t.Errorf("hard %v: %d threads give other bits than one", hard, threads)
			}
		}
	}
	f := randomField(2, shapes[1])
	first := slices.Clone(run(t, sgd.New(f, solve.Settings{}, sgd.Options{Seed: 5})).Y)
	if again := run(t, sgd.New(f, solve.Settings{}, sgd.Options{Seed: 5})).Y; !slices.Equal(first, again) {
		t.Error("sgd: the same seed gives other bits")
	}
}

func TestWarmStartsReachTheSameOptimum(t *testing.T) {
	for k, shape := range shapes {
		rng := rand.New(rand.NewPCG(uint64(k), 4))
		f := randomField(uint64(k), shape)
		warm := newton.New(f, tight)
		run(t, warm)
		theta := slices.Clone(f.Weights())
		for r := range theta {
			theta[r] *= 0.8 + 0.4*rng.Float64()
		}
		warm.SetWeights(theta)
		got := run(t, warm).Objective
		want := run(t, newton.New(f, tight)).Objective
		if math.Abs(got-want) > 1e-7*max(1, math.Abs(want)) {
			t.Errorf("shape %d: warm %v, cold %v", k, got, want)
		}
		given := newton.New(f, tight)
		reference := run(t, dense.New(f, exact))
		given.WarmStart(reference.Y, reference.Multipliers)
		if r := run(t, given); math.Abs(r.Objective-want) > 1e-7*max(1, math.Abs(want)) {
			t.Errorf("shape %d: from dense's point %v, cold %v", k, r.Objective, want)
		}
	}
}

package presolve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/dense"
)

type term = mrftest.Term

// one and two are rows.
func one(i int, a float64) []term { return []term{{Index: i, Coef: a}} }

func two(i int, a float64, k int, b float64) []term {
	return []term{{Index: i, Coef: a}, {Index: k, Coef: b}}
}

// cases are models with what presolving makes of them.
var cases = []struct {
	name  string
	model *mrf.Model
	want  presolve.Counts
}{
	{
		"a constraint determines a variable, which leaves another constraint one variable",
		mrftest.New(3, 0, 2).Rule(0, mrf.Hinge, 2).Add(0.5, one(0, -1), nil).Add(0.5, one(1, -1), nil).
			Add(0.5, two(2, -1, 1, 1), nil).Add(0, one(2, 1), nil).
			Rule(1, mrf.Equal, 0).Add(-1, two(0, 1, 1, 1), nil).Add(-0.3, one(0, 1), nil).Model(),
		presolve.Counts{Fixed: 3, Dropped: 6},
	},
	{
		"two inequalities meet",
		mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 1).Add(1, one(0, -1), nil).Add(0.5, two(0, 1, 1, -1), nil).
			Add(0, one(1, 1), nil).
			Rule(1, mrf.LessEqual, 0).Add(-0.25, one(0, 1), nil).Add(0.25, one(0, -1), nil).Model(),
		presolve.Counts{Fixed: 1, Dropped: 3},
	},
	{
		"bounds that meet along a chain, against what soft rules want",
		mrftest.New(4, 0, 2).Rule(0, mrf.Hinge, 2).Add(1, one(1, -1), nil).Add(0, one(2, 3), nil).
			Add(0, two(0, 1, 3, -1), nil).Add(0, two(3, 1, 2, -1), nil).Add(0.5, one(3, -1), nil).
			Rule(1, mrf.LessEqual, 0).Add(0, two(1, 1, 2, -1), nil).Add(0, two(0, 1, 1, -1), nil).
			Add(-0.25, one(2, 1), nil).Add(0.25, one(0, -1), nil).Model(),
		presolve.Counts{Fixed: 4, Dropped: 9},
	},
	{
		"sums that leave nothing to others",
		mrftest.New(4, 0, 2).Rule(0, mrf.Hinge, 2).Add(0.5, one(0, -1), nil).Add(1, one(1, -1), nil).
			Add(1, two(2, -1, 3, 1), nil).
			Rule(1, mrf.Equal, 0).Add(-1, append(two(0, 1, 1, 1), one(2, 1)...), nil).Add(-2, two(2, 1, 3, 2), nil).
			Rule(1, mrf.LessEqual, 0).Add(0.5, two(0, -1, 3, -0.5), nil).Add(1, one(3, -1), nil).
			Add(1, two(0, -1, 2, -1), nil).Model(),
		presolve.Counts{Fixed: 4, Dropped: 8},
	},
	{
		"a soft rule that bounds satisfy, of variables that are left",
		mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 1).Add(0.25, one(1, -1), nil).Add(-0.5, two(0, 1, 1, 1), nil).
			Add(1, one(0, -1), nil).
			Rule(1, mrf.LessEqual, 0).Add(0, two(0, 1, 1, -1), nil).Add(0.5, one(0, -1), nil).Model(),
		presolve.Counts{Dropped: 1},
	},
	{
		"pushed one way, against a bound of its own",
		mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 2).Add(1, one(0, -1), nil).Add(0.2, one(1, 1), nil).
			Rule(1, mrf.LessEqual, 0).Add(-0.6, one(0, 1), nil).Add(0.1, one(1, -1), nil).Model(),
		presolve.Counts{Fixed: 2, Dropped: 4},
	},
	{
		"tasks that wait for each other begin as early as they can, and end as late, one of them alone does not",
		mrftest.New(9, 0, 2).Rule(0, mrf.Hinge, 1).Add(-0.1, one(2, 1), nil).Add(-0.2, one(3, 1), nil).
			Add(0.9, one(4, -1), nil).Add(0.8, one(6, -1), nil).Add(0.5, one(7, -1), nil).Add(-0.3, one(8, 1), nil).
			Add(0.4, one(8, -1), nil).
			Rule(1, mrf.LessEqual, 0).Add(0.1, one(0, -1), nil).Add(0.25, two(0, 1, 1, -1), nil).
			Add(0.125, two(0, 1, 2, -1), nil).Add(0.25, two(1, 1, 3, -1), nil).Add(0.5, two(2, 1, 3, -1), nil).
			Add(-0.9, one(6, 1), nil).Add(0.25, two(5, 1, 6, -1), nil).Add(0.125, two(4, 1, 5, -1), nil).
			Add(0, two(8, 1, 7, -1), nil).Add(-0.75, two(8, 1, 7, 1), nil).Model(),
		presolve.Counts{Fixed: 7, Dropped: 12},
	},
	{
		"tied variables, whose potentials are the same then, and merge",
		mrftest.New(3, 0, 2).Rule(0, mrf.Hinge, 1).Add(1, one(0, -1), nil).Add(1, one(1, -1), nil).Add(1, one(2, -1), nil).
			Add(0, one(0, 1), nil).Add(0, two(0, 1, 2, -1), nil).
			Rule(1, mrf.Equal, 0).Add(0, two(2, -2, 1, 2), nil).Add(0, two(1, 1, 0, -1), nil).
			Add(0, two(0, 1, 2, -1), nil).Model(),
		presolve.Counts{Tied: 2, Dropped: 4, Merged: 2},
	},
	{
		"a chain of decisions without constraints",
		mrftest.New(3, 0, 1).Rule(0, mrf.Hinge, 2).Add(0, two(0, 1, 1, -1), nil).Add(0, two(1, 1, 2, -1), nil).
			Add(0.3, one(0, 1), nil).Model(),
		presolve.Counts{Fixed: 3, Dropped: 3},
	},
	{
		"a linear potential with a negative constant",
		mrftest.New(2, 0, 2).Rule(0, mrf.Linear, 1).Add(-3, one(0, -1), nil).
			Rule(1, mrf.Hinge, 2).Add(0.5, one(1, -1), nil).Add(0.5, one(1, 1), nil).Model(),
		presolve.Counts{Fixed: 2, Dropped: 3},
	},
	{
		"alone: squares that bend, a square without an end, a slope, and a bound that none of them reaches",
		mrftest.New(3, 0, 5).Rule(0, mrf.Hinge, 2).Add(0.9, one(0, -1), nil).Add(-0.3, one(0, 2), nil).
			Add(-0.7, one(0, 1), nil).Add(0.1, two(1, -1, 2, 1), nil).
			Rule(1, mrf.Absolute, 2).Add(-0.4, one(0, 1), nil).Rule(2, mrf.Linear, 1).Add(0, one(0, 0.3), nil).
			Rule(3, mrf.Hinge, 2).Add(0, one(1, 1), nil).Add(0.5, one(2, -1), nil).
			Rule(4, mrf.LessEqual, 0).Add(-0.8, one(0, 1), nil).Model(),
		presolve.Counts{Fixed: 1, Dropped: 6},
	},
	{
		"alone, beyond a bound, and with a kink",
		mrftest.New(3, 0, 4).Rule(0, mrf.Hinge, 2).Add(0.9, one(0, -1), nil).Add(0, one(0, 1), nil).
			Add(0.9, one(1, -1), nil).
			Rule(1, mrf.Hinge, 1).Add(-0.2, one(1, 1), nil).
			Rule(2, mrf.LessEqual, 0).Add(-0.25, one(0, 1), nil).Model(),
		presolve.Counts{Fixed: 2, Dropped: 3},
	},
}

func TestReduce(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			field := mrf.NewField(c.model)
			r, _, _ := presolve.Reduce(field, 1e-8, nil)
			if r == nil {
				t.Fatal("not reduced")
			}
			if r.Counts != c.want {
				t.Errorf("%+v, want %+v", r.Counts, c.want)
			}
			same(t, field, r)
		})
	}
}

// same solves the reduction and the original, and compares.
func same(t *testing.T, field *mrf.Field, r *presolve.Reduction) {
	t.Helper()
	if err := r.Field.Model.Check(); err != nil {
		t.Fatal(err)
	}
	want, small := optimum(t, field), optimum(t, r.Field)
	y, mu := r.Restore(small.Y, small.Multipliers)
	got := solve.Certify(field, y, mu)
	scale := max(1, math.Abs(want.Objective))
	if math.Abs(got.Objective-want.Objective) > 2e-6*scale || math.Abs(got.Objective-small.Objective) > 1e-9*scale {
		t.Errorf("objective %v restored, %v reduced, %v without", got.Objective, small.Objective, want.Objective)
	}
	if math.Abs(got.Gap-small.Gap) > 1e-10 || got.MaxViolation > small.MaxViolation+1e-9 {
		t.Errorf("restored: %+v\nreduced:  %+v", got, small.Certificate)
	}
}

func optimum(t *testing.T, f *mrf.Field) *solve.Result {
	t.Helper()
	r, err := dense.New(f, solve.Settings{Gap: 1e-6, Feasibility: 1e-8}).Solve(context.Background())
	if err != nil || r.Status != solve.Optimal {
		t.Fatal(r, err)
	}
	return r
}

// Random models get constraints that determine and tie some variables, at a point that is feasible anyway.
func TestRandomModelsKeepTheirOptimum(t *testing.T) {
	reduced := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		shape := mrftest.Shape{Variables: 3 + rng.IntN(12), Inputs: 3, Blocks: 5, Potentials: 6,
			Kinds: [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All}[seed%3], Arity: 3, Scales: true}
		m, theta, x := mrftest.Random(rng, shape)
		if seed%3 < 2 { // a feasible point is known
			constrain(rng, m, seed%2 == 0)
			theta = append(theta, 1)
		}
		field := mrf.NewField(m)
		field.SetWeights(theta)
		field.SetInputs(x)
		if r, _, _ := presolve.Reduce(field, 1e-8, nil); r != nil {
			reduced++
			same(t, field, r)
		}
	}
	if reduced < 100 {
		t.Errorf("only %d models were reduced", reduced)
	}
}

// constrain determines a third of the variables and ties, if asked for, two of three others, and repeats potentials.
func constrain(rng *rand.Rand, m *mrf.Model, ties bool) {
	more := mrftest.New(m.Variables, m.Inputs, m.Rules+1).Rule(m.Rules, mrf.Equal, 0)
	for i := range m.Variables {
		switch {
		case i%3 == 0:
			more.Add(-float64(rng.IntN(3))/2, one(i, 1), nil)
		case ties && i%3 == 2:
			more.Add(0, two(i, -1, i-1, 1), nil)
		case ties && i > 3:
			more.Add(0, two(i, 1, i-3, -1), nil)
		}
	}
	for _, b := range m.Blocks[:2] {
		again := *b
		again.Len *= 2
		if again.VarStart != nil {
			continue
		}
		again.Vars = slices.Concat(b.Numbers(), b.Numbers())
		again.Inputs = slices.Concat(b.Inputs, b.Inputs)
		if b.Bias != nil {
			again.Bias = slices.Concat(b.Bias, b.Bias)
		}
		if b.Scale != nil {
			again.Scale = slices.Concat(b.Scale, b.Scale)
		}
		*b = again
	}
	m.Blocks = append(m.Blocks, more.Model().Blocks...)
	m.Rules++
}

// What contradicts itself, and what would not pay, is left alone.
func TestReduceLeavesAlone(t *testing.T) {
	citation, _, x := mrftest.Citation{Documents: 40, Classes: 3, Links: 60, Exponent: 2, Seed: 2}.Model()
	for name, m := range map[string]*mrf.Model{
		"bounds that contradict each other": mrftest.New(1, 0, 1).Rule(0, mrf.Equal, 0).
			Add(-0.3, one(0, 1), nil).Add(-0.4, one(0, 1), nil).Model(),
		"a bound outside the box": mrftest.New(1, 0, 1).Rule(0, mrf.LessEqual, 0).Add(2, one(0, -1), nil).Model(),
		"determined variables that break a constraint": mrftest.New(2, 0, 1).Rule(0, mrf.Equal, 0).
			Add(-1, one(0, 1), nil).Add(-1, one(1, 1), nil).Add(-1, two(0, 1, 1, 1), nil).Model(),
		"a constraint without variables": mrftest.New(1, 0, 1).Rule(0, mrf.Equal, 0).Add(1, nil, nil).Model(),
		"nothing to do":                  citation,
		"nothing":                        mrftest.New(0, 0, 0).Model(),
	} {
		field := mrf.NewField(m)
		if m == citation {
			field.SetInputs(x)
		}
		if r, _, _ := presolve.Reduce(field, 1e-8, nil); r != nil {
			t.Errorf("%s: reduced by %+v", name, r.Counts)
		}
	}
}

// known is a citation model with hard sums, half of whose labels are known to be wrong by a hard rule.
func known(documents int) *mrf.Field {
	const classes = 7
	m, theta, x := mrftest.Citation{Documents: documents, Classes: classes, Links: 2 * documents, Exponent: 2,
		HardSum: true, Seed: 3}.Model()
	b := &mrf.Block{Kind: mrf.Equal, Coef: []float64{1}}
	for i := int32(0); int(i) < documents*classes; i += 2 {
		b.Vars = append(b.Vars, i)
	}
	b.Len = len(b.Vars)
	m.Blocks = append(m.Blocks, b)
	field := mrf.NewField(m)
	field.SetWeights(theta)
	field.SetInputs(x)
	return field
}

// The smaller problem has the same bits for any number of threads.
func TestThreadsDoNotChangeTheReduction(t *testing.T) {
	field := known(4000)
	var want *presolve.Reduction
	for _, threads := range []int{1, 2, 4} {
		field.Threads = threads
		got, _, _ := presolve.Reduce(field, 1e-8, nil)
		if want == nil {
			want = got
		}
		y := make([]float64, field.Model.Variables)
		if got.Counts != want.Counts || got.Field.Energy(y) != want.Field.Energy(y) ||
			!slices.Equal(got.Field.Inputs(), want.Field.Inputs()) {
			t.Errorf("%d threads: %+v, one: %+v", threads, got.Counts, want.Counts)
		}
	}
}

// BenchmarkReduce is of a model whose blocks are all regrouped.
func BenchmarkReduce(b *testing.B) {
	field := known(10000)
	for b.Loop() {
		presolve.Reduce(field, 1e-8, nil)
	}
}

package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// numbers names nothing.
type numbers struct{}

func (numbers) Variable(i int32) Atom               { return Atom{Atom: fmt.Sprint("y", i), Role: RoleTarget} }
func (numbers) Input(i int32) Atom                  { return Atom{Atom: fmt.Sprint("x", i), Role: RoleNetwork} }
func (numbers) Rule(r int) (string, bool)           { return fmt.Sprint("rule ", r), false }
func (numbers) Atoms(int) int                       { return -1 }
func (numbers) Instance(int, int, int) *Instance    { return nil }
func (numbers) Instances(_, rows []int) []*Instance { return make([]*Instance, len(rows)) }

// counted counts searches for what ground rules were made from.
type counted struct {
	numbers
	searches *int
}

func (c counted) Instance(int, int, int) *Instance { return c.Instances(nil, []int{0})[0] }

func (c counted) Instances(_, rows []int) []*Instance {
	*c.searches++
	out := make([]*Instance, len(rows))
	for k := range out {
		out[k] = &Instance{Text: func() string { return "" }}
	}
	return out
}

// What many ground rules about one atom were made from is found in one search: each of them would go through all.
func TestManyAboutOneAtomAreFoundAtOnce(t *testing.T) {
	b := mrftest.New(1, 0, 2).Rule(0, mrf.Hinge, 2)
	for k := range 500 {
		b.Add(0.5+float64(k%7)/20, []mrftest.Term{{Index: 0, Coef: -1}}, nil)
	}
	b.Rule(1, mrf.Hinge, 2).Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil)
	s, searches := solved(t, mrftest.Field(b.Model(), []float64{1, 1000}, nil), 1e-9), 0
	if _, err := s.Explain(t.Context(), counted{searches: &searches}, 0, Options{Shown: -1}); err != nil {
		t.Fatal(err)
	}
	if searches > 20 {
		t.Errorf("%d searches", searches)
	}
}

// solved returns the state of a field.
func solved(t testing.TB, field *mrf.Field, gap float64) *State {
	t.Helper()
	solver, err := auto.New("auto", field, solve.Settings{Gap: gap, Feasibility: 1e-9, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solve.Optimal { // single precision has made the hard rules of some models contradict each other
		return nil
	}
	s, err := NewState(field, nil, r.Y, r.Multipliers, solve.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// explain explains a variable.
func explain(t testing.TB, s *State, i int) *Explanation {
	t.Helper()
	e, err := s.Explain(context.Background(), numbers{}, int32(i), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// families are the kinds of models that are drawn.
var families = map[string]mrftest.Shape{
	"squares": {Variables: 8, Inputs: 3, Blocks: 5, Potentials: 8, Kinds: mrftest.Squared, Arity: 3, Scales: true},
	"soft":    {Variables: 8, Inputs: 3, Blocks: 6, Potentials: 6, Kinds: mrftest.Soft, Arity: 3, Scales: true},
	"all":     {Variables: 10, Inputs: 3, Blocks: 7, Potentials: 6, Kinds: mrftest.All, Arity: 4, Scales: true},
	"few":     {Variables: 3, Inputs: 1, Blocks: 3, Potentials: 3, Kinds: mrftest.All, Arity: 3},
	"sparse":  {Variables: 40, Inputs: 3, Blocks: 9, Potentials: 6, Kinds: mrftest.All, Arity: 3, Scales: true},
	"long":    {Variables: 12, Inputs: 2, Blocks: 5, Potentials: 4, Kinds: mrftest.All, Arity: 9},
}

const models = 25 // of each family

// eachSolved checks random models of all families that are solved to a gap.
func eachSolved(t *testing.T, gap float64, check func(t *testing.T, s *State)) {
	for name, shape := range families {
		for seed := range uint64(models) {
			m, theta, x := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
			if s := solved(t, mrftest.Field(m, theta, x), gap); s != nil {
				t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) { check(t, s) })
			}
		}
	}
}

// What pushes an atom must add up to 0, and what its value rests on to the value.
func TestExplanationsAddUp(t *testing.T) {
	for name, shape := range families {
		t.Run(name, func(t *testing.T) {
			free := 0
			for seed := range uint64(models) {
				m, theta, x := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
				s := solved(t, mrftest.Field(m, theta, x), 1e-6)
				for i := 0; s != nil && i < m.Variables; i++ {
					e := explain(t, s, i)
					if math.Abs(e.Unexplained) > 1e-6*e.Sizes {
						t.Errorf("seed %d: %v of %v is not explained of %s = %v", seed, e.Unexplained, e.Sizes, e.Atom, e.Value)
					}
					if !e.Unique {
						continue
					}
					if e.Interval[1]-e.Interval[0] > 2*still {
						t.Errorf("seed %d: %s is in %v, and unique", seed, e.Atom, e.Interval)
					}
					if s.isFree(int32(i)) {
						free++
					}
					sum, sizes := 0.0, 0.0
					for _, leaf := range e.Leaves {
						sum, sizes = sum+leaf.Contribution, sizes+math.Abs(leaf.Contribution)
					}
					for _, leaf := range e.Leaves {
						if leaf.Kind == leafRule && math.Abs(leaf.Contribution) < 1e-15*sizes {
							t.Errorf("seed %d: %s of %s is rounding", seed, leaf.Name, e.Atom)
						}
					}
					if math.Abs(sum-e.Value) > 1e-6 {
						t.Errorf("seed %d: the leaves of %s add up to %v, and not %v: %+v", seed, e.Atom, sum, e.Value, e.Leaves)
					}
				}
			}
			if free == 0 {
				t.Error("nothing was looked at")
			}
		})
	}
}

// The leaves of inputs must say how values change with them.
func TestLeavesAreDerivatives(t *testing.T) {
	const step = 1e-4
	for name, shape := range families {
		var inner, one, other float64
		for seed := range uint64(models / 3) {
			m, theta, x := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
			s := solved(t, mrftest.Field(m, theta, x), 1e-6)
			if s == nil {
				continue
			}
			for k := range x {
				moved := func(by float64) []float64 {
					shifted := append([]float64(nil), x...)
					shifted[k] += by
					s := solved(t, mrftest.Field(m, theta, shifted), 1e-9)
					if s == nil {
						return nil
					}
					y := make([]float64, m.Variables)
					for i := range y {
						y[i] = explain(t, s, i).Value
					}
					return y
				}
				up, down := moved(step), moved(-step)
				if up == nil || down == nil {
					continue
				}
				for i := range m.Variables {
					e := explain(t, s, i)
					if !e.Unique {
						continue
					}
					slope, difference := 0.0, (up[i]-down[i])/(2*step)
					for _, leaf := range e.Leaves {
						if leaf.Name == fmt.Sprint("x", k) {
							slope += leaf.Slope
						}
					}
					inner, one, other = inner+slope*difference, one+slope*slope, other+difference*difference
				}
			}
		}
		if cosine := inner / math.Sqrt(one*other); !(cosine >= 0.999) {
			t.Errorf("%s: the cosine of slopes and differences is %v", name, cosine)
		} else {
			t.Logf("%s: the cosine is %v", name, cosine)
		}
	}
}

// A value that is not unique has the interval of all that cost the same.
func TestIntervals(t *testing.T) {
	one := func(i int, a float64) []mrftest.Term { return []mrftest.Term{{Index: i, Coef: a}} }
	two := func(a, b float64) []mrftest.Term { return []mrftest.Term{{Index: 0, Coef: a}, {Index: 1, Coef: b}} }
	for name, c := range map[string]struct {
		model *mrf.Model
		want  [2]float64
	}{
		"between two kinks": {mrftest.New(1, 0, 1).Rule(0, mrf.Absolute, 1).Add(-0.25, one(0, 1), nil).
			Add(-0.75, one(0, 1), nil).Model(), [2]float64{0.25, 0.75}},
		"a sum of two": {mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 2).Add(0.5, two(-1, -1), nil).
			Rule(1, mrf.LessEqual, 0).Add(-0.75, two(1, 1), nil).Model(), [2]float64{0, 0.75}},
		"one that a sum leaves no room": {mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 1).Add(1, two(-1, 0), nil).
			Rule(1, mrf.Equal, 0).Add(-1, two(1, 1), nil).Model(), [2]float64{1, 1}},
		"free, beside": {mrftest.New(2, 0, 1).Rule(0, mrf.Hinge, 2).Add(0.5, two(0, -1), nil).Model(), [2]float64{0, 1}},
	} {
		s := solved(t, mrftest.Field(c.model, []float64{1, 1}[:c.model.Rules], nil), 1e-9)
		e := explain(t, s, 0)
		if math.Abs(e.Interval[0]-c.want[0]) > 1e-5 || math.Abs(e.Interval[1]-c.want[1]) > 1e-5 ||
			e.Unique != (c.want[0] == c.want[1]) {
			t.Errorf("%s: %v, unique: %v; want %v", name, e.Interval, e.Unique, c.want)
		}
	}
}

// An atom that many others are tied to has its pushes alone, if that is asked for, and all once it is known.
func TestWithin(t *testing.T) {
	const n = 40
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Hinge, 2).Add(0.5, []mrftest.Term{{Index: 0, Coef: -1}}, nil).
		Add(0, []mrftest.Term{{Index: n - 1, Coef: 1}}, nil)
	b.Rule(1, mrf.Absolute, 2)
	for i := range n - 1 {
		b.Add(-0.001, []mrftest.Term{{Index: i, Coef: 1}, {Index: i + 1, Coef: -1}}, nil)
	}
	s := solved(t, mrftest.Field(b.Model(), []float64{1, 1}, nil), 1e-6)
	ask := func(within int) *Explanation {
		e, err := s.Explain(context.Background(), numbers{}, n/2, Options{Depth: 1, Within: within})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := ask(2*n - 1); !e.Wide || len(e.Leaves) > 0 || len(e.Because) > 0 || len(e.Pushes) != 2 {
		t.Errorf("%d atoms are tied, and it is explained whole: %+v", n, e)
	}
	if e := ask(2 * n); e.Wide || len(e.Leaves) == 0 || len(e.Because) == 0 {
		t.Errorf("%d atoms are tied, and it is not explained whole: %+v", n, e)
	}
	if e := ask(1); e.Wide || len(e.Leaves) == 0 {
		t.Errorf("what is known is not told: %+v", e)
	}
}

// What is drawn of the atoms that push has no more than a drawing shows, and the atom itself is explained as ever.
func TestDrawn(t *testing.T) {
	const drawn = 2
	m, theta, x := mrftest.Random(rand.New(rand.NewPCG(2, 5)), families["sparse"])
	s, below := solved(t, mrftest.Field(m, theta, x), 1e-6), 0
	for i := range int32(m.Variables) {
		e, err := s.Explain(context.Background(), numbers{}, i, Options{Depth: 1, Shown: -1, Drawn: drawn})
		if err != nil || e.Unique && e.Value > 0 && len(e.Leaves) == 0 {
			t.Fatalf("%v is not explained: %v", e, err)
		}
		for _, of := range e.Because {
			below++
			if len(of.Leaves) > 0 || len(of.Pushes) > (drawn+1)*len(of.Rules) {
				t.Errorf("%s has %d leaves and %d pushes", of.Atom, len(of.Leaves), len(of.Pushes))
			}
		}
	}
	if below == 0 {
		t.Error("nothing is drawn")
	}
}

package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The table of all atoms must say what their explanations say.
func TestAllAgreesWithEach(t *testing.T) {
	eachSolved(t, 1e-4, func(t *testing.T, s *State) {
		visited := 0
		err := s.All(context.Background(), func(all *Summary) error {
			visited++
			addsUp(t, all)
			return nil
		})
		if err != nil || visited != len(s.y) {
			t.Error(err, visited)
		}
		for i := range int32(len(s.y)) { // explaining one may solve others further
			all := s.summarize(i, s.index.Of(i, nil), make([]float64, s.field.Model.Rules))
			if addsUp(t, &all); all.Unexplained > 1e-7*all.Sizes {
				continue // explaining it by itself would solve it further
			}
			e := explain(t, s, int(i))
			if math.Abs(e.Value-all.Value) > 1e-6 || math.Abs(e.BoundForce-all.BoundForce) > 1e-4*(1+all.Sizes) {
				t.Errorf("%+v, and by itself %+v", all, e)
			}
		}
	})
}

func addsUp(t *testing.T, all *Summary) {
	t.Helper()
	if math.Abs(all.Unexplained) > 1e-6*all.Sizes {
		t.Errorf("%v of %v is not explained of %d", all.Unexplained, all.Sizes, all.Number)
	}
	left := all.Unexplained - all.BoundForce
	for _, push := range all.ByRule {
		left -= push
	}
	if math.Abs(left) > 1e-9*(1+all.Sizes) {
		t.Errorf("the rules' pushes on %d do not add up: %+v", all.Number, all)
	}
}

// Where weights are fourteen orders of magnitude apart, what rounding leaves of a slack costs more than the weak rules
// ask for, and a multiplier that is next to nothing beside its weight may hold all the others.
func TestScalesAddUp(t *testing.T) {
	for _, exponent := range []int{1, 2} {
		const n = 60
		random := rand.New(rand.NewPCG(5, 6))
		m, theta := &mrf.Model{Variables: n, Rules: 4}, []float64{1e-6, 1e6, 1e8, 1e-3}
		pull := func(rule int, coef []float64, constant float64, vars ...int32) {
			m.Blocks = append(m.Blocks, &mrf.Block{Rule: rule, Kind: mrf.Absolute, Exponent: exponent, Len: 1, Coef: coef,
				Vars: vars, Constant: constant})
		}
		for i := range int32(n) {
			if i > 0 {
				pull(int(i%2), []float64{1, -1}, 0, i-1, i)
			}
			if i%3 == 0 {
				pull(2, []float64{1}, -random.Float64(), i)
			}
			pull(3, []float64{1}, -random.Float64(), i)
		}
		s := solved(t, mrftest.Field(m, theta, nil), 1e-6)
		err := s.All(context.Background(), func(all *Summary) error {
			addsUp(t, all)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Summaries in several turns are in order, and the same by any number of threads.
func TestSummariesByThreads(t *testing.T) {
	shape := mrftest.Shape{Variables: 9000, Inputs: 2, Blocks: 3, Potentials: 9000, Kinds: mrftest.Squared, Arity: 2}
	m, theta, x := mrftest.Random(rand.New(rand.NewPCG(3, 4)), shape)
	theta = append(theta, make([]float64, 400)...) // rules without ground rules, so that a turn has few variables
	m.Rules = len(theta)
	var all []Summary
	for _, threads := range []int{1, 2, 5} {
		s, k := solved(t, mrftest.Field(m, theta, x), 1e-4), 0
		s.settings.Threads = threads
		err := s.All(context.Background(), func(one *Summary) error {
			got := *one
			got.ByRule = slices.Clone(one.ByRule)
			if threads == 1 {
				all = append(all, got)
			}
			if int(got.Number) != k || !reflect.DeepEqual(got, all[k]) {
				t.Fatalf("%d threads: %+v in place of %+v", threads, got, all[k])
			}
			k++
			return nil
		})
		if err != nil || k != m.Variables {
			t.Fatal(err, k)
		}
	}
}

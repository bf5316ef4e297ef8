package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// What a region says that it does to the objective and the gap of the whole must be what they are then.
func TestRegionsKnowTheProofOfTheWhole(t *testing.T) {
	for name, shape := range families {
		regions := 0
		for seed := range uint64(models) {
			m, theta, x := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
			s := solved(t, mrftest.Field(m, theta, x), 1e-2)
			for i := range int32(m.Variables) {
				if s == nil {
					break
				}
				before := s.whole()
				objective, was := before.objective.Value(), before.gap.Value()
				r := s.region(i, nil, nil)
				done, err := r.resolve(context.Background(), 1e-9, 1e-6, 1e-6, m.Variables/2)
				if err != nil {
					t.Fatal(err)
				}
				if !done || r.violation > feasible {
					continue
				}
				r.accept()
				after := solve.Certify(s.field, s.y, s.mu)
				regions++
				gap := was + r.gap
				if scale := 1 + math.Abs(after.Objective); math.Abs(objective+r.objective-after.Objective) > 1e-9*scale ||
					math.Abs(gap-(after.Objective-after.DualBound)) > 1e-9*scale {
					t.Fatalf("%s, seed %d, variable %d: %v with a gap of %v, and in fact %+v", name, seed, i,
						objective+r.objective, gap, after)
				}
				kept(t, s)
			}
		}
		if regions < 20 {
			t.Errorf("%s: only %d regions", name, regions)
		}
	}
}

// A region that creeps along a chain is given up long before it is as large as it may be.
func TestRegionsThatCreep(t *testing.T) {
	const n = 600
	m, theta := &mrf.Model{Variables: n, Rules: 3}, []float64{0, 0.01, 1}
	for i := range int32(n) {
		between := &mrf.Block{Rule: 0, Kind: mrf.Equal, Len: 1, Coef: []float64{-0.55, 1, -0.45},
			Vars: []int32{i - 1, i, i + 1}}
		if i > 0 && i < n-1 {
			m.Blocks = append(m.Blocks, between)
		}
		m.Blocks = append(m.Blocks, &mrf.Block{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Len: 1, Coef: []float64{1},
			Vars: []int32{i}, Constant: -0.3})
	}
	s := solved(t, mrftest.Field(m, theta, nil), 1e-9)
	r := s.region(n/2, nil, []Ground{{Rule: 2, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Constant: -0.9,
		Vars: []int32{n / 2}, Coef: []float64{1}}})
	done, err := r.resolve(context.Background(), 1e-12, 1e-12, 1e-12, n)
	if err != nil || done || r.size() > n/2 {
		t.Errorf("error %v, done: %v, with %d atoms", err, done, r.size())
	}
}

// kept checks that what is proven about the whole is what it would be if it were proven anew.
func kept(t *testing.T, s *State) {
	t.Helper()
	was := s.proof
	s.proof = nil
	now := s.whole()
	scale := 1 + math.Abs(now.objective.Value())
	close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*scale }
	if !close(was.objective.Value(), now.objective.Value()) || !close(was.gap.Value(), now.gap.Value()) ||
		!slices.EqualFunc(was.slopes, now.slopes, close) {
		t.Fatalf("%v with a gap of %v, and anew %v and %v", was.objective.Value(), was.gap.Value(), now.objective.Value(),
			now.gap.Value())
	}
}

// Explanations sharpen the state, and what is proven about it goes along.
func TestProofsAreKept(t *testing.T) {
	eachSolved(t, 1e-3, func(t *testing.T, s *State) {
		s.whole()
		for i := range int32(len(s.y)) {
			if err := s.sharpen(context.Background(), i); err != nil {
				t.Fatal(err)
			}
			s.whole()
			kept(t, s)
		}
	})
}

// Ground rules that are left out have the same effect whether what is around them is solved, or all that is connected.
func TestRegionsAgreeWithTheWhole(t *testing.T) {
	ctx := context.Background()
	eachSolved(t, 1e-6, func(t *testing.T, s *State) {
		for place := 0; place < len(s.mu); place += 5 {
			change := Without("", -1, place)
			near, err := s.WhatIf(ctx, 0, change)
			if err != nil {
				t.Fatal(err)
			}
			far, err := s.anew(ctx, 0, change, s.gone(change))
			if err != nil {
				t.Fatal(err)
			}
			room := (near.Gap+far.Gap)*max(s.field.Grain(), math.Abs(far.Objective)) + 1e-7
			if math.IsNaN(near.Value) != math.IsNaN(far.Value) || math.Abs(near.Objective-far.Objective) > room {
				t.Errorf("without %d: %+v, and all of it: %+v", place, near, far)
			}
		}
	})
}

// What a region improves on is no reason to solve all that it is connected with.
func TestWhatIfStaysNearWhereItImproves(t *testing.T) {
	const n = 1000
	b := mrftest.New(n, 0, 2)
	b.Rule(0, mrf.Absolute, 2)
	for i := range n - 1 {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: i + 1, Coef: -1}}, nil)
	}
	b.Rule(1, mrf.Absolute, 2)
	for i := range n {
		b.Add(-0.2-0.6*float64(i%2), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	field := mrftest.Field(b.Model(), []float64{1, 1}, nil)
	s := solved(t, field, 1e-9)
	for i := range s.y {
		s.y[i] += 0.003 * float64(1-i%3)
	}
	before := solve.Certify(field, s.y, s.mu)
	got, err := s.WhatIf(context.Background(), 500, Without("", -1, n-1+500))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.components) > 0 {
		t.Errorf("all was solved where the gap fell from %v to %v", before.Gap, got.Gap)
	}
}

// A change that is hard to solve is not one that hard rules do not allow: without one of them there is a state if there
// was one with it. Along a chain of means that lean to one side, multipliers grow beyond what numbers tell apart.
func TestLessIsNoContradiction(t *testing.T) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	m, theta := &mrf.Model{Variables: n, Rules: 3}, []float64{0, 0.01, 1}
	one := func(rule int, kind mrf.Kind, exponent int, i int32, a, constant float64) {
		m.AppendPotential(&mrf.Potential{Rule: rule, Kind: kind, Exponent: exponent, Scale: 1, Vars: []int32{i},
			Coef: []float64{a}, Constant: constant})
	}
	for i := range int32(n - 2) {
		m.AppendPotential(&mrf.Potential{Kind: mrf.Equal, Exponent: 1, Scale: 1, Vars: []int32{i + 1, i, i + 2},
			Coef: []float64{1, -0.55, -0.45}})
	}
	one(0, mrf.Equal, 1, 0, 1, 0)
	for i := range int32(n) {
		one(1, mrf.Absolute, 2, i, 1, -0.5-0.3*math.Sin(20*float64(i)/n)-0.2*(rng.Float64()-0.5))
	}
	one(2, mrf.Hinge, 1, n-1, -1, 0.7)
	s := solved(t, mrftest.Field(m, theta, nil), 1e-6)
	for place := 330; place < n-2; place += 90 {
		found, err := s.WhatIf(t.Context(), 0, Without("", -1, place))
		if err != nil {
			t.Fatal(err)
		}
		if math.IsNaN(found.Value) || !(found.Gap < 1e-4) {
			t.Errorf("without %d: %+v", place, found)
		}
	}
}

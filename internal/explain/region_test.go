package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
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
				r := s.region(i, nil, nil)
				done, err := r.resolve(context.Background(), 1e-9, 1e-6, m.Variables/2)
				if err != nil {
					t.Fatal(err)
				}
				if !done || r.violation > feasible {
					continue
				}
				r.accept()
				after := s.whole()
				regions++
				gap := before.Objective - before.DualBound + r.gap
				if scale := 1 + math.Abs(after.Objective); math.Abs(before.Objective+r.objective-after.Objective) > 1e-9*scale ||
					math.Abs(gap-(after.Objective-after.DualBound)) > 1e-9*scale {
					t.Fatalf("%s, seed %d, variable %d: %v with a gap of %v, and in fact %+v", name, seed, i,
						before.Objective+r.objective, gap, after)
				}
			}
		}
		if regions < 20 {
			t.Errorf("%s: only %d regions", name, regions)
		}
	}
}

// Ground rules that are left out have the same effect whether what is around them is solved, or all that is connected.
func TestRegionsAgreeWithTheWhole(t *testing.T) {
	ctx := context.Background()
	for name, shape := range families {
		for seed := range uint64(models) {
			m, theta, x := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
			s := solved(t, mrftest.Field(m, theta, x), 1e-6)
			for place := 0; s != nil && place < len(s.mu); place += 5 {
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
					t.Errorf("%s, seed %d: without %d: %+v, and all of it: %+v", name, seed, place, near, far)
				}
			}
		}
	}
}

package deeppsl_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
)

// Counterfactuals are proven as well as the answer was asked to be, also where multipliers of linear rules that hold
// each other are many: what is made exact for an explanation pushed atoms around it away from where a bound holds them.
func TestCounterfactualsAreProven(t *testing.T) {
	p, err := deeppsl.Parse(`1: Seen(A) -> True(A)
		2: Follows(A, B) & True(A) -> True(B)
		0.3: !True(A)
		0.2: True(A) = 0.5 ^2`)
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(12); seed < 18; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 20 + rng.IntN(150)
		person := func() string { return fmt.Sprint("p", rng.IntN(n)) }
		var seen, follows, targets deeppsl.Rows
		for k := range n {
			targets = append(targets, []string{fmt.Sprint("p", k)})
			if rng.IntN(3) == 0 {
				seen = append(seen, []string{fmt.Sprint("p", k), fmt.Sprintf("%.2f", rng.Float64())})
			}
		}
		for k := range n {
			follows = append(follows, []string{fmt.Sprint("p", k), person()}, []string{person(), fmt.Sprint("p", k)})
		}
		data := deeppsl.NewData(p)
		data.Observe("Seen", seen)
		data.Observe("Follows", follows)
		data.Target("True", targets)
		s, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			changes := []change.Change{change.Observe(math.Round(100*rng.Float64())/100, "Seen", person()),
				change.Observe(1, "Follows", person(), person())}
			if rng.IntN(2) == 0 {
				changes = append(changes, change.Weight(rng.IntN(4), math.Round(100*rng.Float64()+1)/33))
			}
			if _, err := s.Apply(ctx, changes...); err != nil {
				t.Fatal(err)
			}
			e, err := s.Explain(ctx, deeppsl.Details{Changes: 2}, "True", person())
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range e.Counterfactuals {
				if c.Gap > 2e-4 {
					t.Errorf("seed %d, %s: %+v", seed, e.Atom, c)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

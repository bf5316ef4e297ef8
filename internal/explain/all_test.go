package explain

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The table of all atoms must say what their explanations say.
func TestAllAgreesWithEach(t *testing.T) {
	for name, shape := range families {
		for seed := range uint64(models) {
			m, theta, x := mrftest.Random(rand.New(rand.NewPCG(seed, 5)), shape)
			s := solved(t, mrftest.Field(m, theta, x), 1e-4)
			if s == nil {
				continue
			}
			visited := 0
			err := s.All(context.Background(), func(all *Summary) error {
				if visited++; math.Abs(all.Unexplained) > 1e-6*all.Sizes {
					t.Errorf("%s, seed %d: %v of %v is not explained of %d", name, seed, all.Unexplained, all.Sizes, all.Number)
				}
				left := all.Unexplained - all.BoundForce
				for _, push := range all.ByRule {
					left -= push
				}
				if math.Abs(left) > 1e-9*(1+all.Sizes) {
					t.Errorf("%s, seed %d: the rules' pushes on %d do not add up: %+v", name, seed, all.Number, all)
				}
				if all.Unexplained > 1e-7*all.Sizes {
					return nil // explaining it by itself would solve it further
				}
				e := explain(t, s, int(all.Number))
				if math.Abs(e.Value-all.Value) > 1e-6 || math.Abs(e.BoundForce-all.BoundForce) > 1e-4*(1+all.Sizes) {
					t.Errorf("%s, seed %d: %+v, and by itself %+v", name, seed, all, e)
				}
				return nil
			})
			if err != nil || visited != m.Variables {
				t.Error(err, visited)
			}
		}
	}
}

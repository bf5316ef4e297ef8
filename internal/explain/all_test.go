package explain

import (
	"context"
	"math"
	"testing"
)

// The table of all atoms must say what their explanations say.
func TestAllAgreesWithEach(t *testing.T) {
	eachSolved(t, 1e-4, func(t *testing.T, s *State) {
		visited := 0
		err := s.All(context.Background(), func(all *Summary) error {
			if visited++; math.Abs(all.Unexplained) > 1e-6*all.Sizes {
				t.Errorf("%v of %v is not explained of %d", all.Unexplained, all.Sizes, all.Number)
			}
			left := all.Unexplained - all.BoundForce
			for _, push := range all.ByRule {
				left -= push
			}
			if math.Abs(left) > 1e-9*(1+all.Sizes) {
				t.Errorf("the rules' pushes on %d do not add up: %+v", all.Number, all)
			}
			if all.Unexplained > 1e-7*all.Sizes {
				return nil // explaining it by itself would solve it further
			}
			e := explain(t, s, int(all.Number))
			if math.Abs(e.Value-all.Value) > 1e-6 || math.Abs(e.BoundForce-all.BoundForce) > 1e-4*(1+all.Sizes) {
				t.Errorf("%+v, and by itself %+v", all, e)
			}
			return nil
		})
		if err != nil || visited != len(s.y) {
			t.Error(err, visited)
		}
	})
}

package perception_test

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// shelf keeps values elsewhere; empty, they cannot be had.
type shelf struct{ state []byte }

func (s *shelf) Step(perception.OptimiserKind, float64, float64) {}
func (s *shelf) State() []byte                                   { return slices.Clone(s.state) }
func (s *shelf) Restore(state []byte)                            { s.state = state }

// Parameters get the values of others, wherever these are kept, or none of them.
func TestCopy(t *testing.T) {
	for _, kept := range [][]byte{[]byte("seven"), nil} {
		own := &shelf{[]byte("nine")}
		to := []*perception.Parameter{{Value: []float32{1, 2}}, {Keeper: own}}
		perception.Copy(to, []*perception.Parameter{{Value: []float32{3, 4}}, {Keeper: &shelf{kept}}})
		values, state := []float32{3, 4}, "seven"
		if kept == nil {
			values, state = []float32{1, 2}, "nine"
		}
		if !slices.Equal(to[0].Value, values) || string(own.state) != state {
			t.Errorf("from %q: %v and %q, want %v and %q", kept, to[0].Value, own.state, values, state)
		}
	}
}

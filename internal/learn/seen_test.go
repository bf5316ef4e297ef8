package learn

import (
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// sights is a scene of three things of two classes each, of which two are known to be the same.
func sights() *Scene {
	return &Scene{Perception: pairs{},
		Counterparts: &Teacher{Groups: []TeacherGroup{{Inputs: []int32{0, 1}, Variables: []int32{5, 6}},
			{Inputs: []int32{2, 3}, Variables: []int32{7, 8}}, {Inputs: []int32{4, 5}, Variables: []int32{9, 10}}}},
		Labels: &label.Labels{Variables: []int32{5, 6, 7, 8}, Truth: []float64{1, 0, 1, 0}},
	}
}

// pairs is a perception of three things of two classes each.
type pairs struct{ perception.Networks }

func (pairs) Distributions() [][]int32 { return [][]int32{{0, 1}, {2, 3}, {4, 5}} }

// Labels of what is seen are those of inputs, and of anything else there is nothing to fit networks alone to.
func TestSeen(t *testing.T) {
	want := &label.Labels{Variables: []int32{0, 1, 2, 3}, Truth: []float64{1, 0, 1, 0}, Entities: []int32{0, 0, 1, 1},
		Classes: []int32{0, 1, 0, 1}}
	if seen := sights().Seen(); !reflect.DeepEqual(seen, want) {
		t.Errorf("%+v, want %+v", seen, want)
	}
	for name, spoil := range map[string]func(*Scene){
		"no counterpart": func(s *Scene) { s.Counterparts = nil },
		"no shares":      func(s *Scene) { s.Perception = nobody{} },
		"another label":  func(s *Scene) { s.Labels.Variables[3] = 20 },
		"of two":         func(s *Scene) { s.Labels.Truth[1] = 1 },
		"of none":        func(s *Scene) { s.Labels.Truth[0] = 0 },
		"none known":     func(s *Scene) { s.Labels = new(label.Labels) },
	} {
		s := sights()
		if spoil(s); s.Seen() != nil {
			t.Errorf("%s: there is something to fit", name)
		}
	}
}

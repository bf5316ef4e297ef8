package eval

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// Truth that nobody has named an evaluator for is scored by what it is.
func TestSuited(t *testing.T) {
	unknown := math.NaN()
	for _, test := range []struct {
		name  string
		truth [][]float64 // by object and category; -1 is no atom
		want  string
	}{
		{"nothing known", [][]float64{{unknown, unknown}}, ""},
		{"choices that name the right one", [][]float64{{1, unknown}, {unknown, 1}, {unknown, unknown}}, "categorical"},
		{"choices that name all", [][]float64{{1, 0, 0}, {0, 0, 1}}, "categorical"},
		{"two right", [][]float64{{1, 0, 1}, {0, 0, 1}}, "discrete"},
		{"none right", [][]float64{{0, 0, 0}, {0, 0, 1}}, "discrete"},
		{"one object", [][]float64{{1, 0, 0}}, "discrete"},
		{"nothing to choose", [][]float64{{1, -1}, {1, 0}}, "discrete"},
		{"degrees", [][]float64{{1, 0.5}, {0, 1}}, "continuous"},
	} {
		atoms, s := relation.NewBuilder("Label", 2), new(Scored)
		for object, row := range test.truth {
			for category, truth := range row {
				if truth != -1 {
					add(t, atoms, relation.Target, 0, object, category)
					s.Rows = append(s.Rows, int32(len(s.Rows)))
					s.Prediction, s.Truth = append(s.Prediction, 0.5), append(s.Truth, truth)
				}
			}
		}
		s.Atoms = atoms.Relation(false)
		if got := Suited(s); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := Suited(numbers([]float64{0.5}, []float64{1})); got != "discrete" {
		t.Errorf("numbers alone: %q", got)
	}
}

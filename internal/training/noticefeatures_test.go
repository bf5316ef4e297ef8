package training

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// A column has a class if its two values tell it from all others, whichever is which.
func TestDividedBy(t *testing.T) {
	for name, test := range map[string]struct {
		column  []float32
		classes []symbol.ID
		want    []symbol.ID
	}{
		"the label":           {[]float32{1, 0, 1, 0}, []symbol.ID{7, 8, 7, 8}, []symbol.ID{7, 8}},
		"its contrary":        {[]float32{-3, 5, -3, 5}, []symbol.ID{8, 7, 8, 7}, []symbol.ID{7, 8}},
		"one class of three":  {[]float32{1, 0, 0, 1}, []symbol.ID{7, 8, 9, 7}, []symbol.ID{7}},
		"most of a class":     {[]float32{1, 0, 0, 0}, []symbol.ID{7, 8, 9, 7}, nil},
		"more than a class":   {[]float32{1, 1, 0, 1}, []symbol.ID{7, 8, 7, 7}, nil},
		"three values":        {[]float32{1, 2, 3, 1}, []symbol.ID{7, 8, 9, 7}, nil},
		"one value":           {[]float32{1, 1}, []symbol.ID{7, 7}, nil},
		"two classes on each": {[]float32{1, 1, 0, 0}, []symbol.ID{6, 7, 8, 9}, nil},
	} {
		got := dividedBy(test.column, test.classes)
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

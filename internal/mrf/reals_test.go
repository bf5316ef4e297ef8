package mrf_test

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

func numbers(r *mrf.Reals) (all []float64) {
	for k := range r.Len() {
		all = append(all, r.At(k))
	}
	return all
}

// Numbers are kept as they are, in single precision as long as that is exact.
func TestRealsAreExact(t *testing.T) {
	var r mrf.Reals
	want := []float64{1, 0.5, -3}
	for _, v := range want {
		r.Append(v)
	}
	if got := numbers(&r); !slices.Equal(got, want) || r.Bytes() != 12 {
		t.Errorf("%v in %d bytes, want %v in 12", got, r.Bytes(), want)
	}
	single := r.Clone()
	want = append(want, 1.001, 2)
	r.Append(1.001)
	r.Append(2)
	if got := numbers(&r); !slices.Equal(got, want) || r.Bytes() != 40 {
		t.Errorf("%v in %d bytes, want %v in 40", got, r.Bytes(), want)
	}
	single.AppendRange(&r, 3, 5)
	if got := numbers(&single); !slices.Equal(got, want) {
		t.Errorf("appended %v, want %v", got, want)
	}
	r.Reset()
	if r.Append(4); !slices.Equal(numbers(&r), []float64{4}) || r.Bytes() != 4 {
		t.Errorf("%v in %d bytes after a reset", numbers(&r), r.Bytes())
	}
}

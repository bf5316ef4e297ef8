package reuse_test

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/reuse"
)

func TestLen(t *testing.T) {
	v := []int{1, 2, 3}
	if short := reuse.Len(v, 2); len(short) != 2 || &short[0] != &v[0] {
		t.Error("another memory for fewer values")
	}
	if long := reuse.Len(v, 5); len(long) != 5 {
		t.Errorf("%d values in place of 5", len(long))
	}
	if none := reuse.Len[int](nil, 0); len(none) != 0 {
		t.Error("values of nothing")
	}
}

// What is there stays, and memory is taken as often as a length doubles.
func TestMore(t *testing.T) {
	var v []int
	taken, before := 0, 0
	for k := range 10_000 {
		if v = reuse.More(v, 1); cap(v) != before {
			taken, before = taken+1, cap(v)
		}
		v[k] = k
	}
	for k, x := range v {
		if x != k {
			t.Fatalf("%d at %d", x, k)
		}
	}
	if taken > 15 {
		t.Errorf("memory was taken %d times", taken)
	}
	if w := reuse.Room(v, 3); !slices.Equal(v, w) || cap(w) < len(v)+3 {
		t.Error("room for 3 more changes what is there, or is none")
	}
}

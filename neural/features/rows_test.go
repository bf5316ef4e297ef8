package features

import (
	"fmt"
	"testing"
)

// Rows that come one by one must be found, also once they are many.
func TestManyLateRows(t *testing.T) {
	f, err := NewDense([]string{"a"}, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	const n = 3 * lateRows
	for k := range n {
		if f, _, err = f.With([]Row{{ID: fmt.Sprint(k), Values: []float32{float32(k)}}}); err != nil {
			t.Fatal(err)
		}
	}
	for k := range n {
		if at, ok := f.Row(fmt.Sprint(k)); !ok || f.values[at] != float32(k) {
			t.Fatalf("row %d is %d, %v", k, at, ok)
		}
	}
	if len(f.late) > lateRows+len(f.rowOf)/8 {
		t.Errorf("%d rows are in a map that is copied", len(f.late))
	}
}

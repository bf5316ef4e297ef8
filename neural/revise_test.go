package neural

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/neural/features"
)

// drawRow draws a row of three columns.
func drawRow(t *rapid.T) features.Row {
	r := features.Row{ID: fmt.Sprint("r", rapid.IntRange(0, 9).Draw(t, "id"))}
	number := rapid.SampledFrom([]float32{0, 0.5, 1, -2, 40})
	if rapid.Bool().Draw(t, "columns") {
		r.Columns = []int32{}
		for c := range int32(3) {
			if rapid.Bool().Draw(t, "has") {
				r.Columns, r.Values = append(r.Columns, c), append(r.Values, number.Draw(t, "value"))
			}
		}
		return r
	}
	for range 3 {
		r.Values = append(r.Values, number.Draw(t, "value"))
	}
	return r
}

// dense3 makes a table of what rows come to, in the order of the entities' first rows.
func dense3(t *rapid.T, rows []features.Row, sparse bool) *features.Table {
	var ids []string
	values := make(map[string][]float32)
	for _, r := range rows {
		if values[r.ID] == nil {
			ids, values[r.ID] = append(ids, r.ID), make([]float32, 3)
		}
		clear(values[r.ID])
		for k, v := range r.Values {
			c := k
			if r.Columns != nil {
				c = int(r.Columns[k])
			}
			values[r.ID][c] = v
		}
	}
	var all, kept []float32
	var columns []int32
	start := []int{0}
	for _, id := range ids {
		all = append(all, values[id]...)
		for c, v := range values[id] {
			if v != 0 {
				columns, kept = append(columns, int32(c)), append(kept, v)
			}
		}
		start = append(start, len(kept))
	}
	var f *features.Table
	var err error
	if sparse {
		f, err = features.NewSparse(ids, 3, start, columns, kept)
	} else {
		f, err = features.NewDense(ids, 3, all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Networks whose features were revised must say what those say that had the revised table from the start, with the
// scale of the first one; what is taken back must leave nothing.
func TestRevise(t *testing.T) {
	replaced := 0
	rapid.Check(t, func(t *rapid.T) {
		sparse := rapid.Bool().Draw(t, "sparse")
		normalize := rapid.SampledFrom([]Normalization{StandardColumns, StandardValues, RowsToUnitSum, RowsToUnitL2,
			RowsByTFIDF, NoNormalization}).Draw(t, "normalize")
		rows := []features.Row{{ID: "r0", Values: []float32{1, 2, -3}}}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			rows = append(rows, drawRow(t))
		}
		spec := Spec{Name: "n", Kind: "mlp", Features: "f", Normalize: normalize, Outputs: 2, Hidden: []int{4}}
		made := func(f *features.Table) *System {
			s, err := New([]Spec{spec}, map[string]*features.Table{"f": f}, 7)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		first := dense3(t, rows, sparse)
		original := made(first)
		if err := original.Standardize("n", nil); err != nil {
			t.Fatal(err)
		}
		before := answersOf(t, original, first)
		s := original.Fork()
		table := first
		for range rapid.IntRange(1, 5).Draw(t, "revisions") {
			var more []features.Row
			for range rapid.IntRange(1, 4).Draw(t, "rows") {
				more = append(more, drawRow(t))
			}
			was := answersOf(t, s, table)
			revised, undo, err := s.Revise("n", more)
			if err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 2).Draw(t, "undo") == 0 {
				undo()
				if now := answersOf(t, s, table); !maps.EqualFunc(was, now, slices.Equal[[]float32]) {
					t.Fatalf("it is taken back: %v, and was %v", now, was)
				}
				continue
			}
			if revised.Len() < table.Len()+len(more) {
				replaced++
			}
			rows, table = append(rows, more...), revised
		}
		cold := made(dense3(t, rows, sparse))
		for k, p := range original.parameters { // of which the scale is the first one's
			copy(cold.parameters[k].Value, p.Value)
		}
		cold.networks[0].rescale()
		if now, want := answersOf(t, s, table), answersOf(t, cold, cold.networks[0].raw); !maps.EqualFunc(now, want,
			slices.Equal[[]float32]) {
			t.Fatalf("after %v\n%v\nwant\n%v", rows, now, want)
		}
		if again := answersOf(t, original, first); !maps.EqualFunc(before, again, slices.Equal[[]float32]) {
			t.Fatal("the networks that it was made of have changed")
		}
	})
	if replaced == 0 {
		t.Error("no row took the place of another")
	}
}

// answersOf are what a network says of each entity.
func answersOf(t *rapid.T, s *System, f *features.Table) map[string][]float32 {
	rows := make([]int32, f.Len())
	for k := range rows {
		rows[k] = int32(k)
	}
	out, err := s.Predict("n", rows)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]float32)
	for k, id := range f.IDs() {
		all[id] = out[2*k : 2*k+2]
		if at, known := f.Row(id); !known || int(at) != k {
			t.Fatalf("row %d of %q is known as %d, %v", k, id, at, known)
		}
	}
	return all
}

func TestReviseRefuses(t *testing.T) {
	f, err := features.NewDense([]string{"a", "b"}, 2, []float32{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New([]Spec{{Name: "n", Features: "f", Outputs: 2}}, map[string]*features.Table{"f": f}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row  features.Row
		want string
	}{
		{features.Row{ID: "c", Values: []float32{1}}, "has 1 values; the features have 2 columns"},
		{features.Row{ID: "c", Columns: []int32{0}, Values: []float32{1, 2}}, "has 2 values"},
		{features.Row{ID: "c", Columns: []int32{2}, Values: []float32{1}}, "has column 2"},
		{features.Row{ID: "c", Columns: []int32{-1}, Values: []float32{1}}, "has column -1"},
		{features.Row{ID: "c", Columns: []int32{1, 1}, Values: []float32{1, 1}}, "columns ascend"},
		{features.Row{ID: "c", Values: []float32{1, float32(math.NaN())}}, "finite numbers"},
		{features.Row{ID: "c", Values: []float32{1, float32(math.Inf(1))}}, "finite numbers"},
	} {
		if _, _, err := s.Revise("n", []features.Row{{ID: "d", Values: []float32{1, 1}}, c.row}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.row, err, c.want)
		}
	}
	if _, _, err := s.Revise("m", nil); err == nil {
		t.Error("there is no network m")
	}
	if s.networks[0].raw != f {
		t.Error("a table that was refused is there")
	}
}

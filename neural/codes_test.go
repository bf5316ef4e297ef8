package neural

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// codedTable is of a number, and of a code that is one of 10, 20 and 40.
func codedTable(t *testing.T) *features.Table {
	t.Helper()
	table, err := features.NewDense([]string{"a", "b", "c", "d"}, 2, []float32{0.5, 10, -1, 20, 2, 40, 0, 10})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var codesOfTable = []Codes{{Column: 1, Values: []float32{10, 20, 40}}}

// A network that sees values one by one is that of a table which has a column for each of them.
func TestCodesAreColumns(t *testing.T) {
	spec := []Spec{{Name: "n", Features: "f", Outputs: 2}}
	system, err := New(spec, map[string]*features.Table{"f": codedTable(t)}, 1)
	if err == nil {
		err = system.Code("n", codesOfTable)
	}
	if err != nil {
		t.Fatal(err)
	}
	wide, err := features.NewDense([]string{"a", "b", "c", "d"}, 5,
		[]float32{0.5, 10, 1, 0, 0, -1, 20, 0, 1, 0, 2, 40, 0, 0, 1, 0, 10, 1, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	written, err := New(spec, map[string]*features.Table{"f": wide}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want, got := saidOf(t, written), saidOf(t, system)
	if !slices.Equal(got, want) {
		t.Errorf("%v, of columns %v", got, want)
	}
	// A row that comes later is seen as the others are; what no row had is none of the values.
	_, undo, err := system.Revise("n", []features.Row{
		{ID: "b", Values: []float32{0.5, 10}}, {ID: "e", Values: []float32{0, 30}}})
	if err != nil {
		t.Fatal(err)
	}
	if after := saidOf(t, system); !slices.Equal(after[2:4], after[:2]) || !slices.Equal(after[4:], want[4:]) {
		t.Errorf("%v with other rows", after)
	}
	undo()
	if after := saidOf(t, system); !slices.Equal(after, want) {
		t.Errorf("%v after other rows", after)
	}
}

// saidOf returns the outputs of network n for the first four rows.
func saidOf(t *testing.T, s *System) []float32 {
	t.Helper()
	out, err := s.Predict("n", []int32{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A file says what its network sees one by one, and who reads it sees the same, whatever was so before; a file that
// cannot be read changes nothing.
func TestCodesAreSaved(t *testing.T) {
	made := func(codes []Codes, table *features.Table, seed uint64) *System {
		system, err := New([]Spec{{Name: "n", Features: "f", Outputs: 2}}, map[string]*features.Table{"f": table}, seed)
		if err == nil {
			err = system.Code("n", codes)
		}
		if err != nil {
			t.Fatal(err)
		}
		return system
	}
	for _, from := range [][]Codes{codesOfTable, nil} {
		saved := made(from, codedTable(t), 1)
		want := saidOf(t, saved)
		var file bytes.Buffer
		if err := saved.Save(&file); err != nil {
			t.Fatal(err)
		}
		for _, into := range [][]Codes{nil, codesOfTable, {{Column: 0, Values: []float32{2}}}} {
			read := made(into, codedTable(t), 2)
			before := saidOf(t, read)
			damaged := bytes.Replace(file.Bytes(), []byte("output.biases"), []byte("output.biasez"), 1)
			if err := read.Load(bytes.NewReader(damaged)); err == nil || !slices.Equal(saidOf(t, read), before) {
				t.Errorf("from %v into %v: a damaged file: %v", from, into, err)
			}
			if err := read.Load(bytes.NewReader(file.Bytes())); err != nil {
				t.Fatal(err)
			}
			if got := saidOf(t, read); !slices.Equal(got, want) || !slices.EqualFunc(read.Codes("n"), from, Codes.equal) {
				t.Errorf("from %v into %v: %v, not %v", from, into, got, want)
			}
		}
		scaled := made(nil, codedTable(t), 1)
		if err := scaled.SetScales(saved.Scales()); err != nil || !slices.Equal(saidOf(t, scaled), want) {
			t.Errorf("by scales: %v, not %v (%v)", saidOf(t, scaled), want, err)
		}
	}
	var file bytes.Buffer
	if err := made(codesOfTable, codedTable(t), 1).Save(&file); err != nil {
		t.Fatal(err)
	}
	narrow, err := features.NewDense([]string{"a"}, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := made(nil, narrow, 1).Load(&file); err == nil || !strings.Contains(err.Error(), "column 2 it sees") {
		t.Errorf("one column: %v", err)
	}
}

// What does not learn, or has seen something, stays as it is.
func TestCodesBeforeLearning(t *testing.T) {
	for _, test := range []struct {
		name string
		spec Spec
		want bool
	}{
		{"an mlp", Spec{Outputs: 2}, true},
		{"frozen", Spec{Outputs: 2, Frozen: true}, false},
		{"unscaled", Spec{Outputs: 2, Normalize: NoNormalization}, false},
		{"pairs", Spec{Kind: siamese}, false},
	} {
		test.spec.Name, test.spec.Features = "n", "f"
		system, err := New([]Spec{test.spec}, map[string]*features.Table{"f": codedTable(t)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := system.CanCode("n"); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		if err := system.Standardize("n", nil); err != nil || system.CanCode("n") {
			t.Errorf("%s has seen its features, and can: %v", test.name, err)
		}
	}
}

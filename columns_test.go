package deeppsl_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
)

// Columns are the atoms, the values and the order of Atoms, also where atoms have come and gone.
func TestColumnsAreTheAtoms(t *testing.T) {
	p, err := deeppsl.Parse("1: G(A) & T(A, B) -> S(B) ^2\n0.5: !S(A) ^2\n0.5: !T(A, B) ^2")
	if err != nil {
		t.Fatal(err)
	}
	data := deeppsl.NewData(p)
	data.Given("G", deeppsl.Rows{{"a", "1"}, {"b", "0.5"}})
	data.Observe("T", deeppsl.Rows{{"x", "y"}})
	data.Target("T", deeppsl.Rows{{"a", "b"}, {"b", "a"}, {"c", "b"}})
	data.Target("S", deeppsl.Rows{{"a"}, {"b"}, {"d"}})
	s, err := deeppsl.NewSession(ctx, p, data, deeppsl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	compare := func(want int) {
		t.Helper()
		answer, err := s.Infer(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var got []deeppsl.Atom
		for name, c := range answer.Columns() {
			for row, value := range c.Truth {
				atom := deeppsl.Atom{Predicate: name, Value: value}
				for k, codes := range c.Rows {
					atom.Arguments = append(atom.Arguments, c.Constants[k][codes[row]])
				}
				got = append(got, atom)
			}
		}
		all := slices.Collect(answer.Atoms())
		if !reflect.DeepEqual(got, all) || len(all) != want {
			t.Errorf("the columns are %v, want %v, which are %d", got, all, want)
		}
	}
	compare(8)
	if _, err := s.Apply(ctx, change.Remove("T", "a", "b"), change.Target("T", "new", "b")); err != nil {
		t.Fatal(err)
	}
	compare(8)
	answer, err := s.Infer(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name := range answer.Columns("t") {
		if name != "T" {
			t.Errorf("%s was not asked for", name)
		}
	}
}

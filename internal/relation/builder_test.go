package relation

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

func TestBuilderPutsObservedRowsFirst(t *testing.T) {
	b := NewBuilder("Knows", 2)
	rows := []struct {
		tuple []symbol.ID
		truth float64
		role  Role
	}{
		{[]symbol.ID{5, 1}, 0, Target},
		{[]symbol.ID{3, 1}, 0.5, Observed},
		{[]symbol.ID{2, 1}, 0.25, Target},
		{[]symbol.ID{1, 1}, 1, Observed},
	}
	for k, row := range rows {
		if err := b.Add(row.tuple, row.truth, row.role, Place(k)); err != nil {
			t.Fatal(err)
		}
	}
	r := b.Relation(true)
	if diff := cmp.Diff([][]symbol.ID{{3, 1, 5, 2}, {1, 1, 1, 1}}, r.Columns); diff != "" {
		t.Error(diff)
	}
	if r.Value(0) != 0.5 || r.Value(1) != 1 {
		t.Errorf("the observed values are %v", r.Truth)
	}
	if r.GivenValue(2) != 0 || r.GivenValue(3) != 0.25 || r.Truth.Len() != 2 {
		t.Errorf("the targets are given %v", r.Given)
	}
	if r.Observed != 2 || r.FreeLen() != 2 || r.Free != Target || !r.Open || r.Name != "Knows" || r.Arity != 2 {
		t.Errorf("wrong partition: %+v", r)
	}
}

func TestBuilderDropsTruthOfOnes(t *testing.T) {
	b := NewBuilder("P", 1)
	for id := range symbol.ID(3) {
		if err := b.Add([]symbol.ID{id}, 1, Observed, 0); err != nil {
			t.Fatal(err)
		}
	}
	if r := b.Relation(false); r.Truth.Bytes() > 0 || r.Given.Bytes() > 0 || r.Observed != 3 || r.Open {
		t.Errorf("truth %v, %d observed", r.Truth, r.Observed)
	}
}

func TestBuilderReportsDuplicates(t *testing.T) {
	b := NewBuilder("P", 2)
	if err := b.Add([]symbol.ID{7, 8}, 1, Observed, 100); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		role Role
		want string
	}{
		{Observed, "an atom of P is there twice"},
		{Target, "an atom of P is both observed and target"},
	} {
		err := b.Add([]symbol.ID{7, 8}, 1, test.role, 200)
		var duplicate *Duplicate
		if !errors.As(err, &duplicate) {
			t.Fatalf("got %v", err)
		}
		if duplicate.First != 100 || duplicate.Second != 200 || err.Error() != test.want {
			t.Errorf("got %+v: %v", duplicate, err)
		}
	}
	if b.Len() != 1 {
		t.Errorf("a rejected row was kept: %d rows", b.Len())
	}
}

func TestBuilderOfNothingAndOfNoArguments(t *testing.T) {
	if r := NewBuilder("P", 2).Relation(false); r.Len() != 0 || r.Observed != 0 {
		t.Errorf("%d rows", r.Len())
	}
	b := NewBuilder("Rain", 0)
	if err := b.Add(nil, 0.25, Observed, 0); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(nil, 0.25, Observed, 0); err == nil {
		t.Error("the only atom of a predicate without arguments was added twice")
	}
	if r := b.Relation(false); r.Len() != 1 || r.Value(0) != 0.25 {
		t.Errorf("%d rows", r.Len())
	}
}

// TestBuilderIsASet compares the hash table with a map.
func TestBuilderIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arity := rapid.IntRange(1, 3).Draw(t, "arity")
		tuples := rapid.SliceOf(rapid.SliceOfN(rapid.Int32Range(0, 4), arity, arity)).Draw(t, "tuples")
		b := NewBuilder("P", arity)
		seen := map[[3]symbol.ID]bool{}
		for _, tuple := range tuples {
			var key [3]symbol.ID
			copy(key[:], tuple)
			if err := b.Add(tuple, 1, Target, 0); (err != nil) != seen[key] {
				t.Fatalf("adding %v again: %v, want %v", tuple, err, seen[key])
			}
			seen[key] = true
		}
		if r := b.Relation(true); r.Len() != len(seen) {
			t.Fatalf("%d rows, want %d", r.Len(), len(seen))
		}
	})
}

func BenchmarkBuilder(b *testing.B) {
	const rows = 1_000_000
	for b.Loop() {
		builder := NewBuilder("P", 2)
		for row := range symbol.ID(rows) {
			if err := builder.Add([]symbol.ID{row % 1000, row / 1000}, 1, Observed, Place(row)); err != nil {
				b.Fatal(err)
			}
		}
		builder.Relation(false)
	}
}

package symbol

import (
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"pgregory.net/rapid"
)

// TestTable compares the table with a map.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable()
		ids := map[string]ID{}
		names := rapid.SliceOf(rapid.OneOf(rapid.StringN(0, 3, 3), rapid.StringN(1000, 3000, -1))).Draw(t, "names")
		for _, name := range names {
			want, known := ids[name]
			if id, ok := table.Lookup(name); ok != known || ok && id != want {
				t.Fatalf("%q is %d, %v", name, id, ok)
			}
			if !known {
				want = ID(len(ids))
				ids[name] = want
			}
			if id := table.Intern(name); id != want || table.Name(id) != name || table.Len() != len(ids) {
				t.Fatalf("%q is %d of %d, want %d", name, id, table.Len(), want)
			}
		}
	})
}

// TestMany looks at names from before the table grew, and at what they cost.
func TestMany(t *testing.T) {
	const n = 1 << 18
	var table *Table
	peak := alloctest.Peak(func() {
		table = NewTable()
		for k := range n {
			table.Intern(strconv.Itoa(k))
		}
	})
	for k := range n {
		if table.Name(ID(k)) != strconv.Itoa(k) {
			t.Fatalf("constant %d is %q", k, table.Name(ID(k)))
		}
	}
	if peak > 64*n {
		t.Errorf("%d bytes for %d constants", peak, n)
	}
	if says := uint64(table.Bytes()); says > peak || 2*says < peak { // before it grew, it had half of the slots beside
		t.Errorf("a table of %d bytes says that it has %d", peak, says)
	}
}

// TestLongName is about a long name, which is kept apart, as the first one.
func TestLongName(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	table := NewTable()
	if table.Intern(long) != 0 || table.Intern("") != 1 || table.Name(0) != long || table.Name(1) != "" {
		t.Error("names are lost")
	}
}

func BenchmarkIntern(b *testing.B) {
	names := make([]string, 1<<20)
	for k := range names {
		names[k] = "person" + strconv.Itoa(k)
	}
	for b.Loop() {
		table := NewTable()
		for _, name := range names {
			table.Intern(name)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	table := NewTable()
	names := make([]string, 1<<20)
	for k := range names {
		names[k] = "person" + strconv.Itoa(k)
		table.Intern(names[k])
	}
	for b.Loop() {
		for _, name := range names {
			table.Lookup(name)
		}
	}
}

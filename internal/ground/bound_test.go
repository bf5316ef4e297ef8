package ground

import (
	"errors"
	"fmt"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// hub is a relation in which one row of the pivot leads to all pairs of so many links.
func hub(t testing.TB, links int, rule string) *fixture {
	b := newBuilder()
	var link, value []data
	for k := range links {
		link = append(link, observed(fmt.Sprintf("hub n%d", k), 1))
		value = append(value, target(fmt.Sprintf("n%d", k)))
	}
	b.add("Center", 1, false, observed("hub", 1))
	b.add("Link", 2, false, link...)
	b.add("Value", 1, true, value...)
	return b.rules(t, rule)
}

// What one piece makes must be in memory in portions only if the arenas go to a file, however it is made.
func TestMemoryIntoFile(t *testing.T) {
	alloctest.SkipIfRacing(t)
	for name, rule := range map[string]string{
		"skew":  "1: Center(X) & Link(X, A) & Link(X, B) & Value(A) -> Value(B) ^2",
		"cross": "1: Value(A) - Value(B) <= 0 ^2",
		"sums":  "1: Value(+A) - 3 * Value(B) >= 1 ^2",
		"sizes": "1: Value(+A) / |A| - Value(B) >= 0.1 ^2 {A: Link('hub', A)}",
	} {
		const links = 3000 // 9 million numbers and more
		f, file := hub(t, links, rule), scratchFile(t)
		peak := alloctest.Peak(func() { f.made(t, Options{Threads: 2, Scratch: file}) })
		if file.Size() < 36e6 {
			t.Errorf("%s: a file of %d bytes is too small for this test", name, file.Size())
		}
		if peak > 32<<20 {
			t.Errorf("%s: %d bytes of memory for a file of %d", name, peak, file.Size())
		}
	}
}

// Portions must be joined into what a piece would have made at once.
func TestPortions(t *testing.T) {
	model, report := hub(t, 2000, "1: Center(X) & Link(X, A) & Link(X, B) & Value(A) -> Value(B) ^2").made(t, Options{})
	if len(model.Blocks) != 1 || model.Blocks[0].Len != 2000*1999 {
		t.Fatalf("%d blocks, the first of %d, want one of %d", len(model.Blocks), model.Blocks[0].Len, 2000*1999)
	}
	next := 0
	for a := range int32(2000) {
		for b := range int32(2000) {
			if a == b {
				continue // Value(A) -> Value(A) always holds
			}
			vars := model.Blocks[0].Vars[2*next:][:2]
			if vars[0] != a || vars[1] != b {
				t.Fatalf("ground rule %d is about %v, want %d and %d", next, vars, a, b)
			}
			next++
		}
	}
	if report.Total.Potentials != int64(next) {
		t.Errorf("%d ground rules, want %d", report.Total.Potentials, next)
	}
}

// More than there may be in memory must be an error, for any number of threads, and none where it is just enough.
func TestExcess(t *testing.T) {
	f := hub(t, 1000, "1: Center(X) & Link(X, A) & Link(X, B) & Value(A) -> Value(B) ^2")
	for _, threads := range []int{1, 3} {
		var excess *Excess
		if _, _, err := f.ground(Options{Threads: threads, Most: 4 * 2 * 1000 * 999 / 2}); !errors.As(err, &excess) {
			t.Errorf("%d threads: %v, want an Excess", threads, err)
		} else if excess.Rule != f.program.Rules[0] {
			t.Errorf("%d threads: it is said of %s", threads, excess.Rule.Text)
		}
		f.made(t, Options{Threads: threads, Most: 20 * 1000 * 999})
	}
}

// Derived atoms must be as few in memory as there are, and too many of them an error before they are all made.
func TestDeriveBound(t *testing.T) {
	alloctest.SkipIfRacing(t)
	b := newBuilder()
	var rows []data
	for k := range 3000 {
		rows = append(rows, observed(fmt.Sprintf("hub n%d", k), 1))
	}
	b.add("Link", 2, false, rows...)
	b.add("Same", 1, false)
	b.add("Pair", 2, false)
	few := b.definition(t, "Same(X) <- Link(X, A) & Link(X, B)") // one atom, in nine million ways
	peak := alloctest.Peak(func() {
		columns, counts, err := Derive(t.Context(), b.store, few, Options{Threads: 1})
		if err != nil || len(columns[0]) != 1 || counts[0] != 9e6 {
			t.Errorf("%d atoms, %v", len(columns[0]), err)
		}
	})
	if peak > 32<<20 {
		t.Errorf("%d bytes of memory for one atom", peak)
	}
	many := b.definition(t, "Pair(A, B) <- Link(X, A) & Link(X, B)")
	peak = alloctest.Peak(func() {
		var excess *Excess
		if _, _, err := Derive(t.Context(), b.store, many, Options{Threads: 2, Most: 4 << 20}); !errors.As(err, &excess) {
			t.Errorf("%v, want an Excess", err)
		}
	})
	if peak > 64<<20 {
		t.Errorf("%d bytes of memory for what is refused", peak)
	}
}

package relation

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// drawRelation makes a relation whose symbols are dense (so that indexes address directly) or far apart (so that they
// hash). Tuples may repeat: indexes on some of the columns see repetitions all the time.
func drawRelation(t *rapid.T) *Relation {
	arity := rapid.IntRange(0, 4).Draw(t, "arity")
	rows := rapid.IntRange(0, 60).Draw(t, "rows")
	spread := rapid.SampledFrom([]symbol.ID{1, 1000, 40_000_000}).Draw(t, "spread")
	r := &Relation{Name: "P", Arity: arity, Columns: make([][]symbol.ID, arity)}
	if arity == 0 {
		r.Observed = rows
	}
	for k := range r.Columns {
		r.Columns[k] = make([]symbol.ID, rows)
		for row := range rows {
			r.Columns[k][row] = spread * rapid.Int32Range(0, 6).Draw(t, "symbol")
		}
	}
	return r
}

func drawColumns(t *rapid.T, r *Relation) (columns []int) {
	for k := range r.Arity {
		if rapid.Bool().Draw(t, "keyed") {
			columns = append(columns, k)
		}
	}
	return columns
}

// rowsOf is the definition of Index.Rows.
func rowsOf(r *Relation, columns []int, key []symbol.ID) (rows []int32) {
	for row := range r.Len() {
		match := true
		for k, column := range columns {
			match = match && r.Columns[column][row] == key[k]
		}
		if match {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

func TestIndexFindsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRelation(t)
		columns := drawColumns(t, r)
		x := r.Index(columns...)
		keys := [][]symbol.ID{make([]symbol.ID, len(columns))}
		for row := range r.Len() {
			key := make([]symbol.ID, len(columns))
			for k, column := range columns {
				key[k] = r.Columns[column][row]
			}
			keys = append(keys, key)
		}
		for _, key := range keys {
			checkKey(t, r, x, columns, key)
			for k := range key {
				stranger := slices.Clone(key)
				stranger[k] = rapid.Int32().Draw(t, "stranger")
				checkKey(t, r, x, columns, stranger)
			}
		}
	})
}

// FindEach finds, for all keys or some, what Find does for each.
func TestFindEachIsFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRelation(t)
		columns := drawColumns(t, r)
		x := r.Index(columns...)
		keys, n := make([][]symbol.ID, len(columns)), rapid.IntRange(0, 30).Draw(t, "keys")
		want, some := make([]int32, n), []int32{}
		for i := range n {
			key := make([]symbol.ID, len(columns))
			for k, column := range columns {
				if r.Len() > 0 && rapid.IntRange(0, 3).Draw(t, "known") > 0 {
					key[k] = r.Columns[column][rapid.IntRange(0, r.Len()-1).Draw(t, "row")]
				} else {
					key[k] = rapid.Int32().Draw(t, "stranger")
				}
				keys[k] = append(keys[k], key[k])
			}
			want[i] = x.Find(key)
			if rapid.Bool().Draw(t, "asked") {
				some = append(some, int32(i))
			}
		}
		got, scratch := make([]int32, n), make([]uint32, n)
		x.FindEach(got, keys, nil, scratch)
		if !slices.Equal(got, want) {
			t.Fatalf("found %d of all keys %v, not %d", got, keys, want)
		}
		clear(got)
		x.FindEach(got, keys, some, scratch)
		lows, highs := make([]int32, n), make([]int32, n)
		x.RangeEach(lows, highs, keys, some, scratch)
		for _, i := range some {
			if got[i] != want[i] {
				t.Fatalf("found %d of %v, not %d", got[i], keys, want[i])
			}
			key := make([]symbol.ID, len(columns))
			for k := range key {
				key[k] = keys[k][i]
			}
			if lo, hi := x.Range(key); lo != lows[i] || hi != highs[i] {
				t.Fatalf("rows [%d, %d) of %v, not [%d, %d)", lows[i], highs[i], key, lo, hi)
			}
		}
	})
}

func checkKey(t *rapid.T, r *Relation, x *Index, columns []int, key []symbol.ID) {
	want := rowsOf(r, columns, key)
	if got := x.Rows(key...); !slices.Equal(got, want) {
		t.Fatalf("Rows(%v) = %v, want %v", key, got, want)
	}
	first := int32(-1)
	if len(want) > 0 {
		first = want[0]
	}
	if got := x.Find(key); got != first {
		t.Fatalf("Find(%v) = %d, want %d", key, got, first)
	}
}

func TestDistinctIsTheProjection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRelation(t)
		columns := drawColumns(t, r)
		var want [][]symbol.ID
		for row := range r.Len() {
			tuple := make([]symbol.ID, len(columns))
			for k, column := range columns {
				tuple[k] = r.Columns[column][row]
			}
			known := func(other []symbol.ID) bool { return slices.Equal(other, tuple) }
			if !slices.ContainsFunc(want, known) {
				want = append(want, tuple)
			}
		}
		p := r.Distinct(columns...)
		if p.Len() != len(want) || r.Index(columns...).keys != len(want) {
			t.Fatalf("%d rows and %d keys, want %d", p.Len(), r.Index(columns...).keys, len(want))
		}
		for row, tuple := range want {
			if got := p.Tuple(nil, int32(row)); !slices.Equal(got, tuple) {
				t.Fatalf("row %d is %v, want %v", row, got, tuple)
			}
		}
		for _, column := range columns {
			if got, want := r.DistinctCount(column), r.Distinct(column).Len(); got != want {
				t.Fatalf("column %d has %d values, want %d", column, got, want)
			}
		}
	})
}

func TestHashedIndexOfManyKeys(t *testing.T) {
	const rows = 5000
	r := &Relation{Name: "P", Arity: 3, Columns: make([][]symbol.ID, 3)}
	for row := range symbol.ID(rows) {
		r.Columns[0] = append(r.Columns[0], row*7919%100_000_007)
		r.Columns[1] = append(r.Columns[1], row%13)
		r.Columns[2] = append(r.Columns[2], row*104729)
	}
	for row := range int32(rows) {
		if got, ok := r.Find(r.Tuple(nil, row)...); !ok || got != row {
			t.Fatalf("row %d is found at %d, %v", row, got, ok)
		}
	}
	if got := r.Index(1).Rows(5); len(got) != (rows+12-5)/13 {
		t.Errorf("%d rows with 5 in the middle", len(got))
	}
}

func TestIndexIsBuiltOnceByManyGoroutines(t *testing.T) {
	r := &Relation{Name: "P", Arity: 2, Columns: [][]symbol.ID{{1, 2, 3}, {4, 5, 6}}}
	var wait sync.WaitGroup
	found := make([]*Index, 8)
	for k := range found {
		wait.Go(func() { found[k] = r.Tuples() })
	}
	wait.Wait()
	for _, x := range found {
		if x != found[0] {
			t.Fatal("the index was built twice")
		}
	}
}

func TestLookUpsDoNotAllocate(t *testing.T) {
	r := &Relation{Name: "P", Arity: 2, Columns: [][]symbol.ID{{1, 2, 1 << 30}, {4, 5, 6}}}
	x, key := r.Tuples(), []symbol.ID{2, 5}
	if n := testing.AllocsPerRun(100, func() { x.Find(key); x.Range(key) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFind(b *testing.B) {
	for name, spread := range map[string]symbol.ID{"direct": 1, "hashed": 1001} {
		b.Run(name, func(b *testing.B) {
			const side = 1000
			r := &Relation{Name: "P", Arity: 2, Columns: make([][]symbol.ID, 2)}
			for row := range symbol.ID(side * side) {
				r.Columns[0] = append(r.Columns[0], row/side*spread)
				r.Columns[1] = append(r.Columns[1], row%side*spread)
			}
			x, key, at := r.Tuples(), make([]symbol.ID, 2), uint32(1)
			for b.Loop() {
				at = at*1664525 + 1013904223
				key[0], key[1] = symbol.ID(at>>20%side)*spread, symbol.ID(at>>10%side)*spread
				if x.Find(key) < 0 {
					b.Fatal("a row is missing")
				}
			}
		})
	}
}

// What a filter leaves must have all rows with the keys of the set, and an index of them must find what the index of
// all rows does. Of a large set of few keys, nothing else may be left.
func TestFilterAndIndexOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, set := drawRelation(t), drawRelation(t)
		if set.Arity > r.Arity {
			r, set = set, r
		}
		if set.Arity == 0 || set.Len() == 0 {
			t.Skip("nothing")
		}
		var some []int32 // every second row, or all
		rows := identity(nil, set.Len())
		if rapid.Bool().Draw(t, "some") {
			some = slices.DeleteFunc(rows, func(row int32) bool { return row%2 > 0 })
			rows = some
		}
		columns := make([]int, set.Arity)
		for k := range columns {
			columns[k] = k
		}
		left := NewFilter(set.Columns, some).Select(r.Columns[:set.Arity], nil)
		again := NewFilter(set.Columns, some).Select(r.Columns[:set.Arity], left)
		x, all := r.IndexOf(1, left, columns...), r.Index(columns...)
		if x.Len() != len(left) || !slices.Equal(left, again) {
			t.Fatalf("%d rows are indexed, %d were left, then %d", x.Len(), len(left), len(again))
		}
		for _, row := range rows {
			key := set.Tuple(nil, row)
			if got, want := x.Rows(key...), all.Rows(key...); !slices.Equal(got, want) {
				t.Fatalf("%v: rows %v, want %v", key, got, want)
			}
		}
	})
	many := &Relation{Arity: 1, Columns: [][]symbol.ID{make([]symbol.ID, 5000)}, Observed: 5000}
	for row := range many.Columns[0] {
		many.Columns[0][row] = symbol.ID(row)
	}
	if left := NewFilter(many.Columns, []int32{7, 4000}).Select(many.Columns, nil); len(left) > 5000/bitsPerKey {
		t.Errorf("%d of 5000 rows are left for two keys", len(left))
	}
}

// Rows that a filter of the whole key lets pass lie spread over an index of them: none is far from its home.
func TestFilteredRowsAreSpread(t *testing.T) {
	const side = 1 << 10
	pairs := &Relation{Arity: 2, Columns: [][]symbol.ID{make([]symbol.ID, side*side), make([]symbol.ID, side*side)},
		Observed: side * side}
	for row := range side * side {
		pairs.Columns[0][row], pairs.Columns[1][row] = symbol.ID(row%side), symbol.ID(row/side)
	}
	set := make([]int32, side)
	for k := range set {
		set[k] = int32(k*side + k)
	}
	left := NewFilter(pairs.Columns, set).Select(pairs.Columns, nil)
	x := pairs.IndexOf(1, left, 0, 1)
	far := 0
	for at, s := range x.slots {
		if s.count > 0 {
			far = max(far, (at-int(home(s.key, x.shift)))&(len(x.slots)-1))
		}
	}
	if len(left) < side || len(left) > side*side/8 || far > 200 {
		t.Errorf("%d of %d rows are left, one of them %d places from home", len(left), side*side, far)
	}
}

// TestCrowd counts, for each row, the rows with its value, of columns whose values are dense, far apart and skewed.
func TestCrowd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() int{
		"dense":  func() int { return rng.IntN(50) },
		"sparse": func() int { return rng.IntN(50) << 20 },
		"skewed": func() int { return max(0, rng.IntN(100)-80) },
	} {
		b, times := NewBuilder("P", 2), make(map[symbol.ID]int)
		for k := range symbol.ID(300) {
			value := symbol.ID(draw())
			b.MustAdd([]symbol.ID{value, k}, 1, Observed)
			times[value]++
		}
		want := 0.0
		for _, n := range times {
			want += float64(n*n) / 300
		}
		if got := b.Relation(false).Crowd(0); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g rows share a value, want %g", name, got, want)
		}
	}
}

// TestIndexByThreads makes indexes and lists by several threads, of rows in order, out of order in one place, at the
// border of two threads' parts too, and of random ones.
func TestIndexByThreads(t *testing.T) {
	const rows = 4*parallelRows + 17
	rng := rand.New(rand.NewPCG(3, 4))
	for name, value := range map[string]func(k int) int{
		"in order": func(k int) int { return k / 3 },
		"steps":    func(k int) int { return k / (rows / 5) },
		"one":      func(int) int { return 7 },
		"random":   func(int) int { return rng.IntN(rows / 4) },
		"last":     func(k int) int { return (k + 1) % rows },
		"border":   func(k int) int { return k - 2*(k/(rows/4)%2) },
	} {
		columns := make([][]symbol.ID, 2)
		for k := range rows {
			columns[0] = append(columns[0], symbol.ID(max(0, value(k))))
			columns[1] = append(columns[1], symbol.ID(k*7919%rows))
		}
		for _, threads := range []int{2, 3, 4} {
			one, several := &Relation{Arity: 2, Columns: columns}, &Relation{Arity: 2, Columns: columns}
			want, got := one.Lists(1), several.ListsBy(threads, 1)
			if !slices.Equal(got.start, want.start) || !slices.Equal(got.rows, want.rows) || got.keys != want.keys {
				t.Errorf("%s: the index differs with %d threads", name, threads)
			}
			if !slices.Equal(got.Rows, want.Rows) || !slices.Equal(got.Values, want.Values) {
				t.Errorf("%s: the lists differ with %d threads", name, threads)
			}
		}
	}
}

// Several threads select what one does, of all rows and of some, by one column and by two; of nothing, nothing.
func TestSelectByThreads(t *testing.T) {
	const rows = 3*parallelRows + 5
	columns := make([][]symbol.ID, 2)
	for k := range symbol.ID(rows) {
		columns[0], columns[1] = append(columns[0], k%997), append(columns[1], k%1009)
	}
	half := slices.DeleteFunc(identity(nil, rows), func(row int32) bool { return row%3 == 0 })
	for _, some := range [][]int32{nil, half} {
		for width := 1; width <= 2; width++ {
			for _, set := range [][]int32{{5, 70, 900}, {}} {
				f := NewFilter(columns[:width], set)
				one, several := f.Select(columns[:width], some), f.SelectBy(3, columns[:width], some)
				if several == nil || !slices.Equal(one, several) || (len(one) > 0) != (len(set) > 0) {
					t.Errorf("%d columns: three threads select %d rows, one %d", width, len(several), len(one))
				}
			}
		}
	}
}

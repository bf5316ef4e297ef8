package relation

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Rows that come and go must be found by every index, and no others.
func TestIndexesOfLivingRelations(t *testing.T) {
	columns := [][]int{{}, {0}, {1}, {2}, {0, 1}, {2, 0}, {0, 1, 2}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		draw := func() []symbol.ID {
			return []symbol.ID{rng.Int32N(5), rng.Int32N(5), rng.Int32N(3)}
		}
		b := NewBuilder("R", 3)
		for range 30 {
			role := Observed
			if rng.IntN(2) == 0 {
				role = Target
			}
			_ = b.Add(draw(), 0.5, role, 0) // some are there already
		}
		cold := b.Relation(true)
		(&Store{Relations: []*Relation{cold}}).Number()
		r := cold.Living(rng.IntN(5), 400)
		numbers := make(map[[3]symbol.ID]int32)
		for row := int32(cold.Observed); int(row) < cold.Len(); row++ {
			numbers[[3]symbol.ID(cold.Tuple(nil, row))] = cold.Number(row)
		}
		for step := range 300 {
			tuple := draw()
			row, known := r.Find(tuple...)
			switch role := Role(rng.IntN(2)); {
			case known:
				r.Delete(row)
				delete(numbers, [3]symbol.ID(tuple))
			default:
				row = r.Insert(tuple, role, 0.25)
				if role == Target {
					numbers[[3]symbol.ID(tuple)] = r.Number(row)
				} else if r.Value(row) != 0.25 {
					t.Fatal("a value is lost")
				}
			}
			if step%10 == 0 {
				checkLiving(t, r, columns, numbers)
			}
		}
	}
}

func checkLiving(t *testing.T, r *Relation, columns [][]int, numbers map[[3]symbol.ID]int32) {
	t.Helper()
	for row := range int32(r.Len()) {
		if at, known := numbers[[3]symbol.ID(r.Tuple(nil, row))]; r.Has(row) && known != (r.Role(row) == Target) ||
			r.Has(row) && known && at != r.Number(row) {
			t.Fatalf("row %d has the number %d, and not %d", row, r.Number(row), at)
		}
	}
	for _, some := range columns {
		x := r.Index(some...)
		var a [3]symbol.ID
		for a[0] = range symbol.ID(5) {
			for a[1] = range symbol.ID(5) {
				for a[2] = range symbol.ID(3) {
					var key []symbol.ID
					for _, column := range some {
						key = append(key, a[column])
					}
					var want []int32
					for row := range int32(r.Len()) {
						if fits := !slices.ContainsFunc(some, func(k int) bool { return r.Columns[k][row] != a[k] }); fits && r.Has(row) {
							want = append(want, row)
						}
					}
					got := slices.Clone(x.Rows(key...))
					if slices.Sort(got); !slices.Equal(got, want) {
						t.Fatalf("the index on %v has %v for %v, and not %v", some, got, key, want)
					}
				}
			}
		}
	}
}

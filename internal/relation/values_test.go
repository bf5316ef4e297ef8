package relation

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the values are, a column must give them back to the last bit, picked and sliced ones too, and in four bytes
// each where these hold them.
func TestValuesAreExact(t *testing.T) {
	kinds := []*rapid.Generator[float64]{
		rapid.Just(1.0),
		rapid.Map(rapid.IntRange(0, 1024), func(n int) float64 { return float64(n) / 1024 }),
		rapid.Map(rapid.IntRange(0, 1e7), func(n int) float64 { return float64(n) / 1e7 }),
		rapid.Float64Range(0, 1),
	}
	bytes := []int64{0, 4, 4, 8}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")
		want := rapid.SliceOf(kinds[kind]).Draw(t, "values")
		column := ValuesOf(want...)
		var rows []int32
		for row, v := range want {
			if got := column.At(int32(row)); math.Float64bits(got) != math.Float64bits(v) {
				t.Fatalf("row %d is %v, not %v", row, got, v)
			}
			rows = append(rows, int32(len(want)-1-row))
		}
		if column.Bytes() > bytes[kind]*int64(len(want)) || column.Len() != len(want) {
			t.Fatalf("%d values of kind %d take %d bytes", len(want), kind, column.Bytes())
		}
		picked, sliced := column.Pick(rows), column.Slice(0, len(want))
		for k, row := range rows {
			if picked.At(int32(k)) != want[row] || sliced.At(row) != want[row] {
				t.Fatalf("row %d differs in a copy", row)
			}
		}
	})
}

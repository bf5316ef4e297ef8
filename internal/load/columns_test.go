package load

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// readColumns reads tables as observations of one predicate: those with as many rows at once that have nothing wrong.
func readColumns(types []program.Type, least int, tables []*Columns) (symbols []string, rows string,
	told []string) {
	var diags source.Diagnostics
	table := symbol.NewTable()
	t := newTable(&Predicate{Predicate: program.Predicate{Name: "P", Types: types}}, table, &diags)
	for _, columns := range tables {
		data := &Data{Columns: columns}
		t.begin(origin{data: data, what: "observations"}, relation.Observed)
		t.addColumns(columns, least)
		t.end()
	}
	for id := range table.Len() {
		symbols = append(symbols, table.Name(symbol.ID(id)))
	}
	r := t.builder.Relation(false)
	for _, d := range diags {
		told = append(told, d.Message)
	}
	slices.Sort(told) // suspicious constants are told before atoms that are there twice, or among them
	return symbols, fmt.Sprint(r.Columns, valuesOf(r)), told
}

// Reading columns at once gives the same constants, rows and messages as reading them row by row.
func TestColumns(t *testing.T) {
	wrong, right := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		constants := []string{"a", "b", "ab", "7", "-3", "a b", "ä", "", "07", " 7 ", "1.50", " a", "b 0.5"}
		if rapid.Bool().Draw(t, "tame") {
			constants = constants[:7]
		}
		types := []program.Type{rapid.SampledFrom([]program.Type{program.String, program.String, program.Int,
			program.Float}).Draw(t, "type"), program.String}
		truths := []float64{1, 0.5, 1.0 / 3, math.Copysign(0, -1), 0.1, 1.5, math.NaN()}
		var tables []*Columns
		for range rapid.IntRange(1, 3).Draw(t, "tables") {
			columns := &Columns{Constants: [][]string{constants, constants}, Rows: make([][]int32, 2)}
			rows := rapid.IntRange(4, 12).Draw(t, "rows")
			for k := range columns.Rows {
				columns.Rows[k] = rapid.SliceOfN(rapid.Int32Range(0, int32(len(constants)-1)), rows, rows).Draw(t, "column")
			}
			if rapid.Bool().Draw(t, "valued") {
				most := rapid.SampledFrom([]int{1, 4, 5, 7}).Draw(t, "truths")
				columns.Truth = rapid.SliceOfN(rapid.SampledFrom(truths[:most]), rows, rows).Draw(t, "truth")
			}
			if err := columns.check(); err != nil {
				t.Fatal(err)
			}
			tables = append(tables, columns)
		}
		symbols, rows, diags := readColumns(types, math.MaxInt, tables)
		again, same, told := readColumns(types, 1, tables)
		if !reflect.DeepEqual(symbols, again) || rows != same || !reflect.DeepEqual(diags, told) {
			t.Fatalf("row by row %q %s %v\nat once %q %s %v", symbols, rows, diags, again, same, told)
		}
		if len(diags) > 0 {
			wrong++
		} else {
			right++
		}
	})
	if wrong == 0 || right == 0 {
		t.Errorf("%d are wrong, %d right", wrong, right)
	}
}

// Columns that are no table are errors before anything is read.
func TestColumnsThatAreNoTable(t *testing.T) {
	names := []string{"a", "b"}
	for want, columns := range map[string]Columns{
		"argument 2 has 1 rows": {Constants: [][]string{names, names}, Rows: [][]int32{{0, 1}, {0}}},
		"constants of 1":        {Constants: [][]string{names}, Rows: [][]int32{{0, 1}, {0, 1}}},
		"row 2 has constant 2":  {Constants: [][]string{names}, Rows: [][]int32{{0, 2}}},
		"row 1 has constant -1": {Constants: [][]string{names}, Rows: [][]int32{{-1}}},
		"1 truth values for 2":  {Constants: [][]string{names}, Rows: [][]int32{{0, 1}}, Truth: []float64{1}},
	} {
		if err := columns.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %q", err, want)
		}
	}
	if err := (&Columns{Truth: []float64{1}}).check(); err != nil {
		t.Errorf("an atom without arguments: %v", err)
	}
}

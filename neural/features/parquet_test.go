package features

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/load/parquet"
	_ "github.com/deeppsl/deeppsl/parquet"
)

// Tables that pandas wrote, with an index that has no name and stands last, and with one that has one.
func TestParquetOfPandas(t *testing.T) {
	want := map[string][]float32{"ann": {0.5, 1, 1}, "bob": {1.5, 0, 2}, "cy": {-2, 1, 3}}
	for _, path := range []string{"testdata/index.parquet", "testdata/named.parquet"} {
		f, err := ReadFiles(Form{}, []string{path})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if diff := cmp.Diff(want, rowsOf(f)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestParquetErrors(t *testing.T) {
	for _, test := range []struct {
		rows [][]string
		want string
	}{
		{[][]string{{"a", "1"}, {"b", "x"}}, `f:2:3: error: "x" is not a finite number`},
		{[][]string{{"a", "1"}, {"a", "2"}}, `entity "a" has a row already, on line 1`},
		{nil, "is empty"},
	} {
		var b bytes.Buffer
		w := parquet.NewWriter(&b, []string{"arg1", "arg2"}, []string{"value"})
		for _, row := range test.rows {
			if err := w.Write(row, 0.5); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(Parquet, "f", &b, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %s", test.rows, err, test.want)
		}
	}
	if _, err := Read(Parquet, "f", strings.NewReader("a\t1\n"), 0); err == nil ||
		!strings.Contains(err.Error(), "f: this is no Parquet file") {
		t.Error(err)
	}
}

// A table that pandas wrote, which lacks values, is what the same in text is.
func TestParquetGaps(t *testing.T) {
	columns := []string{"who", "age", "town", "member"}
	table, err := ReadFiles(Form{Columns: columns}, []string{"testdata/gaps.parquet"})
	if err != nil {
		t.Fatal(err)
	}
	const written = "who,age,town,member\nann,31,Oslo,1\nbob,,,0\ncy,52,Rome,1\ndan,40,Oslo,1\n"
	text, err := Read(CSV, "f", strings.NewReader(written), 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rowsOf(text), rowsOf(table)); diff != "" || len(rowsOf(table)["ann"]) != 5 {
		t.Error(rowsOf(table), diff)
	}
}

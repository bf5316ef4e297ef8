package features

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/source"
)

// rowsOf returns a table as a map from ids to all values.
func rowsOf(f *Table) map[string][]float32 {
	rows := map[string][]float32{}
	for r := range int32(f.Len()) {
		values := make([]float32, f.Width())
		f.Gather([]int32{r}, values)
		rows[f.ID(r)] = values
	}
	return rows
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		format Format
		text   string
		width  int
		want   map[string][]float32
	}{
		{SparseText, "a\t2 0\n\nb c\t1:-0.5\r\nd\t\ne\n", 0,
			map[string][]float32{"a": {1, 0, 1}, "b c": {0, -0.5, 0}, "d": {0, 0, 0}, "e": {0, 0, 0}}},
		{SparseText, "a\t1", 3, map[string][]float32{"a": {0, 1, 0}}},
		{DenseText, "a\t1 2.5\nb\t-1e3\t0\n", 0, map[string][]float32{"a": {1, 2.5}, "b": {-1000, 0}}},
		{SparseText, "\uFEFFa\t1", 3, map[string][]float32{"a": {0, 1, 0}}},
		{DenseText, "\uFEFFa\t1 2\r\n", 0, map[string][]float32{"a": {1, 2}}},
		{CSV, "\uFEFF\"a,b\",1,2\n", 0, map[string][]float32{"a,b": {1, 2}}},
		{CSV, "id,x,y\na,True,0.5\nb,False,1\n", 0, map[string][]float32{"a": {1, 0.5}, "b": {0, 1}}},
		{CSV, "a,true,false\n", 0, map[string][]float32{"a": {1, 0}}},
		{CSV, "\"a,b\",1, 2\nc,3,4\n", 2, map[string][]float32{"a,b": {1, 2}, "c": {3, 4}}},
	} {
		f, err := Read(test.format, "f", strings.NewReader(test.text), test.width)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, rowsOf(f)); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
		if f.Sparse() != (test.format == SparseText) {
			t.Errorf("%q: sparse is %v", test.text, f.Sparse())
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct {
		format     Format
		text, want string
		width      int
	}{
		{SparseText, "", "f: the feature table is empty", 0},
		{SparseText, "a\t\n", "f: the feature table is empty: 1 rows of width 0", 0},
		{SparseText, "a\t1\nb\t2 x", `f:2:5: error: "x": a column is a number from 0 to 16777215`, 0},
		{SparseText, "a\t-1", `f:1:3: error: "-1": a column`, 0},
		{SparseText, "a\t4", `f:1:3: error: "4": a column is a number from 0 to 3`, 4},
		{SparseText, "a\t99999999999", `f:1:3: error: "99999999999": a column`, 0},
		{SparseText, "a\t1:NaN", `f:1:3: error: "NaN" is not a finite number`, 0},
		{SparseText, "a\t1 1:2", "f:1:1: error: column 1 is given twice", 0},
		{SparseText, "a\t1\n\na\t2", `f:3:1: error: entity "a" has a row already, on line 1`, 0},
		{SparseText, "\t1", "f:1:1: error: the row has no id", 0},
		{DenseText, "\n\n", "f: the feature table is empty", 0},
		{DenseText, "a\t1 2\nb\t1", "f:2:1: error: the row has 1 values, 2 are wanted", 0},
		{DenseText, "a\n", "f:1:1: error: the row has 0 values, 1 are wanted", 0},
		{DenseText, "a\t1 2", "f:1:1: error: the row has 2 values, 3 are wanted", 3},
		{DenseText, "a\tinf", `f:1:3: error: "inf" is not a finite number`, 0},
		{DenseText, "a\t1e99", `f:1:3: error: "1e99" is not a finite number`, 0},
		{CSV, "a,1\nb,1,2", "f:2:1: error: the row has 2 values, 1 are wanted", 0},
		{CSV, "a,1\nb,inf", `f:2:3: error: "inf" is not a finite number`, 0},
		{CSV, "a,1\nb,1e99", `f:2:3: error: "1e99" is not a finite number`, 0},
		{CSV, "a,\"1", "f: parse error on line 1", 0},
		{"tsv", "", `unknown format "tsv"; allowed are sparse, dense, csv`, 0},
		{DenseText, "", "f: width -1", -1},
	} {
		_, err := Read(test.format, "f", strings.NewReader(test.text), test.width)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s %q: error %v, want %q", test.format, test.text, err, test.want)
		}
	}
}

// Rows with gaps, and those that are not as wide as a first one with gaps, say where gaps are read.
func TestReadGaps(t *testing.T) {
	for text, hinted := range map[string]bool{
		"a\t1\t2\nb\t\t2\n": true, "a\t1\t\nb\t1\t2\n": true, "a\t1\t2\nb\t1\n": false,
	} {
		_, err := Read(DenseText, "f", strings.NewReader(text), 0)
		var failure *source.Failure
		if !errors.As(err, &failure) || (failure.Diagnostics[0].Hint == whereGapsAre) != hinted {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.gz")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte("a\t1 2\n")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), os.WriteFile(path, zipped.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFiles(Form{}, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]float32{"a": {1, 2}}, rowsOf(f)); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadFiles(Form{}, []string{path + "x"}); err == nil {
		t.Error("a file that does not exist was read")
	}
	if err := os.WriteFile(path, []byte("a\t1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = ReadFiles(Form{}, []string{path})
	if err == nil || !strings.Contains(err.Error(), "reading features: "+path) {
		t.Errorf("text in a .gz file: error %v", err)
	}
}

func TestTableErrors(t *testing.T) {
	two := []string{"a", "b"}
	nan := float32(math.NaN())
	for name, err := range map[string]error{
		"short dense":  second(NewDense(two, 2, []float32{1, 2, 3})),
		"empty":        second(NewDense(nil, 2, nil)),
		"no width":     second(NewDense(two, 0, nil)),
		"duplicate":    second(NewDense([]string{"a", "a"}, 1, []float32{1, 2})),
		"not a number": second(NewDense(two, 1, []float32{1, nan})),
		"starts":       second(NewSparse(two, 3, []int{0, 1}, []int32{0}, []float32{1})),
		"descending":   second(NewSparse(two, 3, []int{0, 2, 2}, []int32{1, 0}, []float32{1, 1})),
		"too wide":     second(NewSparse(two, 3, []int{0, 1, 1}, []int32{3}, []float32{1})),
		"row starts":   second(NewSparse(two, 3, []int{0, 2, 1}, []int32{3}, []float32{1})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Rows are found by their entities, and others are not.
func TestRow(t *testing.T) {
	f, err := Read(SparseText, "f", strings.NewReader("a\t0:3 1:-4\nb\t\nc\t1\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := f.Row("c"); row != 2 || !ok {
		t.Errorf("Row(c) = %d, %v", row, ok)
	}
	if _, ok := f.Row("z"); ok {
		t.Error("there is a row of z")
	}
}

// A line of names is no entity, whether its columns are named or numbered; a row whose values are missing is none.
func TestHeaders(t *testing.T) {
	want := map[string][]float32{"a": {1, 2}, "b": {3, 4}}
	for text, format := range map[string]Format{
		"id,x,y\na,1,2\nb,3,4\n": CSV, ",0,1\na,1,2\nb,3,4\n": CSV, "index,1,2\na,1,2\nb,3,4\n": CSV,
		"x,y\na,1,2\nb,3,4\n": CSV, "\uFEFFid\tx y\na\t1 2\nb\t3 4\n": DenseText, "a,1,2\nb,3,4\n": CSV,
	} {
		f, err := Read(format, "f", strings.NewReader(text), 0)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, rowsOf(f)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"id,x,2\nb,3,4\n": `"x" is not`,
		"id,x,y\n":        "is empty",
		"a,1,2\nid,x,y\n": `f:2:4: error: "x" is not`,
	} {
		if _, err := Read(CSV, "f", strings.NewReader(text), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	if f, err := Read(DenseText, "f", strings.NewReader("0\t0 1\n1\t1 2\n"), 0); err != nil || f.Len() != 2 {
		t.Errorf("a row that happens to count is taken for a header: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"a\t1 2\nb\t0:0.5", "a\t1.5 2\nb\t3 4", "a,1\n\"b\",2\n", "\t", "a\t1:", "a\t:1"} {
		for _, format := range []Format{SparseText, DenseText, CSV} {
			f.Add(string(format), text, 0)
			f.Add(string(format), text, 2)
		}
	}
	f.Fuzz(func(t *testing.T, format, text string, width int) {
		table, err := Read(Format(format), "f", strings.NewReader(text), width)
		if err != nil {
			return
		}
		if table.Len() == 0 || table.Width() == 0 || (width > 0 && table.Width() != width) {
			t.Errorf("%d rows of width %d, wanted was %d", table.Len(), table.Width(), width)
		}
		if table.Sparse() {
			if err := table.checkSparse(); err != nil {
				t.Error(err)
			}
		}
		for row := range int32(table.Len()) {
			if found, ok := table.Row(table.ID(row)); !ok || found != row {
				t.Errorf("row %d is %q, whose row is %d", row, table.ID(row), found)
			}
		}
	})
}

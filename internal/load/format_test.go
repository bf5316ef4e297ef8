package load

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/load/parquet"
	"github.com/deeppsl/deeppsl/internal/relation"
	_ "github.com/deeppsl/deeppsl/parquet"
)

// atoms reads one file as observations of a predicate of two arguments.
func atoms(t rapid.TB, path string) []string {
	t.Helper()
	c := &Config{Predicates: []*Predicate{predicate("Knows", 2)}}
	c.Predicates[0].Observations.All = []Data{{Path: path}}
	tables, err := c.Tables(Infer)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	r := tables.Store.Relations[0]
	for row := range int32(r.Len()) {
		out = append(out, tables.Store.Atom(r, row), string(rune('0'+int(4*r.Value(row)))))
	}
	return out
}

// TestFormatsAgree writes the same rows in every format, compressed and not.
func TestFormatsAgree(t *testing.T) {
	dir := t.TempDir()
	var binary bytes.Buffer
	w := parquet.NewWriter(&binary, []string{"arg1", "arg2"}, []string{"value"})
	for _, row := range [][]string{{"a", "b"}, {"b", "a"}} {
		if err := w.Write(row, 0.25); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"Knows('a', 'b')", "1", "Knows('b', 'a')", "1"}
	for name, content := range map[string]string{
		"t.txt": "a\tb\t0.25\nb\ta\t0.25\n", "t.csv": "x,y,value\r\na,b,0.25\r\nb,a,0.25\r\n",
		"semicolons.csv": "x;y;value\r\na;b;0.25\r\nb;a;0.25\r\n", "tabs.csv": "x\ty\tvalue\na\tb\t0.25\nb\ta\t0.25\n",
		"t.jsonl": "[\"a\",\"b\",0.25]\n[\"b\",\"a\",2.5e-1]", "t.parquet": binary.String(),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".gz", compress(t, content), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, path + ".gz"} {
			if diff := cmp.Diff(want, atoms(t, path)); diff != "" {
				t.Errorf("%s: %s", path, diff)
			}
		}
	}
}

// TestBinaryPlaces reports the row of a Parquet file, which has no lines.
func TestBinaryPlaces(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, []string{"arg1"}, []string{"value"})
	for k, name := range []string{"a", "b", "a"} {
		if err := w.Write([]string{name}, 1/float64(1+k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	c := &Config{Predicates: []*Predicate{predicate("P", 1)}}
	c.Predicates[0].Observations.All = []Data{{Path: path}}
	_, err := c.Tables(Infer)
	checkError(t, err, path,
		"row 3 of the observations of P: P('a') is there twice, with another value; it is also at row 1 of "+path)
}

// TestYAMLIsJSON reads the configuration with every key as YAML, of which JSON is a part.
func TestYAMLIsJSON(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/phases.txtar")
	if err != nil {
		t.Fatal(err)
	}
	asJSON := summary("m.json", opener(archive))
	archive.Files[0].Name = "m.yaml"
	asYAML := strings.ReplaceAll(summary("m.yaml", opener(archive)), "m.yaml", "m.json")
	if diff := cmp.Diff(asJSON, asYAML); diff != "" {
		t.Error(diff)
	}
}

// FuzzFormats reads any text in each format, without a panic and without a value outside of [0, 1].
func FuzzFormats(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txtar")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"fuzz.csv", "fuzz.jsonl", "fuzz.parquet"} {
			c := &Config{Predicates: []*Predicate{predicate("P", 2)}, Open: textOpener(text)}
			c.Predicates[0].Observations.All = []Data{{Path: name}}
			tables, err := c.Tables(Learn)
			checkFuzzed(t, err)
			if err != nil {
				continue
			}
			checkValues(t, tables.Store.Relations[0])
		}
	})
}

func checkValues(t *testing.T, r *relation.Relation) {
	t.Helper()
	for row := range int32(r.Len()) {
		if v := r.Value(row); !(v >= 0 && v <= 1) {
			t.Fatalf("truth %g in row %d", v, row)
		}
	}
}

// TestGapsInParquet leaves out rows that lack a value in a chosen column, whatever the others lack. Where nothing is
// chosen, rows are to be whole.
func TestGapsInParquet(t *testing.T) {
	const path = "parquet/testdata/gaps/polars.parquet"
	whole := &Config{Predicates: []*Predicate{predicate("All", 11)}}
	whole.Predicates[0].Observations.All = []Data{{Path: path}}
	_, err := whole.Tables(Infer)
	if err == nil || !strings.Contains(err.Error(), `column "none", row 1: a value is missing`) {
		t.Error(err)
	}
	chosen := &Config{Predicates: []*Predicate{predicate("Knows", 2)}}
	chosen.Predicates[0].Observations.All = []Data{{Path: path, Choice: Choose([]string{"who", "byte"})}}
	tables, err := chosen.Tables(Infer)
	if err != nil {
		t.Fatal(err)
	}
	if n := tables.Store.Relations[0].Len(); n != 3 {
		t.Error(n, "rows")
	}
}

// Names of columns are no row because another table has a constant of the name, if the rows that follow look otherwise.
func TestNamesOfColumnsThatAreConstants(t *testing.T) {
	dir := t.TempDir()
	for content, warns := range map[string]bool{
		"a,b\ng1,g2\ng2,g3\ng3,g1\n":      false,
		"a,b\nc,a\nb,c\nd,a\n":            true,
		"g1,g2\ng2,g3\ng3,g1\ng4,g1\n":    true,
		"a,0.5\ng1,0.2\ng2,0.1\ng3,0.7\n": true,
		"x1\nx22\nx3\n":                   true,
		"node\nx22\nx3\n":                 false,
		"x1\nx22\nw3\n":                   false,
		"x1\nx22\n":                       false,
	} {
		path := filepath.Join(dir, "links.csv")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		arity := 2
		if strings.Contains(content, "0.5") || !strings.Contains(content, ",") {
			arity = 1
		}
		c := &Config{Predicates: []*Predicate{predicate("Kind", 1), predicate("Link", arity)}}
		c.Predicates[0].Observations.All = []Data{{Rows: slices.Values([][]string{{"a"}, {"b"}})}}
		c.Predicates[1].Observations.All = []Data{{Path: path}}
		tables, err := c.Tables(Infer)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(tables.Warnings) > 0; got != warns {
			t.Errorf("%q: %v", content, tables.Warnings)
		}
	}
}

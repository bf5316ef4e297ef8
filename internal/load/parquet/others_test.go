package parquet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/internal/format"
)

// TestOthers reads what other programs write, in all versions, compressions and encodings; see testdata/make.py.
func TestOthers(t *testing.T) {
	want := lines(t, "testdata/make.csv")
	for _, file := range others(t, "others", 47) {
		got, err := read(contents(t, file))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", file, err, diff)
		}
	}
}

// TestGaps reads tables that lack values, which are empty fields, or errors that say where.
func TestGaps(t *testing.T) {
	want := lines(t, "testdata/make-gaps.csv")
	for _, file := range others(t, "gaps", 11) {
		got, err := readRows(contents(t, file), format.Gapped)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", file, err, diff)
		}
		if _, err := read(contents(t, file)); err == nil || !strings.Contains(err.Error(), `row 1: a value is missing`) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// others are the files of a folder, which has so many, that other programs wrote.
func others(t testing.TB, folder string, n int) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.parquet")
	if err != nil || len(files) != n {
		t.Fatal(len(files), "files", err)
	}
	return files
}

func contents(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(contents(t, file)), "\n"), "\n")
}

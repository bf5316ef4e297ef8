package parquet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOthers reads what other programs write, in all versions, compressions and encodings; see testdata/make.py.
func TestOthers(t *testing.T) {
	text, err := os.ReadFile("testdata/make.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, file := range others(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(data)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", file, err, diff)
		}
	}
}

// others are the files that other programs wrote.
func others(t testing.TB) []string {
	files, err := filepath.Glob("testdata/others/*.parquet")
	if err != nil || len(files) != 47 {
		t.Fatal(len(files), "files", err)
	}
	return files
}

// Package goldentest compares what tests make with files that show it, and writes these files anew.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Update is the flag -update of every test that imports this package: files are to be written, not compared with.
var Update = flag.Bool("update", false, "write the files that outputs are compared with")

// File compares a test's output with the file, or writes the file if that was asked for.
func File(t testing.TB, path string, got []byte) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); see the flag -update:\n%s", path, diff)
	}
}

// Seeds adds every file of txtar archives, those that a pattern finds, to the corpus of a fuzz target.
func Seeds(f *testing.F, pattern string) {
	f.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatalf("%s: no archive, %v", pattern, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
}

// Archive runs every input x.psl of a txtar archive and compares with the output x.out that follows it.
func Archive(t testing.TB, path string, run func(name, text string) string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var files []txtar.File
	for _, f := range archive.Files {
		if base, isInput := strings.CutSuffix(f.Name, ".psl"); isInput {
			out := run(f.Name, string(f.Data))
			files = append(files, f, txtar.File{Name: base + ".out", Data: []byte(out)})
		}
	}
	archive.Files = files
	File(t, path, txtar.Format(archive))
}

package load

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/deeppsl/deeppsl/internal/source"
)

// seed adds every file of the test data to the corpus.
func seed(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
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

// checkFuzzed accepts no error but a *source.Failure, whose places lie in their files.
func checkFuzzed(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var failure *source.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("an error that is no *source.Failure: %v", err)
	}
	for _, d := range failure.Diagnostics {
		if s := d.Span; s.HasText() && (s.End < s.Start || s.Start > len(s.File.Text)) {
			t.Fatalf("%v at %d-%d of %d bytes", d.Message, s.Start, s.End, len(s.File.Text))
		}
	}
}

func FuzzConfig(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range [...]string{"fuzz.json", "fuzz.yaml"} {
			c, err := ReadWith(name, func(path string) (io.ReadCloser, error) {
				if path == name {
					return io.NopCloser(strings.NewReader(text)), nil
				}
				return nil, &fs.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
			})
			checkFuzzed(t, err)
			if err == nil {
				_, err = c.Tables(Infer)
				checkFuzzed(t, err)
			}
		}
	})
}

func FuzzRelax(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		strict, _ := relax(text)
		if len(strict) != len(text) || bytes.Count(strict, []byte("\n")) != strings.Count(text, "\n") {
			t.Fatalf("%q became %q", text, strict)
		}
	})
}

func FuzzTable(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		p := predicate("P", 2)
		p.Types[1] = 1
		c := &Config{Predicates: []*Predicate{p}, Open: textOpener(text)}
		p.Observations.All = []Data{{Path: "fuzz"}}
		tables, err := c.Tables(Learn)
		checkFuzzed(t, err)
		if err != nil {
			return
		}
		checkValues(t, tables.Store.Relations[0])
	})
}

// textOpener opens every file as one with the text.
func textOpener(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

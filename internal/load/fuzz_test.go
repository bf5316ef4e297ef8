package load

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/goldentest"
	"github.com/deeppsl/deeppsl/internal/source"
)

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
	goldentest.Seeds(f, "testdata/*.txtar")
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

// FuzzJSON compares what is read with what package json makes of the same text, if it is strict.
func FuzzJSON(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txtar")
	f.Add(`[1, -2.5e3, "\u00e9\n'", {"a": [true, null]}, [], {}]`)
	f.Fuzz(func(t *testing.T, text string) {
		var diags source.Diagnostics
		n, ok := parseJSON(&source.File{Name: "fuzz", Text: text}, &diags)
		if ok == diags.HasErrors() {
			t.Fatalf("%v with %v", ok, diags.Err())
		}
		checkFuzzed(t, diags.Err())
		if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			return
		}
		if !ok {
			// Package json reads half of a surrogate pair as a character.
			message := diags.Err().Error()
			if !strings.Contains(message, "nested") && !strings.Contains(message, "half of a pair") {
				t.Fatal(diags.Err())
			}
			return
		}
		var b strings.Builder
		n.json(&b)
		var got, want any
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal([]byte(text), &want) == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q", text, b.String())
		}
	})
}

// FuzzSheet reads tables of examples, and the place of each cell.
func FuzzSheet(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txtar")
	f.Add("a,b\r\n\r\n1,\"x, \"\"y\"\"\"\r\n,2\n")
	f.Add("a,b\n\"1\n2\",3\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := &Config{Open: textOpener(text)}
		c.Examples[Infer] = &Data{Path: "fuzz"}
		var diags source.Diagnostics
		s := c.ReadExamples(Infer, &diags)
		checkFuzzed(t, diags.Err())
		if s == nil || s.Header == nil {
			return
		}
		for k := -1; k < len(s.Rows); k++ {
			fields := s.Header
			if k >= 0 {
				fields = s.Rows[k]
			}
			for column, field := range fields {
				if place := s.Cell(k, column).Text(); !strings.ContainsAny(field, "\"\r\n") && !strings.Contains(place, field) {
					t.Fatalf("row %d: %q stands at %q", k, field, place)
				}
			}
		}
	})
}

func FuzzTable(f *testing.F) {
	goldentest.Seeds(f, "testdata/*.txtar")
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

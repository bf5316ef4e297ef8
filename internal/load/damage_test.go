package load

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
)

// most is how much a reader may allocate for an input of so many bytes, uncompressed.
func most(size int) uint64 { return uint64(20*size + 1<<20) }

// only opens one file, which has the text.
func only(name, text string) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		if path == name {
			return io.NopCloser(strings.NewReader(text)), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
	}
}

// TestBombs reads configurations that would be large if they were read as they ask to.
func TestBombs(t *testing.T) {
	aliases := "a: &a [x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		before := "*" + string(c-1)
		aliases += string(c) + ": &" + string(c) + " [" + before + strings.Repeat(", "+before, 7) + "]\n"
	}
	for name, text := range map[string]string{
		"aliases.yaml": aliases, "deep.yaml": strings.Repeat("[", 1<<20), "deep.json": strings.Repeat("[", 1<<20),
		"merged.yaml": "a: &a {x: 1}\n" + strings.Repeat("b: {<<: *a}\n", 100),
	} {
		var err error
		n := alloctest.Bytes(func() { _, err = ReadWith(name, only(name, text)) })
		if err == nil || n > most(len(text)) {
			t.Errorf("%s: %d bytes for %d, error %v", name, n, len(text), err)
		}
	}
}

// TestCompressedBomb reads blank lines, of which gzip makes a thousandth: what counts is what they are.
func TestCompressedBomb(t *testing.T) {
	const size = 8 << 20
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(bytes.Repeat([]byte("\n"), size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p := predicate("P", 1)
	p.Observations.All = []Data{{Path: "blank.txt.gz"}}
	c := &Config{Predicates: []*Predicate{p}, Open: only("blank.txt.gz", b.String())}
	var err error
	if n := alloctest.Bytes(func() { _, err = c.Tables(Infer) }); err != nil || n > most(size) {
		t.Errorf("%d bytes for %d, error %v", n, size, err)
	}
}

// TestWrongRows reads a row a million times, which is wrong if the first one has another value: those that are not
// reported cost nothing.
func TestWrongRows(t *testing.T) {
	alloctest.SkipIfRacing(t)
	for _, first := range []string{"a\tb\t1\n", "a\tb\t0\n"} {
		text := first + strings.Repeat("a\tb\t1\n", 1<<20)
		p := predicate("P", 2)
		p.Observations.All = []Data{{Path: "rows.txt"}}
		c := &Config{Predicates: []*Predicate{p}, Open: only("rows.txt", text)}
		var err error
		n := alloctest.Peak(func() { _, err = c.Tables(Infer) })
		if wrong := !strings.HasPrefix(text[len(first):], first); wrong != (err != nil) || n > most(len(text)) {
			t.Errorf("%q first: %d bytes for %d, error %v", first, n, len(text), err)
		}
	}
}

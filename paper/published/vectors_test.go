package published

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadVectors(t *testing.T) {
	text := "a 1 2\nb 3 -4e0 \na 9 9\nrare 5 6\n"
	v, err := ReadVectors(strings.NewReader(text), func(w string) bool { return w != "rare" })
	if err != nil || len(v.rows) != 2 || v.Dimensions != 2 {
		t.Fatalf("%+v, %v", v, err)
	}
	if !slices.Equal(v.Of("b"), []float32{3, -4}) || v.Of("rare") != nil {
		t.Error(v.Of("b"), v.Of("rare"))
	}
	mean, known := v.Mean(TextWords("A b, unknown-B!"))
	if known != 3 || !slices.Equal(mean, []float32{7.0 / 3, -2}) {
		t.Error(mean, known)
	}
	if mean, known = v.Mean(nil); known != 0 || !slices.Equal(mean, []float32{0, 0}) {
		t.Error(mean, known)
	}
	for _, bad := range []string{"a 1 2\nb 3\n", "a\n", "a x\n"} {
		if _, err := ReadVectors(strings.NewReader(bad), nil); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestVectorsOfAnArchive(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("glove.6B.2d.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Write([]byte("the 0.5 1\n")); err != nil {
		t.Fatal(err)
	}
	if err = w.Close(); err != nil {
		t.Fatal(err)
	}
	c := &Cache{Dir: t.TempDir()}
	if _, err := c.Vectors("glove.6B.2d", nil); err == nil || !strings.Contains(err.Error(), "data get glove.6B`") {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(c.Dir, "wordvectors"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "wordvectors", "glove.6B.zip"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	v, err := c.Vectors("glove.6B.2d", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float32{0.5, 1}, v.Of("the")); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Vectors("glove.6B.3d", nil); err == nil {
		t.Error("a table that the archive does not hold")
	}
}

func TestPublishedVectors(t *testing.T) {
	v, err := published(t).Vectors("glove.6B.50d.subset", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.rows) != 12691 || v.Dimensions != 50 || v.Of("the")[0] != 0.418 {
		t.Errorf("%d words of %d dimensions", len(v.rows), v.Dimensions)
	}
}

func FuzzReadVectors(f *testing.F) {
	f.Add("a 1 2\nb 3 4\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ReadVectors(strings.NewReader(text), nil)
		if err == nil && len(v.values) != len(v.rows)*v.Dimensions {
			t.Fatalf("%d numbers of %d words", len(v.values), len(v.rows))
		}
	})
}

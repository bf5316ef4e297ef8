package published

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// server serves one file and records what it is asked for.
type server struct {
	*httptest.Server
	content []byte
	ranges  []string
}

func newServer(t *testing.T, content []byte) *server {
	s := &server{content: content}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.content))
	}))
	t.Cleanup(s.Close)
	return s
}

var text = bytes.Repeat([]byte("the published content\n"), 500)

// fileOf describes the file of this content under these addresses.
func fileOf(path string, content []byte, urls ...string) Set {
	sum := sha256.Sum256(content)
	return Set{Name: "toy", Files: []File{{Path: path, URLs: urls, SHA256: hex.EncodeToString(sum[:])}}}
}

func checkDownloaded(t *testing.T, c *Cache, set Set) {
	t.Helper()
	got, err := os.ReadFile(c.place(set.Files[0]))
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if _, err := os.Stat(c.place(set.Files[0]) + partSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the partial file is still there")
	}
	if states := c.Verify(set); states[0].Err != nil {
		t.Error(states[0].Err)
	}
}

// checkFailed makes sure that an error is one line, and that nothing claims to be the file.
func checkFailed(t *testing.T, c *Cache, set Set, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := c.Find(set.Files[0].Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

// download gets a set, which has to succeed.
func download(t *testing.T, c *Cache, set Set) {
	t.Helper()
	if err := c.Get(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	checkDownloaded(t, c, set)
}

// writePart leaves of the set's file what an interrupted download would.
func writePart(t *testing.T, c *Cache, set Set, content []byte) {
	t.Helper()
	if err := os.WriteFile(c.place(set.Files[0])+partSuffix, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestGet(t *testing.T) {
	s := newServer(t, text)
	c := &Cache{Dir: t.TempDir()}
	var done, total int64
	c.Progress = func(_ File, d, n int64) { done, total = d, n }
	set := fileOf("folder/file.txt", text, s.URL)
	download(t, c, set)
	if done != int64(len(text)) || total != done {
		t.Errorf("progress ended at %d of %d", done, total)
	}
	if err := c.Get(t.Context(), set); err != nil || len(s.ranges) != 1 {
		t.Errorf("what is there was downloaded again: %v", err)
	}
}

func TestGetResumes(t *testing.T) {
	s := newServer(t, text)
	c := &Cache{Dir: t.TempDir()}
	set := fileOf("file.txt", text, s.URL)
	writePart(t, c, set, text[:1000])
	download(t, c, set)
	if s.ranges[0] != "bytes=1000-" {
		t.Errorf("asked for %q", s.ranges)
	}
}

func TestGetFromServerWithoutRanges(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(text); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	c := &Cache{Dir: t.TempDir()}
	set := fileOf("file.txt", text, s.URL)
	writePart(t, c, set, []byte("something else"))
	download(t, c, set)
}

func TestGetOfCompletePart(t *testing.T) {
	s := newServer(t, text)
	c := &Cache{Dir: t.TempDir()}
	set := fileOf("file.txt", text, s.URL)
	writePart(t, c, set, text)
	download(t, c, set)
}

func TestGetOfTruncatedContent(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "11000")
		if _, err := w.Write(text[:700]); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	c := &Cache{Dir: t.TempDir()}
	set := fileOf("file.txt", text, s.URL)
	checkFailed(t, c, set, c.Get(t.Context(), set), "stopped after 700 bytes")
	whole := newServer(t, text)
	set.Files[0].URLs[0] = whole.URL
	download(t, c, set)
	if whole.ranges[0] != "bytes=700-" {
		t.Errorf("asked for %q", whole.ranges)
	}
}

func TestGetOfWrongContent(t *testing.T) {
	wrong := newServer(t, []byte("wrong"))
	c := &Cache{Dir: t.TempDir()}
	set := fileOf("file.txt", text, wrong.URL)
	checkFailed(t, c, set, c.Get(t.Context(), set), "has the checksum")
	if _, err := os.Stat(c.place(set.Files[0]) + partSuffix); err == nil {
		t.Error("wrong content was kept to go on from")
	}
	set.Files[0].URLs = append(set.Files[0].URLs, newServer(t, text).URL)
	if err := c.Get(t.Context(), set); err != nil {
		t.Fatalf("the mirror was not tried: %v", err)
	}
	checkDownloaded(t, c, set)
}

func TestGetRefused(t *testing.T) {
	c := &Cache{Dir: t.TempDir()}
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	set := fileOf("file.txt", text, missing.URL)
	checkFailed(t, c, set, c.Get(t.Context(), set), "404 Not Found")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	set = fileOf("file.txt", text, gone.URL)
	checkFailed(t, c, set, c.Get(t.Context(), set), "cannot download file.txt: Get")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	checkFailed(t, c, set, c.Get(cancelled, set), "context canceled")
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

func TestGetWithoutDisk(t *testing.T) {
	s := newServer(t, text)
	blocked := filepath.Join(t.TempDir(), "blocked")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := &Cache{Dir: blocked}
	set := fileOf("file.txt", text, s.URL, s.URL)
	checkFailed(t, c, set, c.Get(t.Context(), set), "not a directory")
	if len(s.ranges) > 0 {
		t.Error("a download for a disk that takes none")
	}
	c = &Cache{Dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(c.place(set.Files[0])+partSuffix, "inside"), 0o777); err != nil {
		t.Fatal(err)
	}
	checkFailed(t, c, set, c.Get(t.Context(), set), "is a directory")
}

func TestGzipIsCheckedByContent(t *testing.T) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, packed.Bytes())
	c := &Cache{Dir: t.TempDir()}
	set := fileOf("file.txt.gz", text, s.URL)
	if err := c.Get(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	s.content = packed.Bytes()[:packed.Len()-5]
	c.Dir = t.TempDir()
	checkFailed(t, c, set, c.Get(t.Context(), set), "unexpected EOF")
}

func TestInstall(t *testing.T) {
	folder := t.TempDir()
	set := fileOf("folder/file.txt", text)
	c := &Cache{Dir: t.TempDir()}
	checkFailed(t, c, set, c.Install(set, folder), "no such file")
	if err := os.WriteFile(filepath.Join(folder, "file.txt"), []byte("wrong"), 0o666); err != nil {
		t.Fatal(err)
	}
	checkFailed(t, c, set, c.Install(set, folder), "has the checksum")
	if err := os.WriteFile(filepath.Join(folder, "file.txt"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := c.Install(set, folder); err != nil {
		t.Fatal(err)
	}
	checkDownloaded(t, c, set)
}

func TestDataComesBeforeCache(t *testing.T) {
	c := &Cache{Data: t.TempDir(), Dir: t.TempDir()}
	for _, name := range []string{filepath.Join(c.Data, "a"), filepath.Join(c.Dir, "a"), filepath.Join(c.Dir, "b")} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, root := range map[string]string{"a": c.Data, "b": c.Dir} {
		if where, err := c.Find(path); err != nil || filepath.Dir(where) != root {
			t.Errorf("%s is in %s, %v", path, where, err)
		}
	}
	_, err := c.Planetoid("cora")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "run `go run ./paper data get cora`") {
		t.Error(err)
	}
	if _, err = c.References(); err == nil || !strings.Contains(err.Error(), "set DEEPPSL_DATA") {
		t.Error(err)
	}
}

func TestRegistry(t *testing.T) {
	for _, set := range Sets() {
		if len(set.Files) == 0 || set.License == "" || set.About == "" {
			t.Errorf("%+v", set)
		}
		for _, file := range set.Files {
			if hash, err := hex.DecodeString(file.SHA256); err != nil || len(hash) != 32 || len(file.URLs) == 0 {
				t.Errorf("%+v", file)
			}
		}
	}
}

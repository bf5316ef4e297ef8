package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/paper/published"
)

// fakeTool returns a data tool over one set of two files, which a local server has, and an empty cache.
func fakeTool(t *testing.T) (d *dataTool, stdout, stderr *bytes.Buffer) {
	t.Helper()
	contents := map[string]string{"fake/one.txt": "one", "fake/two.txt": strings.Repeat("two", 1000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(contents[r.URL.Path[1:]]))
	}))
	t.Cleanup(server.Close)
	set := published.Set{Name: "fake", About: "two files", License: "none"}
	for _, path := range []string{"fake/one.txt", "fake/two.txt"} {
		hash := sha256.Sum256([]byte(contents[path]))
		set.Files = append(set.Files, published.File{
			Path: path, URLs: []string{server.URL + "/" + path}, SHA256: hex.EncodeToString(hash[:]),
		})
	}
	cache := &published.Cache{Dir: t.TempDir(), Client: server.Client()}
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &dataTool{
		Env:   &command.Env{Out: stdout, Err: stderr},
		sets:  []published.Set{set},
		cache: func() (*published.Cache, error) { return cache, nil },
	}, stdout, stderr
}

func TestDataGetVerifyAndList(t *testing.T) {
	d, stdout, stderr := fakeTool(t)
	if err := d.get(context.Background(), d.sets, ""); err != nil {
		t.Fatal(err)
	}
	cache, _ := d.cache()
	one, two := filepath.Join(cache.Dir, "fake", "one.txt"), filepath.Join(cache.Dir, "fake", "two.txt")
	expect(t, "get", stdout, one+"\n"+two+"\n")
	expect(t, "get's notes", stderr, "fake: none\n")

	if err := d.verify(nil); err != nil {
		t.Fatal(err)
	}
	expect(t, "verify", stdout, "ok      "+one+"\nok      "+two+"\n")

	if err := os.WriteFile(one, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(two); err != nil {
		t.Fatal(err)
	}
	if err := d.verify(d.sets); d.Conclude(err) != command.ExitFailure {
		t.Errorf("verify of damaged files: %v", err)
	}
	if got := stdout.String(); !strings.Contains(got, "wrong   "+one+" has the checksum") ||
		!strings.Contains(got, "wrong   fake/two.txt is not here") {
		t.Errorf("verify of damaged files prints\n%s", got)
	}
	stdout.Reset()

	d.JSON = true
	if err := d.list(); err != nil {
		t.Fatal(err)
	}
	expect(t, "list", stdout, `{"name":"fake","about":"two files","license":"none","files":2,"here":1}`+"\n")
}

func TestDataGetCanBeInterrupted(t *testing.T) {
	d, _, stderr := fakeTool(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := d.Conclude(d.get(ctx, d.sets, "")); code != command.ExitFailure {
		t.Errorf("exit code %d", code)
	}
	expect(t, "stderr", stderr, "fake: none\ninterrupted\n")
}

func TestDataGetFromFolder(t *testing.T) {
	d, stdout, _ := fakeTool(t)
	d.JSON, d.Quiet = true, true
	folder := t.TempDir()
	for name, text := range map[string]string{"one.txt": "one", "two.txt": strings.Repeat("two", 1000)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.get(context.Background(), d.sets, folder); err != nil {
		t.Fatal(err)
	}
	if got := stdout.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, `{"name":"fake","files":[{`) {
		t.Errorf("get --from prints %s", got)
	}
}

func TestDataProgressCountsBytesPerFile(t *testing.T) {
	recorder := &recorder{}
	files := fileTasks{progress: recorder}
	one, two := published.File{Path: "a/one"}, published.File{Path: "a/two"}
	files.show(one, 3, 10)
	files.show(one, 10, 10)
	files.show(two, 5, -1)
	files.show(two, 2, 9) // the server began anew
	files.end()
	const want = "start one 10; 3; 7; done; start two -1; 5; done; start two 9; 2; done; "
	if recorder.log.String() != want {
		t.Errorf("got  %s\nwant %s", recorder.log.String(), want)
	}
}

// expect compares and empties what was written.
func expect(t *testing.T, what string, got *bytes.Buffer, want string) {
	t.Helper()
	if got.String() != want {
		t.Errorf("%s prints\n%s\nwant\n%s", what, got.String(), want)
	}
	got.Reset()
}

// recorder is a progress that writes down its calls.
type recorder struct{ log strings.Builder }

func (r *recorder) Start(name string, total int64, _ string) report.Task {
	fmt.Fprintf(&r.log, "start %s %d; ", name, total)
	return r
}

func (r *recorder) Add(n int64) { fmt.Fprintf(&r.log, "%d; ", n) }
func (r *recorder) Done()       { r.log.WriteString("done; ") }

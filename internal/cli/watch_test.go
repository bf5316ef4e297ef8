package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/command"
)

// results collects what a command prints, and can be read meanwhile.
type results struct {
	mu    sync.Mutex
	lines bytes.Buffer
	more  chan struct{}
}

func (r *results) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, err := r.lines.Write(text)
	r.more <- struct{}{}
	return n, err
}

// TestWatch changes a table, breaks the rules, mends them with another weight, and looks at what is printed.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		beside := filepath.Join(dir, "beside")
		if err := os.WriteFile(beside, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(beside, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const rules = "1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2\n0.4: !Likes(A, T) ^2\n"
	write("model.psl", rules)
	write("knows.txt", "ann\tbob\n")
	write("model.json", `{"rules": "model.psl", "predicates": {"Knows/2": {"observations": "knows.txt"},
		"Likes/2": {"observations": [["ann", "jazz"]], "targets": [["bob", "jazz"], ["cy", "jazz"]]}}}`)
	out, complaints := &results{more: make(chan struct{}, 1)}, &results{more: make(chan struct{}, 1)}
	root := newRoot(&command.Env{Out: out, Err: complaints})
	root.SetArgs([]string{"watch", filepath.Join(dir, "model.json"), "--json", "--every", "5ms"})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	next := func(r *results) string {
		t.Helper()
		select {
		case <-r.more:
		case err := <-ended:
			t.Fatalf("it has ended: %v", err)
		case <-time.After(time.Minute):
			t.Fatal("nothing is printed")
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		defer r.lines.Reset()
		return r.lines.String()
	}
	read := func() (w watched) {
		t.Helper()
		if err := json.Unmarshal([]byte(next(out)), &w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	if first := read(); first.Run != 1 || first.Incremental || first.GroundRules != 3 || first.Changed != 0 {
		t.Errorf("the first run is %+v", first)
	}
	write("knows.txt", "ann\tbob\nbob\tcy\n")
	second := read()
	if !second.Incremental || second.Changes != 1 || second.Come != 1 || second.Gone != 0 || second.Changed != 2 {
		t.Errorf("after a row has come: %+v", second)
	}
	if a := second.Atoms[0]; a.Arguments[0] != "cy" || a.Before == nil || *a.Before > 0.01 || a.Value < 0.3 {
		t.Errorf("the atom that changed most is %+v", a)
	}
	write("model.psl", rules+"oops(")
	if text := next(complaints); !strings.Contains(text, "model.psl:3:6: error") {
		t.Errorf("wrong rules are told as %q", text)
	}
	write("model.psl", strings.Replace(rules, "0.4", "4", 1))
	if third := read(); third.Run != 3 || third.Incremental || third.Changed != 2 {
		t.Errorf("after the rules have changed: %+v", third)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

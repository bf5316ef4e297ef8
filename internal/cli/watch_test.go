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
	select {
	case r.more <- struct{}{}:
	default: // what was written before is not read yet
	}
	return n, err
}

// watching is a deeppsl watch of a folder.
type watching struct {
	t               *testing.T
	dir             string
	out, complaints *results
	ended           chan error
	cancel          context.CancelFunc
}

// write writes a file whole.
func (w *watching) write(name, text string) {
	w.t.Helper()
	beside := filepath.Join(w.dir, "beside")
	if err := os.WriteFile(beside, []byte(text), 0o666); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(beside, filepath.Join(w.dir, name)); err != nil {
		w.t.Fatal(err)
	}
}

// begin watches the folder's model.json.
func (w *watching) begin() {
	w.out, w.complaints = &results{more: make(chan struct{}, 1)}, &results{more: make(chan struct{}, 1)}
	root := newRoot(&command.Env{Out: w.out, Err: w.complaints})
	root.SetArgs([]string{"watch", filepath.Join(w.dir, "model.json"), "--json", "--every", "5ms"})
	ctx, cancel := context.WithCancel(w.t.Context())
	w.ended, w.cancel = make(chan error, 1), cancel
	go func() { w.ended <- root.ExecuteContext(ctx) }()
}

// next is what is printed next.
func (w *watching) next(r *results) string {
	w.t.Helper()
	select {
	case <-r.more:
	case err := <-w.ended:
		w.t.Fatalf("it has ended: %v", err)
	case <-time.After(time.Minute):
		w.t.Fatal("nothing is printed")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.lines.Reset()
	return r.lines.String()
}

// complains waits for a text among what is told.
func (w *watching) complains(text string) {
	w.t.Helper()
	for told := ""; !strings.Contains(told, text); {
		told += w.next(w.complaints)
	}
}

// read is the next run.
func (w *watching) read() (run watched) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.next(w.out)), &run); err != nil {
		w.t.Fatal(err)
	}
	return run
}

// end ends it.
func (w *watching) end() {
	w.t.Helper()
	w.cancel()
	if err := <-w.ended; err != nil {
		w.t.Error(err)
	}
}

// TestWatch changes a table, breaks the rules, mends them with another weight, and looks at what is printed.
func TestWatch(t *testing.T) {
	w := &watching{t: t, dir: t.TempDir()}
	const rules = "1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2\n0.4: !Likes(A, T) ^2\n"
	w.write("model.psl", rules)
	w.write("knows.txt", "ann\tbob\n")
	w.write("model.json", `{"rules": "model.psl", "predicates": {"Knows/2": {"observations": "knows.txt"},
		"Likes/2": {"observations": [["ann", "jazz"]], "targets": [["bob", "jazz"], ["cy", "jazz"]]}}}`)
	w.begin()
	if first := w.read(); first.Run != 1 || first.Incremental || first.GroundRules != 3 || first.Changed != 0 {
		t.Errorf("the first run is %+v", first)
	}
	w.write("knows.txt", "ann\tbob\nbob\tcy\n")
	second := w.read()
	if !second.Incremental || second.Changes != 1 || second.Come != 1 || second.Gone != 0 || second.Changed != 2 {
		t.Errorf("after a row has come: %+v", second)
	}
	if a := second.Atoms[0]; a.Arguments[0] != "cy" || a.Before == nil || *a.Before > 0.01 || a.Value < 0.3 {
		t.Errorf("the atom that changed most is %+v", a)
	}
	w.write("model.psl", rules+"oops(")
	w.complains("model.psl:3:6: error")
	if text := w.next(w.out); !strings.HasPrefix(text, `{"errors":[{"id":"syntax",`) {
		t.Errorf("wrong rules are told to programs as %q", text)
	}
	w.write("model.psl", strings.Replace(rules, "0.4", "4", 1))
	if third := w.read(); third.Run != 3 || third.Incremental || third.Changed != 2 {
		t.Errorf("after the rules have changed: %+v", third)
	}
	w.end()
}

// Rows of features that come, change and go are seen; what is no row is run again as a whole.
func TestWatchFeatures(t *testing.T) {
	w := &watching{t: t, dir: t.TempDir()}
	const model = `{"rules": ["1: Kind(A, 'x') -> Good(A) ^2", "0.4: !Good(A) ^2"],
		"networks": {"eye": {"features": "looks.csv", "normalize": "none"}}, "predicates": {
			"Kind/2": {"neural": {"network": "eye", "entity": 0, "class": 1, "classes": ["x", "y"]}},
			"Good/1": {"targets": [["ann"], ["bob"], ["cy"], ["dan"]]}}}`
	w.write("looks.csv", "ann,1,2\nbob,0,1\ncy,3,3\n")
	w.write("model.json", model)
	w.begin()
	if first := w.read(); first.Incremental || first.GroundRules != 7 {
		t.Errorf("the first run is %+v", first)
	}
	w.write("looks.csv", "ann,1,2\nbob,0,1\ncy,-2,5\ndan,1,1\n")
	second := w.read()
	if !second.Incremental || second.Changes != 2 || second.Changed == 0 {
		t.Errorf("after a row has come and one has changed: %+v", second)
	}
	w.write("looks.csv", "ann,1,2\nbob,0,1\ncy,3,3\n")
	if third := w.read(); third.Incremental || third.Changed != second.Changed-2 {
		t.Errorf("after a row has gone: %+v", third)
	}
	w.write("model.json", strings.Replace(model, "none", "l2", 1))
	if fourth := w.read(); fourth.Incremental || fourth.Changed == 0 {
		t.Errorf("after the network has changed: %+v", fourth)
	}
	w.end()
}

// What an interrupt cuts short is no run: of learning, for one, the answer of what there was by then looks like any
// other.
func TestWatchInterrupted(t *testing.T) {
	var stdout, stderr bytes.Buffer
	e := &command.Env{Out: &stdout, Err: &stderr}
	root := newRoot(e)
	root.SetArgs([]string{"watch", endless(t), "--json", "-q"})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if code := e.Conclude(root.ExecuteContext(ctx)); code != 0 || stdout.Len() > 0 {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/source"
)

func TestInterruptCancelsTheContext(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself here")
	}
	ctx, stop := interruptible(context.Background())
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Error("the context still runs after an interrupt")
	}
}

// Where interrupts are ignored, nothing waits for one after a command that had none.
func TestNothingWaitsForInterrupts(t *testing.T) {
	if !signal.Ignored(os.Interrupt) {
		t.Cleanup(func() { signal.Reset(os.Interrupt) })
	}
	end := func() {
		signal.Ignore(os.Interrupt)
		_, stop := interruptible(context.Background())
		stop()
	}
	end() // the first one starts what hears signals, for good
	before := runtime.NumGoroutine()
	end()
	for start := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// A command that hears nothing is left behind when it is interrupted, unless its answer is on its way.
func TestInterruptIsAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	deaf := make(chan struct{})
	defer close(deaf)
	e := &Env{Err: new(bytes.Buffer)}
	if err := e.attend(ctx, func() error { <-deaf; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that does not listen ends with %v", err)
	}
	if err := e.attend(ctx, func() error { return ErrReported }); err != ErrReported {
		t.Errorf("a command that has ended ends with %v", err)
	}

	var stderr bytes.Buffer
	e = &Env{Err: &stderr}
	e.Answering.Store(true)
	err := e.attend(ctx, func() error {
		time.Sleep(3 * grace)
		return ErrReported
	})
	if err != ErrReported || !strings.HasPrefix(stderr.String(), "interrupted: the best answer so far") {
		t.Errorf("an answer that is on its way ends with %v after %q", err, &stderr)
	}
}

// As JSON, an error without a place has none.
func TestConcludeJSON(t *testing.T) {
	var text, missing source.Diagnostics
	file := &source.File{Name: "a.psl", Text: "one\ntwo"}
	text.Errorf("some-id", file.Span(4, 7), "do that", "wrong")
	missing.Errorf("some-id", file.Whole(), "", "wrong")
	for _, test := range []struct {
		err  error
		want string
	}{
		{text.Err(), `{"id":"some-id","severity":"error","file":"a.psl","line":2,"column":1,"message":"wrong",` +
			`"hint":"do that"}`},
		{missing.Err(), `{"id":"some-id","severity":"error","file":"a.psl","message":"wrong"}`},
		{errors.New("disk full"), `{"severity":"error","message":"disk full"}`},
	} {
		var stdout bytes.Buffer
		e := &Env{Out: &stdout, Err: io.Discard, JSON: true}
		e.Conclude(test.err)
		if want := `{"errors":[` + test.want + "]}\n"; stdout.String() != want {
			t.Errorf("%s, want %s", stdout.String(), want)
		}
	}
}

func TestConclude(t *testing.T) {
	for _, test := range []struct {
		err    error
		code   int
		stderr string
	}{
		{nil, 0, ""},
		{ErrReported, 1, ""},
		{fmt.Errorf("solving: %w", context.Canceled), 1, "interrupted\n"},
		{errors.New("disk full"), 1, "error: disk full\n"},
		{Usage("some-id", "do that", "wrong %d", 7), 2, "error: wrong 7 [some-id]\n    hint: do that\n"},
	} {
		var stderr bytes.Buffer
		e := &Env{Err: &stderr}
		if code := e.Conclude(test.err); code != test.code || stderr.String() != test.stderr {
			t.Errorf("%v: exit code %d and %q, want %d and %q", test.err, code, stderr.String(), test.code, test.stderr)
		}
	}
}

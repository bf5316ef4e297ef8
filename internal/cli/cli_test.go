package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/goldentest"
)

// TestMain lets the scripts run this test binary as deeppsl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"deeppsl": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *goldentest.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", os.Getenv("DEEPPSL_DATA"))
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "data" {
				return os.Getenv("DEEPPSL_DATA") != "", nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     checkExit,
			"object":    checkObject,
			"normalize": normalize,
			"await":     await,
		},
	})
}

// checkExit is the script command `exits CODE PROGRAM ARG...`: it runs the program and compares its exit code, of which
// testscript's own exec only tells whether it is 0. The commands stdout, stderr and cmp then look at its output.
func checkExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

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

// A command that hears nothing is left behind when it is interrupted, unless its answer is on its way.
func TestInterruptIsAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	deaf := make(chan struct{})
	defer close(deaf)
	e := &env{err: new(bytes.Buffer)}
	if err := e.attend(ctx, func() error { <-deaf; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that does not listen ends with %v", err)
	}
	if err := e.attend(ctx, func() error { return errReported }); err != errReported {
		t.Errorf("a command that has ended ends with %v", err)
	}

	var stderr bytes.Buffer
	e = &env{err: &stderr}
	e.answering.Store(true)
	err := e.attend(ctx, func() error {
		time.Sleep(3 * grace)
		return errReported
	})
	if err != errReported || !strings.HasPrefix(stderr.String(), "interrupted: the best answer so far") {
		t.Errorf("an answer that is on its way ends with %v after %q", err, &stderr)
	}
}

// An interrupt during inference leaves everything that was asked for, and the exit code of a failure.
func TestInterruptLeavesTheBestAnswer(t *testing.T) {
	folder := t.TempDir()
	model := filepath.Join(folder, "model.json")
	text := `{"rules": ["1: T(X) ^2", "1: !T(X) ^2"],
		"predicates": {"T/1": {"targets": [["a"], ["b"]]}},
		"options": {"inference.method": "sgd", "sgd.threshold": 1e-300, "sgd.rate": 1e-9,
			"inference.iterations": 2000000000}}`
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	e := &env{out: &stdout, err: &stderr}
	root := newRoot(e)
	root.SetArgs([]string{"run", model, "-o", filepath.Join(folder, "answers")})
	ctx := contexttest.Countdown(1000)
	code := e.conclude(root.ExecuteContext(ctx))
	if code != exitFailure || !strings.HasPrefix(stdout.String(), "interrupted: objective ") ||
		!strings.HasSuffix(stderr.String(), "interrupted\n") {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	if _, err := os.Stat(filepath.Join(folder, "answers", "T.txt")); err != nil {
		t.Error(err)
	}
}

func TestConclude(t *testing.T) {
	for _, test := range []struct {
		err    error
		code   int
		stderr string
	}{
		{nil, 0, ""},
		{errReported, 1, ""},
		{fmt.Errorf("solving: %w", context.Canceled), 1, "interrupted\n"},
		{errors.New("disk full"), 1, "error: disk full\n"},
		{usage("some-id", "do that", "wrong %d", 7), 2, "error: wrong 7 [some-id]\n    hint: do that\n"},
	} {
		var stderr bytes.Buffer
		e := &env{err: &stderr}
		if code := e.conclude(test.err); code != test.code || stderr.String() != test.stderr {
			t.Errorf("%v: exit code %d and %q, want %d and %q", test.err, code, stderr.String(), test.code, test.stderr)
		}
	}
}

// Every command must explain itself, and stay within the width of a terminal.
func TestHelpOfEveryCommand(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Name() != "completion" && sub.Name() != "help" {
				visit(sub)
			}
		}
		if cmd.Short == "" || cmd.Long == "" {
			t.Errorf("%s lacks a short or a long help", cmd.CommandPath())
		}
		if cmd.Args == nil {
			t.Errorf("%s does not check its arguments", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if len([]rune(line)) > 81 {
				t.Errorf("%s: more than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
	}
	visit(newRoot(&env{}))
}

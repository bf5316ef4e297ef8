package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/scripttest"
)

// TestMain lets the scripts run this test binary as deeppsl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"deeppsl": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) { scripttest.Run(t) }

// endless writes a project whose inference has no end, and returns its configuration.
func endless(t *testing.T) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.json")
	text := `{"rules": ["1: T(X) ^2", "1: !T(X) ^2"],
		"predicates": {"T/1": {"targets": [["a"], ["b"]]}},
		"options": {"inference.method": "sgd", "sgd.threshold": 1e-300, "sgd.rate": 1e-9,
			"inference.iterations": 2000000000}}`
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return model
}

// An interrupt during inference leaves everything that was asked for, and the exit code of a failure.
func TestInterruptLeavesTheBestAnswer(t *testing.T) {
	model := endless(t)
	var stdout, stderr bytes.Buffer
	e := &command.Env{Out: &stdout, Err: &stderr}
	root := newRoot(e)
	root.SetArgs([]string{"run", model, "-o", filepath.Join(filepath.Dir(model), "answers")})
	ctx := contexttest.Countdown(1000)
	code := e.Conclude(root.ExecuteContext(ctx))
	if code != command.ExitFailure || !strings.HasPrefix(stdout.String(), "interrupted: objective ") ||
		!strings.HasSuffix(stderr.String(), "interrupted\n") {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(model), "answers", "T.txt")); err != nil {
		t.Error(err)
	}
}

// A help that nobody gets is a failure, as any other answer is.
func TestHelpThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"run", "--help"}, {"help", "fmt"}, {"completion", "bash"}} {
		var stderr bytes.Buffer
		code := Main(args, nil, full{}, &stderr)
		if code != command.ExitFailure || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("%q: exit code %d\n%s", args, code, &stderr)
		}
	}
}

var errFull = errors.New("no space left")

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

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
	visit(newRoot(&command.Env{}))
}

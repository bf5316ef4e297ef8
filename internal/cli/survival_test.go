//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/command"
)

// trainee is a project whose learning is ended by signals.
type trainee struct {
	program, config string
	args            []string
	took            time.Duration // undisturbed
	want            []byte        // the answer of that
}

// newTrainee generates the project, and runs it undisturbed.
func newTrainee(t *testing.T) *trainee {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tr := &trainee{program: filepath.Join(dir, "deeppsl"), config: filepath.Join(dir, "project", "citation.json")}
	if err := os.Symlink(self, tr.program); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tr.program, "demo", "--documents", "80", "--out", filepath.Dir(tr.config),
		"-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tr.args = []string{"run", tr.config, "-l", "-i", "-D", "learn.epochs=30", "--json"}
	whole := filepath.Join(dir, "whole")
	start := time.Now()
	if code, _, stderr := tr.run(t, whole, nil); code != command.ExitSuccess {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	tr.took, tr.want = time.Since(start), answersIn(t, whole)
	return tr
}

// run runs the project with all outputs in a folder; end, if it is not nil, may end the process.
func (tr *trainee) run(t *testing.T, dir string, end func(*os.Process)) (code int, stdout, stderr string) {
	t.Helper()
	var out, notes bytes.Buffer
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tr.program, append(tr.args, "-o", filepath.Join(dir, "answers"), "--checkpoint",
		filepath.Join(dir, "state"), "--save-networks", filepath.Join(dir, "networks"))...)
	cmd.Stdout, cmd.Stderr = &out, &notes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if end != nil {
		end(cmd.Process)
	}
	exit := (*exec.ExitError)(nil)
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), notes.String()
}

// answersIn returns all that a run has written, but for its checkpoint, which has times in it.
func answersIn(t *testing.T, dir string) []byte {
	t.Helper()
	var all []byte
	for _, name := range []string{"answers/LABEL.txt", "answers/NEURAL.txt", "networks"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		all = append(all, text...)
	}
	return all
}

// A process that a signal ends at any time, and that is started again, ends with the bits of one that nothing
// disturbed. An interrupt leaves a whole report and all files; kill -9 leaves nothing but the checkpoint.
func TestSignals(t *testing.T) {
	tr := newTrainee(t)
	ends, random := 20, rand.New(rand.NewPCG(3, 4))
	if testing.Short() {
		ends = 3
	}
	for _, signal := range []os.Signal{syscall.SIGKILL, os.Interrupt} {
		learning := 0
		for range ends {
			dir := t.TempDir()
			delay := time.Duration(random.Float64() * float64(tr.took))
			code, stdout, stderr := tr.run(t, dir, func(p *os.Process) {
				time.Sleep(delay)
				_ = p.Signal(signal)
			})
			if strings.Contains(stderr, "epoch") && code != command.ExitSuccess {
				learning++
			}
			if signal == os.Interrupt && code == command.ExitFailure && stdout != "" {
				wantInterrupted(t, dir, stdout, stderr)
			}
			if code, _, stderr := tr.run(t, dir, nil); code != command.ExitSuccess {
				t.Errorf("after %v at %v: exit code %d\n%s", signal, delay, code, stderr)
			} else if !bytes.Equal(answersIn(t, dir), tr.want) {
				t.Errorf("after %v at %v: other answers or networks than undisturbed", signal, delay)
			}
		}
		t.Logf("%v ended %d of %d runs while they learned", signal, learning, ends)
	}
}

// wantInterrupted checks what an interrupt has left.
func wantInterrupted(t *testing.T, dir, stdout, stderr string) {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || report["status"] != "interrupted" {
		t.Errorf("interrupted: %v\n%s", err, stdout)
	}
	if !strings.HasSuffix(stderr, "interrupted\n") {
		t.Errorf("interrupted: the last line of the notes is another\n%s", stderr)
	}
	if len(answersIn(t, dir)) == 0 {
		t.Error("interrupted: nothing is written")
	}
}

// A second interrupt ends the process at once, also in the grace that inference has, and where interrupts are ignored
// before the first one, as a script has it for what it starts in the background.
func TestSecondInterrupt(t *testing.T) {
	tr := newTrainee(t)
	tr.args = append(tr.args, "-D", "learn.epochs=1000000")
	endlessInference(t, tr.config)
	wasIgnored := signal.Ignored(os.Interrupt)
	for _, ignored := range []bool{wasIgnored, true} {
		dir, start := t.TempDir(), time.Now()
		if ignored {
			signal.Ignore(os.Interrupt)
		}
		code, stdout, _ := tr.run(t, dir, func(p *os.Process) {
			if !wasIgnored {
				signal.Reset(os.Interrupt)
			}
			for _, err := os.Stat(filepath.Join(dir, "state")); err != nil && time.Since(start) < time.Minute; {
				time.Sleep(10 * time.Millisecond) // until it learns: before, the first interrupt ends it
				_, err = os.Stat(filepath.Join(dir, "state"))
			}
			for range 3 {
				time.Sleep(400 * time.Millisecond)
				_ = p.Signal(os.Interrupt)
			}
		})
		want := -1
		if ignored {
			want = 128 + int(syscall.SIGINT)
		}
		if code != want || stdout != "" { // in the grace, it would end with its report
			t.Errorf("ignored: %t: exit code %d, want %d\n%s", ignored, code, want, stdout)
		}
	}
}

// endlessInference changes a configuration so that inference, but not that of learning, does not end by itself.
func endlessInference(t *testing.T, config string) {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	rest, whole := strings.CutSuffix(strings.TrimSpace(string(text)), "}")
	if !whole {
		t.Fatalf("%s does not end with a brace", config)
	}
	rest += `, "infer": {"options": {"inference.method": "sgd", "inference.iterations": 100000000,
		"sgd.threshold": 1e-300, "sgd.rate": 1e-9}}}`
	if err := os.WriteFile(config, []byte(rest), 0o666); err != nil {
		t.Fatal(err)
	}
}

// An interrupt ends a process that writes to a pipe which nobody reads: the first one, as there is no answer that would
// come if one waited.
func TestInterruptAtAPipe(t *testing.T) {
	const targets = 10000 // whose ground rules are more than a pipe takes
	dir := t.TempDir()
	self, err := os.Executable()
	model, program, pipe := filepath.Join(dir, "model.json"), filepath.Join(dir, "deeppsl"), filepath.Join(dir, "pipe")
	names := make([]string, targets)
	for k := range names {
		names[k] = fmt.Sprintf(`["a%d"]`, k)
	}
	text := `{"rules": ["1: T(X) ^2"], "predicates": {"T/1": {"targets": [` + strings.Join(names, ", ") + `]}}}`
	if err := errors.Join(err, os.WriteFile(model, []byte(text), 0o600), os.Symlink(self, program),
		syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "run", model, "--groundrules", pipe)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	reader, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	end, _ := ctx.Deadline()
	if err := errors.Join(reader.SetReadDeadline(end), cmd.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Read(make([]byte, 1)); err != nil {
		t.Errorf("nothing is written: %v", err)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	code := cmd.ProcessState.ExitCode()
	if code != command.ExitFailure || !strings.HasSuffix(stderr.String(), "interrupted\n") {
		t.Errorf("exit code %d\n%s", code, &stderr)
	}
}

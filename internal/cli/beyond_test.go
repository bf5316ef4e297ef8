//go:build linux

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/command"
)

// beyond is a process of deeppsl that solves a model whose ground rules are in a temporary file, for ever.
type beyond struct {
	*exec.Cmd
	scratch, answers string // folders
	stdout, stderr   bytes.Buffer
}

// beyondMemory prepares the command, behind a prefix of the shell's.
func beyondMemory(t *testing.T, prefix string) *beyond {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &beyond{scratch: filepath.Join(dir, "scratch"), answers: filepath.Join(dir, "answers")}
	model, program := filepath.Join(dir, "model.json"), filepath.Join(dir, "deeppsl")
	if err := errors.Join(os.Mkdir(b.scratch, 0o700), os.WriteFile(model, []byte(everybody(40)), 0o600),
		os.Symlink(self, program)); err != nil {
		t.Fatal(err)
	}
	b.Cmd = exec.Command("/bin/sh", "-c", prefix+`exec "$0" "$@"`, program, "run", model, "-o", b.answers, "--memory",
		"2MB", "--scratch", b.scratch, "--gap", "1e-300", "-D", "inference.iterations=1000000000")
	b.Stdout, b.Stderr = &b.stdout, &b.stderr
	return b
}

// everybody is a project about people all of whom may be friends, which is a matter of triples.
func everybody(people int) string {
	var alike, friends []string
	for a := range people {
		for b := range people {
			if a != b {
				alike = append(alike, fmt.Sprintf(`["p%d", "p%d", 0.%d]`, a, b, (a*b+a+b)%10))
				friends = append(friends, fmt.Sprintf(`["p%d", "p%d"]`, a, b))
			}
		}
	}
	return fmt.Sprintf(`{
		"rules": ["10: Alike(A, B) -> Friends(A, B)", "1: !Friends(A, B)",
			"1: Friends(A, B) & Friends(B, C) & (A != B) & (B != C) & (A != C) -> Friends(A, C) ^2"],
		"predicates": {"Alike/2": {"observations": [%s]}, "Friends/2": {"targets": [%s]}}
	}`, strings.Join(alike, ","), strings.Join(friends, ","))
}

// solving starts the process, and returns when it has mapped its file.
func (b *beyond) solving(t *testing.T) {
	t.Helper()
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Process.Kill() })
	for range 3000 {
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", b.Process.Pid))
		if err != nil {
			t.Skip("the system does not say what a process has mapped")
		}
		if bytes.Contains(maps, []byte(b.scratch)) {
			time.Sleep(100 * time.Millisecond) // it is read once before the model is solved
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no file was mapped\n%s%s", &b.stdout, &b.stderr)
}

// cut takes from the file what is in it.
func (b *beyond) cut(t *testing.T) {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", b.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if name, _ := os.Readlink(link); strings.HasPrefix(name, b.scratch) {
			if err := os.Truncate(link, 0); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("the process has no scratch file")
}

// What ends a process while its ground rules are in a file must leave no file, and no answer but the best of an
// inference that was cancelled.
func TestBeyondMemoryEnds(t *testing.T) {
	for _, c := range []struct {
		name, prefix string
		end          func(t *testing.T, b *beyond)
		code         int // -1 after a signal
		stderr       string
	}{
		{"killed", "", func(t *testing.T, b *beyond) { _ = b.Process.Kill() }, -1, ""},
		{"interrupted", "", func(t *testing.T, b *beyond) { _ = b.Process.Signal(os.Interrupt) }, command.ExitFailure,
			"interrupted\n"},
		{"terminated", "", func(t *testing.T, b *beyond) { _ = b.Process.Signal(syscall.SIGTERM) }, command.ExitFailure,
			"interrupted\n"},
		{"cut", "", func(t *testing.T, b *beyond) { b.cut(t) }, command.ExitFailure,
			"error: a temporary file was damaged; its disk may be failing; it was in "},
		{"full disk", "ulimit -f 100; ", nil, command.ExitFailure, "file too large\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := beyondMemory(t, c.prefix)
			if c.end == nil {
				if err := b.Start(); err != nil {
					t.Fatal(err)
				}
			} else {
				b.solving(t)
				c.end(t, b)
			}
			_ = b.Wait()
			if code := b.ProcessState.ExitCode(); code != c.code || !strings.Contains(b.stderr.String(), c.stderr) ||
				strings.Contains(b.stderr.String(), "goroutine") {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, &b.stdout, &b.stderr)
			}
			if left, err := os.ReadDir(b.scratch); err != nil || len(left) > 0 {
				t.Errorf("%d files are left, %v", len(left), err)
			}
			cancelled := strings.HasPrefix(b.stdout.String(), "interrupted: objective ")
			if _, err := os.Stat(filepath.Join(b.answers, "FRIENDS.txt")); (err == nil) != cancelled {
				t.Errorf("answers: %v\n%s", err, &b.stdout)
			}
		})
	}
}

// A process takes no more than 1.3 times the memory that it is given, whatever its joins make: here all pairs of what
// one constant is linked to, 128 MB of ground rules from 4,000 rows.
func TestMemoryIsKept(t *testing.T) {
	alloctest.SkipIfRacing(t)
	if testing.Short() {
		t.Skip("seconds")
	}
	const links, given = 4000, 80
	dir := t.TempDir()
	var link, value strings.Builder
	for k := range links {
		fmt.Fprintf(&link, "hub\tn%d\n", k)
		fmt.Fprintf(&value, "n%d\n", k)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	model, program := filepath.Join(dir, "model.json"), filepath.Join(dir, "deeppsl")
	write := func(name, text string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	if err := errors.Join(os.Symlink(self, program), write("link.tsv", link.String()), write("value.tsv", value.String()),
		write("model.json", `{"rules": ["1: Link(X, A) & Link(X, B) & Value(A) -> Value(B) ^2"],
			"predicates": {"Link/2": {"observations": "link.tsv"}, "Value/1": {"targets": "value.tsv"}}}`)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", model, "--memory", fmt.Sprintf("%dMB", given), "--scratch", dir, "--json")
	out, err := cmd.Output()
	if err != nil || !bytes.Contains(out, []byte(`"ground_rules":15996000`)) {
		t.Fatalf("%v\n%s", err, out)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if peak := usage.Maxrss * 1024; peak > given*1_300_000 {
		t.Errorf("%d bytes of memory, given %d MB", peak, given)
	}
}

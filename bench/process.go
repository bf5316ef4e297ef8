package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/report"
)

// process is a program that ran to its end.
type process struct {
	stdout  []byte
	seconds float64 // wall time of all of it, start and exit included
	cpu     float64 // seconds of processor time, of all its threads
	rss     int64   // its largest resident set in bytes, 0 if the system does not say
}

// absent says why a peer cannot run here.
type absent struct{ reason string }

func (e absent) Error() string { return e.reason }

// execute runs a program in a folder, for at most a time. Errors end with the program's last words.
func execute(ctx context.Context, dir string, limit time.Duration, name string, args ...string) (*process, error) {
	return executeWith(ctx, dir, limit, nil, name, args...)
}

// executeWith is execute for a program that reads its standard input.
func executeWith(
	ctx context.Context, dir string, limit time.Duration, stdin io.Reader, name string, args ...string,
) (*process, error) {
	limited, stop := context.WithTimeout(ctx, limit)
	defer stop()
	command := exec.CommandContext(limited, name, args...)
	command.Dir, command.Stdin = dir, stdin
	command.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	start := time.Now()
	err := command.Run()
	seconds := time.Since(start).Seconds()
	switch {
	case err == nil:
		state := command.ProcessState
		cpu := (state.UserTime() + state.SystemTime()).Seconds()
		return &process{stdout.Bytes(), seconds, cpu, report.ChildRSS(state)}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("did not end within %v", limit)
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return nil, absent{fmt.Sprintf("there is no program %s", name)}
	}
	last := lastLine(stderr.String() + stdout.String())
	if strings.HasPrefix(last, "ModuleNotFoundError") { // Python's
		return nil, absent{last}
	}
	return nil, fmt.Errorf("%w: %s", err, last)
}

// lastLine returns the last line with anything in it.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// Package cli is the command line: it reads arguments, calls the library and prints what it answers. Every command is
// one file of this package: a constructor that returns its *cobra.Command, listed in newRoot, and a result type that
// prints itself as text and as JSON.
//
// Results go to stdout and nothing else does; progress, notes and diagnostics go to stderr.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The exit codes of Main.
const (
	exitSuccess = 0 // the command did what was asked
	exitFailure = 1 // it could not, or found what it was asked to look for: a difference, a damaged file
	exitUsage   = 2 // the arguments or the input have no meaning
)

// Main runs the command that args, without the program's name, ask for, and returns the exit code: 0 for success, 1
// for failure, 2 for arguments or input that have no meaning. The first interrupt cancels the command; the second ends
// the process.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	SaveMemory()
	ctx, stop := interruptible(context.Background())
	defer stop()
	e := &env{in: stdin, out: stdout, err: stderr}
	root := newRoot(e)
	root.SetArgs(append([]string{}, fromPSL(args)...)) // never nil, for which cobra would take the process's own
	return e.conclude(e.attend(ctx, func() error { return root.ExecuteContext(ctx) }))
}

// grace is how long a command has to end in order once it is interrupted, unless an answer is on its way.
const grace = 50 * time.Millisecond

// attend runs a command. One that is interrupted and has no answer yet is left where it is if it does not end at once:
// it may be reading, sorting or waiting, and whoever called Main ends the process. One that has an answer on its way
// gives it, and the user is told so.
func (e *env) attend(ctx context.Context, command func() error) error {
	done := make(chan error, 1)
	go func() { done <- command() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
	}
	if !e.answering.Load() {
		return ctx.Err()
	}
	e.notef("interrupted: the best answer so far is on its way; interrupt again to end without it")
	return <-done
}

// interruptible returns a context that the first interrupt cancels. From then on, signals have their default effect.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

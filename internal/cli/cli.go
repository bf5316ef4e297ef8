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
)

// The exit codes of Main.
const (
	exitSuccess = 0 // the command did what was asked
	exitFailure = 1 // it could not, or found what it was asked to look for: a difference, a damaged file
	exitUsage   = 2 // the arguments or the input have no meaning
)

// Main runs the command that args, without the program's name, ask for, and returns the exit code: 0 for success, 1
// for failure, 2 for arguments or input that have no meaning. The first interrupt cancels the command, which then ends
// in order; the second ends the process.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	SaveMemory()
	ctx, stop := interruptible(context.Background())
	defer stop()
	e := &env{in: stdin, out: stdout, err: stderr}
	root := newRoot(e)
	root.SetArgs(append([]string{}, fromPSL(args)...)) // never nil, for which cobra would take the process's own
	return e.conclude(root.ExecuteContext(ctx))
}

// interruptible returns a context that the first interrupt cancels. From then on, signals have their default effect.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

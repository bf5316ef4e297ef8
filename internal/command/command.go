// Package command is what the programs of this module have in common: the flags that all commands have, results as text
// and as JSON, errors with hints, exit codes and interrupts.
//
// Results go to stdout and nothing else does; progress, notes and diagnostics go to stderr.
package command

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/report"
)

// The exit codes of Run.
const (
	ExitSuccess = 0 // the command did what was asked
	ExitFailure = 1 // it could not, or found what it was asked to look for: a difference, a damaged file
	ExitUsage   = 2 // the arguments or the input have no meaning
)

// Run runs the command below root that args, without the program's name, ask for, and returns the exit code. The first
// interrupt cancels the command; the second ends the process.
func (e *Env) Run(root *cobra.Command, args []string) int {
	SaveMemory()
	e.keepToMachine()
	ctx, stop := interruptible(context.Background())
	defer stop()
	e.Err = report.OnScreen(e.Err)
	root.SetErr(e.Err)
	e.JSON = slices.Contains(args, "--json")  // also if the flags after it, or before, cannot be read
	root.SetArgs(append([]string{}, args...)) // never nil, for which cobra would take the process's own
	return e.Conclude(e.attend(ctx, func() error {
		if err := root.ExecuteContext(ctx); err != nil {
			return err
		}
		return e.help.err
	}))
}

// grace is how long a command has to end in order once it is interrupted, unless an answer is on its way.
const grace = 25 * time.Millisecond

// attend runs a command. One that is interrupted and has no answer yet is left where it is if it does not end at once:
// it may be reading, sorting or waiting, and whoever called Main ends the process. One that has an answer on its way
// gives it, and the user is told so, unless it waits for who reads it. One that is beyond its bounds is left in any
// case.
func (e *Env) attend(ctx context.Context, command func() error) error {
	done, over := make(chan error, 1), make(chan struct{})
	defer close(over)
	e.bounds.ended = make(chan error, 1)
	go func() { done <- command() }()
	go e.watch(over)
	select {
	case err := <-done:
		return err
	case err := <-e.bounds.ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
	}
	if !e.Answering.Load() || e.Waiting.Load() {
		return ctx.Err()
	}
	e.Notef("interrupted: the best answer so far is on its way; interrupt again to end without it")
	select {
	case err := <-done:
		return err
	case err := <-e.bounds.ended:
		return err
	}
}

// exitInterrupted is the exit code that shells give what an interrupt has ended.
const exitInterrupted = 128 + int(syscall.SIGINT)

// interruptible returns a context that the first interrupt cancels. From then on, signals have their default effect:
// but an interrupt ends the process also where it would be ignored, as in what a script starts in the background.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ignored := signal.Ignored(os.Interrupt)
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		if interrupted := context.Cause(ctx) != context.Canceled; interrupted && ignored {
			again := make(chan os.Signal, 1)
			signal.Notify(again, os.Interrupt)
			go func() {
				<-again
				os.Exit(exitInterrupted)
			}()
		}
		stop()
	})
	return ctx, stop
}

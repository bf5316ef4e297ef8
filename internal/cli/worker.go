package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/worker"
)

const workerHelp = `Worker serves programs that are written in other languages: it reads requests
from stdin and writes replies to stdout, both as frames, which docs/protocol.md
describes. The Python package deeppsl is such a program.

It ends when stdin does, and gives up what it is doing then. Where other
processes may hold stdin open too, --parent ends it with the process that
started it.`

const workerExamples = `  deeppsl worker
  deeppsl worker --parent $$`

// orphaned is how often a worker looks whether its parent lives.
const orphaned = time.Second

// newWorker returns deeppsl worker.
func newWorker(e *command.Env) *cobra.Command {
	var parent int
	cmd := &cobra.Command{
		Use:     "worker",
		Short:   "Serve a program in another language, by frames",
		Long:    workerHelp,
		Example: workerExamples,
		GroupID: groupData,
		Args:    command.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return serveFrames(cmd.Context(), e, parent) },
	}
	cmd.Flags().IntVar(&parent, "parent", 0, "end when the process of this `number` is the parent no more")
	return cmd
}

// serveFrames answers frames until the input ends, or the parent does, which is how a worker is meant to end. What
// is wrong with the stream is told to whoever reads the frames, and to people.
func serveFrames(ctx context.Context, e *command.Env, parent int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if parent != 0 {
		go watchParent(ctx, parent, cancel)
	}
	err := worker.Serve(ctx, e.In, e.Out, readVersion().Version)
	switch {
	case errors.As(err, new(worker.BrokenError)):
		fmt.Fprintln(e.Err, "error:", err)
		return command.ErrWrongInput
	case errors.Is(err, context.Canceled) && parent != 0 && os.Getppid() != parent:
		return nil
	}
	return err
}

// watchParent cancels when the parent is another process than the one that is given.
func watchParent(ctx context.Context, parent int, cancel context.CancelFunc) {
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-time.After(orphaned):
		}
	}
	cancel()
}

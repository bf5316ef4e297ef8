package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/source"
)

// resident is what the commands have in common that load a project and then answer for as long as they are asked.
type resident struct {
	projectFlags
	from    input
	journal string
	budget  time.Duration
	lints   source.Diagnostics
}

// flags declares their flags.
func (x *resident) flags(cmd *cobra.Command) {
	x.projectFlags.flags(cmd)
	x.forceFlag(cmd)
	f := cmd.Flags()
	x.from.flags(f)
	command.FolderVar(f, &x.journal, "journal", "the `folder` for changes, and to read them from")
	command.TimeVar(f, &x.budget, "budget",
		"the `time` in which changes are answered, with what is proven by then; the rest is inferred behind them "+
			"(default: until all is proven)")
}

// open loads, learns and infers, and makes the changes of the journal again; the verb says what is not done with
// examples. With ErrNoAnswer, the report says why there is none.
func (x *resident) open(cmd *cobra.Command, args []string, verb string) (*serve.Service, *engine.Report, error) {
	loaded, err := x.loadShown(cmd, &x.from, args, &x.lints, verb)
	if err != nil {
		return nil, nil, err
	}
	path := x.journal
	if path != "" {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, nil, err
		}
		path = filepath.Join(path, "journal.jsonl")
	}
	model := &serve.Model{Title: filepath.Base(x.from.name(args)), Project: loaded, Lints: &x.lints}
	service, err := serve.Open(cmd.Context(), model, path, x.budget)
	return service, model.Report, err
}

// listens finds before a project is loaded that its pages or answers could not be asked for.
func listens(cmd *cobra.Command, how *serve.Options) error {
	if err := how.Check(cmd.Context()); err != nil {
		return command.Usage("flag-value", command.SeeHelp(cmd), "--listen: %v", err)
	}
	return nil
}

// resides runs a service and what asks it until that ends: it first, so that what has begun is done.
func resides(ctx context.Context, service *serve.Service, asks func(context.Context) error) error {
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Run(writing)
	}()
	err := asks(ctx)
	stop()
	<-done
	return errors.Join(err, service.Close())
}

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/session"
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
	f.StringVar(&x.journal, "journal", "", "the `folder` for changes, and to read them from")
	f.DurationVar(&x.budget, "budget", 0, "the most `time` that inference after changes takes (default: as configured)")
}

// open loads, learns and infers, and makes the changes of the journal again; the verb says what is not done with
// examples. The service is nil if there is no answer to begin with.
func (x *resident) open(cmd *cobra.Command, args []string, verb string) (*serve.Service, *engine.Report, error) {
	loaded, err := x.loadShown(cmd, &x.from, args, &x.lints, verb)
	if err != nil {
		return nil, nil, err
	}
	result, err := engine.Run(cmd.Context(), loaded, engine.Stages{})
	if err != nil || infeasible(result) || result.Answer == nil {
		return nil, result, err
	}
	path := x.journal
	if path != "" {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, nil, err
		}
		path = filepath.Join(path, "journal.jsonl")
	}
	model := x.model(loaded, result, filepath.Base(x.from.name(args)))
	service, err := serve.Open(cmd.Context(), model, path, x.budget)
	return service, result, err
}

// model says what the service answers from: what was learned is learned once.
func (x *resident) model(loaded *project.Project, result *engine.Report, title string) serve.Model {
	return serve.Model{Title: title,
		Ground: func(ctx context.Context) (*session.Grounding, *session.Answer, error) {
			g, err := engine.Ground(ctx, loaded, load.Infer)
			if err == nil && result.Learned != nil {
				err = g.Adopt(result.Learned)
			}
			if err != nil {
				return nil, nil, err
			}
			answer, err := g.InferAgain(ctx, nil)
			return g, answer, err
		},
		Pages: func(ctx context.Context, g *session.Grounding, answer *session.Answer) (*inspect.Site, error) {
			now := *result
			now.Grounding, now.Answer, now.Objective = g, answer, answer.Objective
			now.Variables, now.GroundRules = g.Variables(), g.Potentials()
			return inspect.New(ctx, title, &now, x.lints.Plain())
		}}
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

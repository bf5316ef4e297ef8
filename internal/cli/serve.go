package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

const serveHelp = `Serve loads a project once and answers requests over HTTP until it is
interrupted: what an atom's value is and why, what it would be if facts were
others, and changes of facts, targets, weights and rules, after which only what
they touch is inferred, with a proof of the whole.

GET /openapi.json describes all of it; / is for people. --journal keeps the
changes, each on the disk before its answer, for the next start.

Only this machine can ask, unless there is a --token-file or certificates of
clients are asked for.`

const serveExamples = `  deeppsl serve model.json --journal changes
  curl 127.0.0.1:7474/v1/atoms/Knows?min=0.5
  curl 127.0.0.1:7474/v1/updates -H Content-Type:application/json -d @new.json
  curl 127.0.0.1:7474/v1/events                versions, as they come`

// server is one run of deeppsl serve.
type server struct {
	projectFlags
	from                           input
	address, journal, token        string
	hosts                          []string
	certificate, key, certificates string
	budget                         time.Duration
	lints                          source.Diagnostics
}

// newServe returns deeppsl serve.
func newServe(e *command.Env) *cobra.Command {
	x := &server{projectFlags: projectFlags{Env: e}}
	cmd := &cobra.Command{
		Use:     "serve CONFIG [--listen ADDRESS] [--journal DIR]",
		Short:   "Answer requests over HTTP about a model that changes",
		Long:    serveHelp,
		Example: serveExamples,
		GroupID: groupRules,
		Args:    x.from.check,
		RunE:    x.run,
	}
	x.flags(cmd)
	x.forceFlag(cmd)
	f := cmd.Flags()
	x.from.flags(f)
	f.StringVar(&x.address, "listen", "127.0.0.1:7474", "the `address` to listen to")
	f.StringVar(&x.journal, "journal", "", "the `folder` for changes, and to read them from")
	f.StringVar(&x.token, "token-file", "", "a `file` with what requests must bring as a bearer token")
	f.StringSliceVar(&x.hosts, "host", nil, "a `name` that requests may have for this machine")
	f.StringVar(&x.certificate, "tls-cert", "", "a `file` with the server's certificate, for HTTPS")
	f.StringVar(&x.key, "tls-key", "", "a `file` with its key")
	f.StringVar(&x.certificates, "tls-client-ca", "", "a `file` with who certifies clients, which they then must be")
	f.DurationVar(&x.budget, "budget", 0, "the most `time` that inference after changes takes (default: as configured)")
	return cmd
}

func (x *server) run(cmd *cobra.Command, args []string) error {
	how, err := x.listening()
	if err != nil {
		return err
	}
	loaded, err := x.loadShown(cmd, &x.from, args, &x.lints, "served")
	if err != nil {
		return err
	}
	model, err := x.model(cmd.Context(), loaded, filepath.Base(x.from.name(args)))
	if err != nil {
		return err
	}
	path := x.journal
	if path != "" {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return err
		}
		path = filepath.Join(path, "journal.jsonl")
	}
	service, err := serve.Open(cmd.Context(), model, path, x.budget)
	if err != nil {
		return err
	}
	x.Answering.Store(true) // an interrupt ends in order
	var failed error
	how.Ready = func(root string) { failed = x.Emit(served{root, service.Current().Number}) }
	err = x.both(cmd.Context(), service, how)
	if errors.Is(err, serve.ErrNotLoopback) {
		err = command.Usage("flag-value", command.SeeHelp(cmd), "--listen: %v", err)
	}
	return errors.Join(err, failed)
}

// both runs a service and its listener until the context ends: the listener first, so that what has begun is done.
func (x *server) both(ctx context.Context, service *serve.Service, how serve.Options) error {
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		service.Run(writing)
	}()
	err := serve.Listen(ctx, how, service.Handler(readVersion().Version))
	stop()
	<-done
	return errors.Join(err, service.Close())
}

// model says what the service answers from. What the configuration learns is learned once.
func (x *server) model(ctx context.Context, loaded *project.Project, title string) (serve.Model, error) {
	result, err := engine.Run(ctx, loaded, engine.Stages{})
	if err != nil {
		return serve.Model{}, err
	}
	if infeasible(result) || result.Answer == nil {
		return serve.Model{}, errors.Join(x.Emit(ran{Report: result}), command.ErrReported)
	}
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
		}}, nil
}

// listening reads what the flags say about who may ask.
func (x *server) listening() (how serve.Options, err error) {
	how = serve.Options{Address: x.address, Hosts: x.hosts}
	if x.token != "" {
		text, err := os.ReadFile(x.token)
		if err != nil {
			return how, err
		}
		if how.Token = strings.TrimSpace(string(text)); how.Token == "" {
			return how, fmt.Errorf("%s holds no token", x.token)
		}
	}
	if x.certificate == "" {
		if x.key != "" || x.certificates != "" {
			return how, errors.New("--tls-key and --tls-client-ca take --tls-cert")
		}
		return how, nil
	}
	own, err := tls.LoadX509KeyPair(x.certificate, x.key)
	if err != nil {
		return how, err
	}
	how.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{own}}
	if x.certificates != "" {
		text, err := os.ReadFile(x.certificates)
		if err != nil {
			return how, err
		}
		how.TLS.ClientAuth, how.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !how.TLS.ClientCAs.AppendCertsFromPEM(text) {
			return how, fmt.Errorf("%s holds no certificate", x.certificates)
		}
	}
	return how, nil
}

// served says where the service is.
type served struct {
	URL     string `json:"url"`
	Version int    `json:"version"`
}

// Text prints the address.
func (s served) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "Requests are answered at %s until you interrupt this command.\n", s.URL)
	return err
}

package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/serve"
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
	resident
	address, token                 string
	hosts                          []string
	certificate, key, certificates string
}

// newServe returns deeppsl serve.
func newServe(e *command.Env) *cobra.Command {
	x := &server{resident: resident{projectFlags: projectFlags{Env: e}}}
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
	f := cmd.Flags()
	f.StringVar(&x.address, "listen", "127.0.0.1:7474", "the `address` to listen to")
	f.StringVar(&x.token, "token-file", "", "a `file` with what requests must bring as a bearer token")
	f.StringSliceVar(&x.hosts, "host", nil, "a `name` that requests may have for this machine")
	f.StringVar(&x.certificate, "tls-cert", "", "a `file` with the server's certificate, for HTTPS")
	f.StringVar(&x.key, "tls-key", "", "a `file` with its key")
	f.StringVar(&x.certificates, "tls-client-ca", "", "a `file` with who certifies clients, which they then must be")
	return cmd
}

func (x *server) run(cmd *cobra.Command, args []string) error {
	how, err := x.listening(cmd)
	if err != nil {
		return err
	}
	if err := listens(cmd, &how); err != nil {
		return err
	}
	service, result, err := x.open(cmd, args, "served")
	switch {
	case errors.Is(err, serve.ErrNoAnswer):
		return errors.Join(x.Emit(ran{Report: result}), command.ErrReported)
	case err != nil:
		return err
	}
	x.Answering.Store(true) // an interrupt ends in order
	var failed error
	how.Ready = func(root string) { failed = x.Emit(served{root, service.Current().Number}) }
	err = resides(cmd.Context(), service, func(ctx context.Context) error {
		return serve.Listen(ctx, how, service.Handler(readVersion().Version))
	})
	return errors.Join(err, failed)
}

// listening reads what the flags say about who may ask.
func (x *server) listening(cmd *cobra.Command) (how serve.Options, err error) {
	refuse := func(format string, args ...any) (serve.Options, error) {
		return serve.Options{}, command.Usage("flag-value", command.SeeHelp(cmd), format, args...)
	}
	how = serve.Options{Address: x.address, Hosts: x.hosts}
	if x.token != "" {
		file, err := x.ReadSource(x.token)
		if err != nil {
			return how, err
		}
		if how.Token = strings.TrimSpace(file.Text); how.Token == "" {
			return refuse("--token-file: %s holds no token", x.token)
		}
	}
	if x.certificate == "" {
		if x.key != "" || x.certificates != "" {
			return refuse("--tls-key and --tls-client-ca take --tls-cert")
		}
		return how, nil
	}
	if x.key == "" {
		return refuse("--tls-cert takes --tls-key")
	}
	own, err := tls.LoadX509KeyPair(x.certificate, x.key)
	if err != nil {
		return refuse("--tls-cert and --tls-key: %v", err)
	}
	how.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{own}}
	if x.certificates != "" {
		file, err := x.ReadSource(x.certificates)
		if err != nil {
			return how, err
		}
		how.TLS.ClientAuth, how.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !how.TLS.ClientCAs.AppendCertsFromPEM([]byte(file.Text)) {
			return refuse("--tls-client-ca: %s holds no certificate", x.certificates)
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

package cli

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/source"
)

const inspectHelp = `Inspect runs a project as its configuration says and shows the answer in a
browser: what each rule costs, why an atom has its value, what it would be if a
fact were another, which ground rules cost most, what is wrong by the known
truth, what networks say, and what looks suspicious. The pages need no script.

They are there for this machine only, until the command is interrupted. --export
writes them into one file instead, to be kept or mailed.`

const inspectExamples = `  deeppsl inspect model.json
  deeppsl inspect model.json --listen 127.0.0.1:0     on any free port
  deeppsl inspect model.json --export answer.html`

// inspector is one run of deeppsl inspect.
type inspector struct {
	projectFlags
	from    input
	limits  limits
	address string
	export  string // a file, in place of an address
	lints   source.Diagnostics
}

// newInspect returns deeppsl inspect.
func newInspect(e *command.Env) *cobra.Command {
	x := &inspector{projectFlags: projectFlags{Env: e}, limits: limits{seconds: "run.seconds"}}
	cmd := &cobra.Command{
		Use:     "inspect CONFIG [--listen ADDRESS] [--export FILE]",
		Short:   "Show the answer, and why it is that, in a browser",
		Long:    inspectHelp,
		Example: inspectExamples,
		GroupID: groupRules,
		Args:    x.from.check,
		RunE:    x.run,
	}
	x.flags(cmd)
	x.forceFlag(cmd)
	x.limits.flags(cmd.Flags())
	x.from.flags(cmd.Flags())
	cmd.Flags().StringVar(&x.address, "listen", "127.0.0.1:7475", "the `address` of the pages, on this machine")
	cmd.Flags().StringVar(&x.export, "export", "", "write the pages into this `file` instead")
	return cmd
}

func (x *inspector) run(cmd *cobra.Command, args []string) error {
	how := serve.Options{Address: x.address}
	if x.export == "" {
		if err := listens(cmd, &how); err != nil {
			return err
		}
	}
	loaded, err := x.loadShown(cmd, &x.from, args, &x.lints, "inspected", x.limits.options(cmd.Flags())...)
	if err != nil {
		return err
	}
	if err := checkOutput(x.export, loaded); err != nil {
		return err
	}
	result, err := engine.Run(cmd.Context(), loaded, engine.Stages{})
	switch {
	case err != nil:
		return err
	case result.Interrupted():
		return cmd.Context().Err()
	case infeasible(result), result.Answer == nil:
		if err := x.Emit(ran{Report: result}); err != nil {
			return err
		}
		return command.ErrReported
	}
	site, err := inspect.New(cmd.Context(), filepath.Base(x.from.name(args)), result, x.lints.Plain())
	if err != nil {
		return err
	}
	if x.export != "" {
		if err := x.output(x.export, func(w io.Writer) error { return site.Export(cmd.Context(), w) }); err != nil {
			return err
		}
		return errors.Join(x.Wrote([]string{x.export}, nil), x.Emit(exported{x.export}))
	}
	x.Answering.Store(true) // an interrupt ends in order
	var failed error
	how.Ready = func(root string) { failed = x.Emit(inspected{root}) }
	err = serve.Listen(cmd.Context(), how, site)
	return errors.Join(err, failed)
}

// exported says which file has the pages; to people, a note does.
type exported struct {
	File string `json:"exported"`
}

// Text prints nothing.
func (exported) Text(io.Writer) error { return nil }

// inspected says where the pages are.
type inspected struct {
	URL string `json:"url"`
}

// Text prints the address.
func (i inspected) Text(w io.Writer) error {
	_, err := io.WriteString(w, "The pages are at "+i.URL+" until you interrupt this command.\n")
	return err
}

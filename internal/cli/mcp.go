package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/mcp"
)

const mcpHelp = `Mcp gives a project to an agent, as tools of the Model Context Protocol over
stdin and stdout: check, query, explain and what_if, and with --allow-changes
assert and retract. Answers are short and say how well they are proven. Whoever
runs the agent starts this command: its configuration has a line such as

  {"command": "deeppsl", "args": ["mcp", "/path/to/model.json"]}

It ends when stdin does.`

const mcpExamples = `  deeppsl mcp model.json
  deeppsl mcp model.json --allow-changes --journal changes`

// agents is one run of deeppsl mcp.
type agents struct {
	resident
	changes bool
}

// newMCP returns deeppsl mcp.
func newMCP(e *command.Env) *cobra.Command {
	x := &agents{resident: resident{projectFlags: projectFlags{Env: e}}}
	cmd := &cobra.Command{
		Use:     "mcp CONFIG [--allow-changes] [--journal DIR]",
		Short:   "Give a model to an agent, as tools",
		Long:    mcpHelp,
		Example: mcpExamples,
		GroupID: groupRules,
		Args:    x.from.check,
		RunE:    x.run,
	}
	x.flags(cmd)
	cmd.Flags().BoolVar(&x.changes, "allow-changes", false, "let the agent change facts and what is inferred")
	return cmd
}

func (x *agents) run(cmd *cobra.Command, args []string) error {
	service, result, err := x.open(cmd, args, "given to agents")
	switch {
	case err != nil && result != nil && result.Interrupted():
		return cmd.Context().Err()
	case err != nil: // stdout belongs to the protocol
		return err
	}
	x.Answering.Store(true) // an interrupt ends in order
	tools := mcp.New(service, x.lints.Plain(), x.changes)
	return resides(cmd.Context(), service, func(ctx context.Context) error {
		return mcp.Serve(ctx, x.In, x.Out, tools, readVersion().Version)
	})
}

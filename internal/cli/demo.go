package cli

import (
	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/task"
)

const demoHelp = `Demo generates a citation network, hides most of its documents' classes, and
finds them again in three ways: by a network that reads the words, by rules over
that network and the citations, and by network and rules trained end to end.

It needs no data and leaves a project that deeppsl run takes, the learning curve
and the predictions in a folder.`

const demoExamples = `  deeppsl demo
  deeppsl demo --seed 2 --documents 300 --out citations`

// newDemo returns deeppsl demo.
func newDemo(e *command.Env) *cobra.Command {
	d := &task.Demo{Dir: "deeppsl-demo"}
	cmd := &cobra.Command{
		Use:     "demo [digits] [--out DIR] [--documents N]",
		Short:   "See it work, on generated data",
		Long:    demoHelp,
		Example: demoExamples,
		GroupID: groupRules,
		Args:    command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.Seed, d.Threads, d.OnEpoch = e.Seed, int(e.Threads), epochLine(e, "end to end")
			result, err := d.Run(cmd.Context())
			if err != nil {
				return err
			}
			return e.Emit(result)
		},
	}
	command.FolderVar(cmd.Flags(), &d.Dir, "out", "the `folder` to write to")
	command.CountVar(cmd.Flags(), &d.Documents, "documents", task.FewestDocuments,
		"the `number` of documents in the network (default: 900)")
	cmd.AddCommand(newDemoDigits(e))
	return cmd
}

package cli

import (
	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
)

const rootHelp = `DeepPSL reasons with weighted rules whose predicates may be neural networks.

Rules are grounded over data into a hinge-loss Markov random field, solved to a
proven optimum, and trained end to end, networks included.

Results go to stdout; progress and notes go to stderr. The exit code is 0 for
success, 1 for failure, and 2 if the arguments or the input have no meaning.

The experiments of the paper and their data sets are a program of their own: in
a copy of the sources, go run ./paper --help.`

// newRoot returns the command with all others below it.
func newRoot(e *command.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "deeppsl COMMAND",
		Short: "Reason with rules and networks",
		Long:  rootHelp,
	}
	asked := root.Flags().BoolP("version", "v", false, "say which version this is and what built it")
	licensed := root.Flags().Bool("licenses", false, "print the licences of all that is linked into this program")
	root.AddGroup(
		&cobra.Group{ID: groupRules, Title: "Rules:"},
		&cobra.Group{ID: groupData, Title: "Data:"},
	)
	root.AddCommand(
		newDemo(e),
		newRun(e),
		newCheck(e),
		newExplain(e),
		newInspect(e),
		newServe(e),
		newMCP(e),
		newWatch(e),
		newGround(e),
		newGradcheck(e),
		newOptions(e),
		newSolve(e),
		newShard(e),
		newMerge(e),
		newCluster(e),
		newWorker(e),
		newFmt(e),
		newVersion(e),
		newMoved("repro", "go run ./paper t1, t2, t3, scaling or hyper"),
		newMoved("data", "go run ./paper data list, get or verify"),
	)
	completions(root)
	e.Root(root)
	root.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case *asked:
			return e.Emit(readVersion())
		case *licensed:
			text, err := licensesText()
			if err != nil {
				return err
			}
			return e.Emit(licenses{text})
		}
		return command.ShowHelp(cmd, args)
	}
	return root
}

const movedHelp = `The experiments of the paper and their data are a program of their own, in the
sources of this one: `

// newMoved returns a command that says where it went: the experiments of the paper are a program of their own.
func newMoved(name, now string) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "Went to " + now,
		Long:               movedHelp + now,
		Hidden:             true,
		Args:               cobra.ArbitraryArgs,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return command.Usage("moved-command", "in a copy of the sources, "+now,
				"deeppsl %s is a program of its own now", name)
		},
	}
}

package command

import "github.com/spf13/cobra"

// newHelp returns `deeppsl help`, which unlike cobra's own fails on a command that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if err := OnlyCommands(target, rest); err != nil && target.HasSubCommands() {
				return err
			}
			target.InitDefaultHelpFlag() // cobra adds it to the commands that run
			return target.Help()
		},
	}
}

package cli

import "github.com/spf13/cobra"

// The groups that the help lists the commands in.
const (
	groupRules = "rules"
	groupData  = "data"
)

const rootHelp = `DeepPSL reasons with weighted rules whose predicates may be neural networks.

Rules are grounded over data into a hinge-loss Markov random field, solved to a
proven optimum, and trained end to end, networks included.

Results go to stdout; progress and notes go to stderr. The exit code is 0 for
success, 1 for failure, and 2 if the arguments or the input have no meaning.`

// newRoot returns the command with all others below it.
func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:           "deeppsl COMMAND",
		Short:         "Reason with rules and networks",
		Long:          rootHelp,
		Args:          onlyCommands,
		RunE:          showHelp,
		SilenceErrors: true, // conclude prints them
		SilenceUsage:  true,
	}
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	root.SetFlagErrorFunc(flagError)
	e.globalFlags(root.PersistentFlags())
	root.AddGroup(
		&cobra.Group{ID: groupRules, Title: "Rules:"},
		&cobra.Group{ID: groupData, Title: "Data:"},
	)
	root.AddCommand(
		newDemo(e),
		newRun(e),
		newCheck(e),
		newGround(e),
		newGradcheck(e),
		newOptions(e),
		newSolve(e),
		newCluster(e),
		newData(e),
		newFmt(e),
		newRepro(e),
		newVersion(e),
	)
	root.SetHelpCommand(newHelp())
	root.SetUsageTemplate(usageTemplate)
	root.InitDefaultCompletionCmd()
	spellOut(root)
	return root
}

// spellOut keeps cobra from adding its own words to the forms that the commands give themselves.
func spellOut(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = true
	for _, sub := range cmd.Commands() {
		spellOut(sub)
	}
}

// usageTemplate is how the help shows a command's form, examples, commands and flags.
const usageTemplate = `Usage:
  {{.UseLine}}
{{- if .HasExample}}

Examples:
{{.Example}}
{{- end}}
{{- range $group := .Groups}}

{{.Title}}
{{- range $.Commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}{{end}}
{{- if .HasAvailableSubCommands}}
{{if .Groups}}
Other commands:
{{- else}}
Commands:
{{- end}}
{{- range .Commands}}{{if and (eq .GroupID "") (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}} {{.Short}}
{{- end}}{{end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableSubCommands}}

See {{.CommandPath}} COMMAND --help for more.
{{- end}}
`

// showHelp is what a command does that is there for the commands below it.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

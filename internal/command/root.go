package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Root returns cmd as the command that all others of a program are below: it has the flags of every command, and shows
// its help if none is asked for.
func (e *Env) Root(cmd *cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = OnlyCommands, ShowHelp
	cmd.SilenceErrors, cmd.SilenceUsage = true, true // Conclude prints them
	cmd.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		switch cmd.Name() {
		case cobra.ShellCompRequestCmd:
			plain(cmd.Root())
		case cobra.ShellCompNoDescRequestCmd:
		default:
			if err := noEmptyArguments(cmd, args); err != nil {
				return err
			}
		}
		return noEmptyFlags(cmd)
	}
	cmd.SetIn(e.In)
	e.help.Writer = e.Out
	cmd.SetOut(&e.help)
	cmd.SetErr(e.Err)
	cmd.SetFlagErrorFunc(flagError)
	e.globalFlags(cmd.PersistentFlags())
	cmd.SetHelpCommand(newHelp())
	cmd.SetUsageTemplate(usageTemplate)
	cmd.InitDefaultCompletionCmd()
	for _, sub := range cmd.Commands() {
		if sub.Name() == "completion" { // cobra's own, which takes what it does not know for nothing
			sub.Args, sub.RunE = OnlyCommands, ShowHelp
			for _, shell := range sub.Commands() {
				shell.Args = NoArguments
			}
		}
	}
	spellOut(cmd)
	return cmd
}

// spellOut keeps cobra from adding its own words to the forms that the commands give themselves.
func spellOut(cmd *cobra.Command) {
	cmd.DisableFlagsInUseLine = true
	for _, sub := range cmd.Commands() {
		spellOut(sub)
	}
}

// plain takes the quotes, by which the help knows how a flag's value is called, out of what shells show of it.
func plain(cmd *cobra.Command) {
	unquote := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.Flags().VisitAll(unquote)
	cmd.PersistentFlags().VisitAll(unquote)
	for _, sub := range cmd.Commands() {
		plain(sub)
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

// ShowHelp is what a command does that is there for the commands below it.
func ShowHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

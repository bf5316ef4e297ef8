package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/report"
)

const optionsHelp = `Options lists what a configuration's "options", or -D, can set: all of it, or
what has a word in its name or description, such as "gap" or "gridsearch".

The names that Java PSL has for an option mean the same. The options that only
Java PSL has are accepted, and named in one warning.`

const optionsExamples = `  deeppsl options
  deeppsl options learn.
  deeppsl options --json | jq '.options[].name'`

// newOptions returns deeppsl options.
func newOptions(e *command.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "options [WORD]",
		Short:   "List the options of configurations and of -D",
		Long:    optionsHelp,
		Example: optionsExamples,
		GroupID: groupRules,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return command.NoArguments(cmd, args[1:])
		},
		RunE: func(_ *cobra.Command, args []string) error {
			found := optionsWith(strings.Join(args, ""))
			if len(found) == 0 {
				return command.Usage("option-unknown", "deeppsl options lists all of them", "no option is about %q", args[0])
			}
			return e.Emit(optionList{found})
		},
	}
}

// optionsWith returns the options that have a word in them.
func optionsWith(word string) []engine.Option {
	word = strings.ToLower(word)
	return slices.DeleteFunc(engine.AllOptions(), func(o engine.Option) bool {
		text := strings.Join(append([]string{o.Name, o.About}, o.PSL...), "\n")
		return !strings.Contains(strings.ToLower(text), word)
	})
}

// optionList is what deeppsl options answers.
type optionList struct {
	Options []engine.Option `json:"options"`
}

// Text prints a line per option, and below it one for each of its names in Java PSL.
func (l optionList) Text(w io.Writer) error {
	table := report.NewTable("option", "meaning")
	for _, o := range l.Options {
		table.Row(o.Name, o.About)
		for _, name := range o.PSL {
			table.Row(name, "PSL's name for "+o.Name)
		}
	}
	return table.Text(w)
}

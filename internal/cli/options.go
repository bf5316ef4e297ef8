package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/report"
)

const optionsHelp = `Options lists what a configuration's "options", or -D, can set: all of it, or
what has a word in its name or description, such as "gap" or "gridsearch".

Each has its type, its default, and what it does; the phases that it acts in are
in --json and in docs/options.md. The names that Java PSL has for an option mean
the same. Those that only Java PSL has are accepted, and named in one warning.`

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
func optionsWith(word string) (found []optionRow) {
	word = strings.ToLower(word)
	for k := range option.Table {
		o := &option.Table[k]
		row := optionRow{Name: o.Name, Type: o.Type(), Default: o.Defaults(), Unit: o.Unit, Phases: o.Phases.String(),
			About: o.About(), PSL: option.Synonyms(o.Name)}
		text := strings.Join(append([]string{row.Name, row.Type, row.About}, row.PSL...), "\n")
		if strings.Contains(strings.ToLower(text), word) {
			found = append(found, row)
		}
	}
	return found
}

// optionRow is an option of the list.
type optionRow struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Default string   `json:"default"`
	Unit    string   `json:"unit,omitempty"`
	Phases  string   `json:"phases"`
	About   string   `json:"about"`
	PSL     []string `json:"psl"` // Java PSL's names for it, if they are others
}

// optionList is what deeppsl options answers.
type optionList struct {
	Options []optionRow `json:"options"`
}

// Text prints a line per option, with its names in Java PSL.
func (l optionList) Text(w io.Writer) error {
	table := report.NewTable("option", "type", "default", "meaning")
	for _, o := range l.Options {
		about := o.About
		if len(o.PSL) > 0 {
			about += " (PSL: " + strings.Join(o.PSL, ", ") + ")"
		}
		table.Row(o.Name, o.Type, o.Default, about)
	}
	return table.Text(w)
}

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl"
)

const checkHelp = `Check reads a configuration, its rules and its tables, and reports everything
that is wrong with them, each with its place. It grounds and infers nothing.`

const checkExamples = `  deeppsl check model.json`

// newCheck returns deeppsl check.
func newCheck(e *env) *cobra.Command {
	p := &project{env: e}
	cmd := &cobra.Command{
		Use:     "check CONFIG",
		Short:   "Report what is wrong with a program and its data",
		Long:    checkHelp,
		Example: checkExamples,
		GroupID: groupRules,
		Args:    oneConfig,
		RunE: func(_ *cobra.Command, args []string) error {
			loaded, err := deeppsl.Load(args[0], p.options())
			if err != nil {
				return err
			}
			summary, err := loaded.Check()
			if err != nil {
				return err
			}
			return p.emit(checked{Config: args[0], Summary: *summary})
		},
	}
	p.flags(cmd)
	return cmd
}

// checked is the answer if nothing is wrong.
type checked struct {
	Config string `json:"config"`
	deeppsl.Summary
}

// Text says what there is.
func (c checked) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d rules over %d predicates, %d observations, %d targets: nothing is wrong\n", c.Config,
		c.Rules, c.Predicates, c.Observations, c.Targets)
	return err
}

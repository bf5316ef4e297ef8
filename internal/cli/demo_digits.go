package cli

import (
	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/task"
)

const demoDigitsHelp = `Digits draws digits with a pen, by seed, and learns to read them: what it is
told is the sum of each pair, and never which digit a picture shows. Rules about
addition do the rest.

It leaves a project that deeppsl run takes, the learning curve, a confusion
matrix and the pictures that were misread in a folder.`

// newDemoDigits returns deeppsl demo digits.
func newDemoDigits(e *command.Env) *cobra.Command {
	d := &task.DigitsDemo{Dir: "deeppsl-digits", Digits: 1}
	cmd := &cobra.Command{
		Use:   "digits [--digits N] [--pairs N] [--out DIR]",
		Short: "Digits that nobody labelled",
		Long:  demoDigitsHelp,
		Args:  command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.Seed, d.Threads, d.OnBatch = e.Seed, int(e.Threads), e.Batches(2*int64(d.Digits), "pictures")
			d.OnEpoch = func(line task.DigitsEpoch) {
				e.Notef("epoch %2d  loss %.5f  test sums %6.2f %%  %.1f s", line.Number,
					line.Loss, 100*line.Sums, line.Seconds)
			}
			result, err := d.Run(cmd.Context())
			if err != nil {
				return err
			}
			return e.Emit(result)
		},
	}
	command.FolderVar(cmd.Flags(), &d.Dir, "out", "the `folder` to write to")
	command.CountVar(cmd.Flags(), &d.Digits, "digits", 1, "how many digits each `number` has")
	command.CountVar(cmd.Flags(), &d.Epochs, "epochs", 1, "the `number` of passes through the pairs (default: 20)")
	command.CountVar(cmd.Flags(), &d.Pairs, "pairs", task.FewestPairs,
		"the `number` of pairs to learn from (default: 3000 digits)")
	return cmd
}

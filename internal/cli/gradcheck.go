package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/training"
)

const gradcheckHelp = `Gradcheck compares the gradient that learning would use with central differences
of the whole chain: from a parameter of a network, or the weight of a rule,
through what is perceived and inferred to the loss. It says how alike they are,
for each rule and each network: their cosine, which is 1 for the same direction,
and the relative error.

The paper's method uses a surrogate, which is not a derivative: a cosine of 0.8
is usual. -D learn.method=implicit is exact. Inference is solved tightly,
dropout is off, and of examples the first batch is taken. Where the loss has a
kink within the step there is no derivative, and the parameter is left out and
counted. The exit code is 1 if a gradient that should be the derivative is not.`

const gradcheckExamples = `  deeppsl gradcheck model.json
  deeppsl gradcheck model.json -D learn.method=implicit --samples 100
  deeppsl gradcheck model.json --epochs 5          after five epochs of learning
  deeppsl gradcheck model.json --json | jq .worst_cosine`

// gradchecker is one run of deeppsl gradcheck.
type gradchecker struct {
	projectFlags
	from    input
	samples int
	step    float64
	epochs  int
}

// newGradcheck returns deeppsl gradcheck.
func newGradcheck(e *command.Env) *cobra.Command {
	g := &gradchecker{projectFlags: projectFlags{Env: e}, samples: 24}
	cmd := &cobra.Command{
		Use:     "gradcheck CONFIG [--samples N] [--step H] [-D name=value]...",
		Short:   "Compare the gradient of learning with differences of the loss",
		Long:    gradcheckHelp,
		Example: gradcheckExamples,
		GroupID: groupRules,
		Args:    g.from.check,
		RunE:    g.run,
	}
	g.flags(cmd)
	g.from.flags(cmd.Flags())
	g.forceFlag(cmd)
	command.CountVar(cmd.Flags(), &g.samples, "samples", 1,
		"the `number` of rule weights, and of parameters of each network, to move at most")
	cmd.Flags().Float64Var(&g.step, "step", 3e-3, "how far, relative to a parameter or the usual one beside it")
	command.CountVar(cmd.Flags(), &g.epochs, "epochs", 0, "the `number` of epochs to learn before")
	return cmd
}

func (g *gradchecker) run(cmd *cobra.Command, args []string) error {
	if !(g.step > 0 && g.step < 1) {
		return command.Usage("flag-value", command.SeeHelp(cmd), "--step takes a number above 0 and below 1, not %g", g.step)
	}
	options := g.options()
	options.OnIteration = nil // inferences are many and short
	options.OnEpoch = epochLine(g.Env, "learning")
	loaded, err := g.from.load(args, options)
	if err != nil {
		return err
	}
	var bar report.Task
	found, err := engine.CheckGradients(cmd.Context(), loaded, training.GradientOptions{Samples: g.samples, Step: g.step,
		Epochs: g.epochs, Progress: func(_, total int) {
			if bar == nil {
				bar = g.Progress().Start("differences", int64(total), "parameters")
			}
			bar.Add(1)
		}})
	if bar != nil {
		bar.Done()
	}
	if err != nil {
		return err
	}
	if err := g.Emit(gradchecked{found}); err != nil {
		return err
	}
	if found.Wrong {
		return command.ErrReported
	}
	return nil
}

// gradchecked is what deeppsl gradcheck answers.
type gradchecked struct{ *training.GradientReport }

// Text prints the verdict and the tables.
func (g gradchecked) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s: cosine %s, at worst %s, relative error %s, of %d parameters; loss %.6g, seed %d\n", g.Gradient,
		cosine(g.Cosine), cosine(g.WorstCosine), cosine(g.RelativeError), g.Samples, g.Loss, g.Seed)
	fmt.Fprintln(w, g.Verdict)
	if len(g.ByRule) > 0 {
		fmt.Fprintln(w)
		table := report.NewTable("gradient", "difference", "cosine", "relative error", "rule")
		for _, r := range g.ByRule {
			table.Row(report.Number(fmt.Sprintf("%.3g", r.Gradient)), report.Number(fmt.Sprintf("%.3g", r.Difference)),
				cosine(r.Cosine), cosine(r.RelativeError), r.Rule)
		}
		if err := table.Text(w); err != nil {
			return err
		}
	}
	if len(g.ByNetwork) > 0 {
		fmt.Fprintln(w)
		table := report.NewTable("parameters", "kinks", "cosine", "relative error", "network")
		for _, n := range g.ByNetwork {
			table.Row(n.Samples, n.Kinks, cosine(n.Cosine), cosine(n.RelativeError), n.Network)
		}
		if err := table.Text(w); err != nil {
			return err
		}
	}
	return nil
}

// cosine prints a number that may not be there.
func cosine(v float64) report.Number {
	if math.IsNaN(v) {
		return "none"
	}
	return report.Number(fmt.Sprintf("%.4f", v))
}

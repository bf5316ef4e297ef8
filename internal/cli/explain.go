package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

const explainHelp = `Explain infers, and says why an atom has its value.

The balance is the ground rules that push the atom up and down, with all their
atoms, and where observed ones were read. The leaves are what the value is the
sum of: facts, outputs of networks, priors and rules. A value that is not unique
has the interval of all that cost the same instead. Counterfactuals say what it
would be without a fact, a ground rule or (--rules) a rule, each solved and
proven anew; --why-not what would take it to the other side of a value.

An explanation is of an equilibrium, and no proof: atoms push each other.`

const explainExamples = `  deeppsl explain model.json "Knows('ann', 'bob')"
  deeppsl explain model.json "Knows('ann', 'bob')" --depth 2
  deeppsl explain model.json "Knows('ann', 'bob')" --why-not 0.5
  deeppsl explain model.json "Knows('ann', 'bob')" --json | jq .leaves`

// explainer is one run of deeppsl explain.
type explainer struct {
	projectFlags
	limits limits
	depth  int
	shown  int
	// changes is how many counterfactuals there are; whyNot a threshold, with which there are others.
	changes int
	whyNot  float64
	rules   bool   // try without each rule, too
	html    string // file for the page
}

// newExplain returns deeppsl explain.
func newExplain(e *command.Env) *cobra.Command {
	x := &explainer{projectFlags: projectFlags{Env: e}, limits: limits{seconds: "inference.seconds"}}
	cmd := &cobra.Command{
		Use:     `explain CONFIG "Atom('a', 'b')"`,
		Short:   "Say why an atom has its value",
		Long:    explainHelp,
		Example: explainExamples,
		GroupID: groupRules,
		Args:    x.check,
		RunE:    x.run,
	}
	x.flags(cmd)
	x.forceFlag(cmd)
	x.limits.flags(cmd.Flags())
	cmd.Flags().IntVar(&x.depth, "depth", 0, "go on with the atoms that push, so many steps")
	cmd.Flags().IntVar(&x.shown, "shown", 0, "ground rules of each rule to show one by one (default 5, -1 for all)")
	cmd.Flags().IntVar(&x.changes, "changes", 5, "changes to try: without a fact or a ground rule")
	cmd.Flags().BoolVar(&x.rules, "rules", false, "try without each rule that pushes, too: an inference each")
	cmd.Flags().StringVar(&x.html, "html", "", "write a page with a chart to this `file`, too")
	cmd.Flags().Float64Var(&x.whyNot, "why-not", 0.5, "look for what would take the atom across this `value` instead")
	return cmd
}

// check wants a configuration and an atom.
func (x *explainer) check(cmd *cobra.Command, args []string) error {
	if len(args) != 2 {
		return command.Usage("missing-argument", "the form is: "+cmd.UseLine(),
			"%s takes a configuration and an atom, not %d arguments", cmd.CommandPath(), len(args))
	}
	return nil
}

func (x *explainer) run(cmd *cobra.Command, args []string) error {
	atom, err := readAtom(args[1])
	if err != nil {
		return err
	}
	options := x.options()
	options.Set = append(options.Set, x.limits.options(cmd.Flags())...)
	loaded, err := (&input{}).load(args[:1], options)
	if err != nil {
		return err
	}
	x.bound(loaded)
	if loaded.Examples() {
		return command.Usage("flag-value", command.SeeHelp(cmd), "the project is about examples, which are not explained")
	}
	grounding, err := engine.Ground(cmd.Context(), loaded, load.Infer)
	if err != nil {
		return err
	}
	answer, err := grounding.InferAgain(cmd.Context(), nil)
	if err != nil {
		return err
	}
	if answer.Status == solve.Infeasible.String() {
		if err := x.Emit(conflicting{Status: answer.Status, Conflict: answer.Conflict}); err != nil {
			return err
		}
		return command.ErrReported
	}
	explaining, err := grounding.Explainer(answer)
	if err != nil {
		return err
	}
	arguments := make([]string, len(atom.Args))
	for k, arg := range atom.Args {
		arguments[k] = arg.Text
	}
	how := explain.Options{Depth: x.depth, Shown: x.shown}
	found, err := explaining.Explain(cmd.Context(), how, atom.Name, arguments...)
	if err != nil {
		return command.Usage("unknown-atom", "write the atom as it is in the tables: "+explainForm, "%v", err)
	}
	if cmd.Flags().Changed("why-not") {
		err = explaining.WhyNot(cmd.Context(), found, x.whyNot)
	} else {
		err = explaining.Changes(cmd.Context(), found, x.changes)
	}
	if err == nil && x.rules {
		err = explaining.WithoutRules(cmd.Context(), found)
	}
	if err != nil {
		return err
	}
	if x.html != "" {
		if err := x.output(x.html, found.HTML); err != nil {
			return err
		}
		x.Notef("wrote %s", x.html)
	}
	return x.Emit(found)
}

const explainForm = `Predicate('a', 'b')`

// readAtom reads the atom of the command line.
func readAtom(text string) (*syntax.Atom, error) {
	var diags source.Diagnostics
	atom := syntax.ParseAtom(&source.File{Name: "the atom", Text: text}, &diags)
	return atom, diags.Err()
}

// conflicting is the explanation where there is no state: hard ground rules that cannot hold together.
type conflicting struct {
	Status   string   `json:"status"`
	Conflict []string `json:"conflict"`
}

// Text prints the conflict.
func (c conflicting) Text(w io.Writer) error {
	var b strings.Builder
	b.WriteString("There is no state: these hard ground rules cannot hold together:\n")
	for _, line := range c.Conflict {
		b.WriteString("  " + line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

const explainHelp = `Explain infers, and says why an atom has its value.

The balance is the ground rules that push the atom up and down, with all their
atoms, and where observed ones were read. The leaves are what the value is the
sum of: facts, outputs of networks, priors and rules. A value that is not unique
has the interval of all that cost the same instead. Counterfactuals say what it
would be without a fact, a ground rule or (--rules) a rule, each solved and
proven anew; --with and --without what it would be if an atom had another value
or were not there; --why-not what would take it to the other side of a value.

--all writes a table of what pushes all atoms instead.

An explanation is of an equilibrium, and no proof: atoms push each other.`

const explainExamples = `  deeppsl explain model.json "Knows('ann', 'bob')"
  deeppsl explain model.json "Knows('ann', 'bob')" --depth 2
  deeppsl explain model.json "Knows('ann', 'bob')" --without "Lived(bob, rome)"
  deeppsl explain model.json "Knows('ann', 'bob')" --why-not 0.5
  deeppsl explain model.json "Knows('ann', 'bob')" --json | jq .leaves
  deeppsl explain model.json --all balance.parquet`

// explainer is one run of deeppsl explain.
type explainer struct {
	projectFlags
	limits limits
	depth  int
	shown  int
	// changes is how many counterfactuals there are; whyNot a threshold, with which there are others.
	changes int
	whyNot  float64
	rules   bool // try without each rule, too
	// with and without are atoms to try with another value, and not at all.
	with, without []string
	html          string // file for the page
	all           string // file for a table of all atoms
}

// newExplain returns deeppsl explain.
func newExplain(e *command.Env) *cobra.Command {
	x := &explainer{projectFlags: projectFlags{Env: e}, limits: limits{seconds: "inference.seconds"}, changes: 5}
	cmd := &cobra.Command{
		Use:     `explain CONFIG ["Atom('a', 'b')"]`,
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
	command.CountVar(cmd.Flags(), &x.depth, "depth", 0, "go on with the atoms that push, so many `steps`")
	command.CountVar(cmd.Flags(), &x.shown, "shown", -1,
		"the `number` of ground rules of each rule to show one by one (default 5, -1 for all)")
	command.CountVar(cmd.Flags(), &x.changes, "changes", 0,
		"the `number` of changes to try: without a fact or a ground rule")
	cmd.Flags().BoolVar(&x.rules, "rules", false, "try without each rule that pushes, too: an inference each")
	cmd.Flags().StringArrayVar(&x.with, "with", nil, "try with this `atom` at a value, as in \"Likes('a', 'b') = 0.2\"")
	cmd.Flags().StringArrayVar(&x.without, "without", nil, "try without this observed `atom`")
	cmd.Flags().StringVar(&x.all, "all", "", "write what pushes each atom to this `file`, in Parquet")
	cmd.Flags().StringVar(&x.html, "html", "", "write a page with a chart to this `file`, too")
	command.Var(cmd.Flags(), &x.whyNot, "why-not", "a number from 0 to 1",
		"look for what would take the atom across this `value` instead", readTruth)
	return cmd
}

// readTruth reads a truth value.
func readTruth(text string) (float64, error) {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && !(value >= 0 && value <= 1) {
		err = strconv.ErrRange
	}
	return value, err
}

// check wants a configuration, and an atom or a file for all of them.
func (x *explainer) check(cmd *cobra.Command, args []string) error {
	if len(args) != 2 && x.all == "" {
		return command.Usage("missing-argument", "the form is: "+cmd.UseLine(),
			"%s takes a configuration and an atom, or --all with a file", cmd.CommandPath())
	}
	if x.all != "" && (len(args) != 1 || filepath.Ext(x.all) != ".parquet") {
		return command.Usage("flag-value", command.SeeHelp(cmd),
			"--all takes no atom, and a file whose name ends in .parquet")
	}
	if x.all != "" && len(x.with)+len(x.without) > 0 {
		return command.Usage("flag-value", command.SeeHelp(cmd), "--with and --without ask about an atom, and not --all")
	}
	return nil
}

func (x *explainer) run(cmd *cobra.Command, args []string) error {
	var atom *syntax.Atom
	if x.all == "" {
		var err error
		if atom, err = syntax.ReadAtom(args[1]); err != nil {
			return err
		}
	}
	grounding, answer, err := x.infer(cmd, args[:1])
	if err != nil {
		return err
	}
	if answer.Status == solve.Infeasible.String() {
		if err := x.show(grounding.ExplainConflict(answer)); err != nil {
			return err
		}
		return command.ErrReported
	}
	explaining, err := grounding.Explainer(answer)
	if err != nil {
		return err
	}
	if atom == nil {
		return x.table(cmd.Context(), explaining)
	}
	found, err := x.explain(cmd, explaining, atom)
	if err != nil {
		return err
	}
	return x.show(found)
}

// explanation is one of an atom, or of that there is no state.
type explanation interface {
	Text(w io.Writer) error
	HTML(w io.Writer) error
}

// show prints an explanation, and writes its page if that was asked for.
func (x *explainer) show(found explanation) error {
	if x.html != "" {
		if err := x.output(x.html, found.HTML); err != nil {
			return err
		}
		x.Notef("wrote %s", x.html)
	}
	return x.Emit(found)
}

// infer grounds the project and finds the state that is explained.
func (x *explainer) infer(cmd *cobra.Command, args []string) (*session.Grounding, *session.Answer, error) {
	options := x.options()
	options.Set = append(options.Set, x.limits.options(cmd.Flags())...)
	loaded, err := (&input{}).load(args, options)
	if err != nil {
		return nil, nil, err
	}
	x.bound(loaded)
	if loaded.Examples() {
		return nil, nil, command.Usage("flag-value", command.SeeHelp(cmd),
			"the project is about examples, which are not explained")
	}
	for _, path := range []string{x.html, x.all} {
		if err := checkOutput(path, loaded); err != nil {
			return nil, nil, err
		}
	}
	grounding, err := engine.Ground(cmd.Context(), loaded, load.Infer)
	if err != nil {
		return nil, nil, err
	}
	engine.WarnOfUnlearned(loaded, grounding.Networks)
	if loaded.Learns() {
		x.Notef("explained is the answer by what is written, as explain does not learn: what deeppsl run -l learns " +
			"is kept by --write-model and --save-networks, and read by the keys rules and checkpoint")
	}
	answer, err := grounding.InferAgain(cmd.Context(), nil)
	return grounding, answer, err
}

// explain is all that was asked for about an atom.
func (x *explainer) explain(cmd *cobra.Command, by *session.Explainer, atom *syntax.Atom) (
	*explain.Explanation, error,
) {
	how := explain.Options{Depth: x.depth, Shown: x.shown}
	found, err := by.Explain(cmd.Context(), how, atom.Name, atom.Texts()...)
	if err != nil {
		hint := "name an atom that is inferred, as it is in the tables: " + explainForm
		return nil, command.Usage("unknown-atom", hint, "%v", err)
	}
	if err := x.try(cmd.Context(), by, found); err != nil {
		return nil, err
	}
	if cmd.Flags().Changed("why-not") {
		err = by.WhyNot(cmd.Context(), found, x.whyNot)
	} else if cmd.Flags().Changed("changes") || len(found.Counterfactuals) == 0 {
		err = by.Changes(cmd.Context(), found, x.changes)
	}
	if err == nil && x.rules {
		err = by.WithoutRules(cmd.Context(), found)
	}
	return found, err
}

// try adds what the atom would be with the changes that were asked for.
func (x *explainer) try(ctx context.Context, by *session.Explainer, found *explain.Explanation) error {
	for k, text := range slices.Concat(x.with, x.without) {
		value := -1.0 // not there
		if k < len(x.with) {
			text, value = splitValue(text)
		}
		atom, err := syntax.ReadAtom(text)
		if err != nil {
			return err
		}
		if value > 1 {
			return command.Usage("flag-value", "write it as in \"Likes('a', 'b') = 0.2\"",
				"--with %s: a truth value is a number from 0 to 1", x.with[k])
		}
		changed, err := by.WithFact(ctx, found, value, atom.Name, atom.Texts()...)
		if err != nil {
			return command.Usage("unknown-atom", "name an atom as it is in the tables: "+explainForm, "%v", err)
		}
		found.Counterfactuals = append(found.Counterfactuals, *changed)
	}
	return nil
}

// splitValue takes "Atom('a') = 0.2" apart, where no value means 1; a value that is none is above 1.
func splitValue(text string) (atom string, value float64) {
	at := strings.LastIndexByte(text, '=')
	if at <= strings.LastIndexByte(text, ')') {
		return text, 1
	}
	value, err := readTruth(text[at+1:])
	if err != nil {
		value = math.Inf(1)
	}
	return text[:at], value
}

// table writes what pushes each atom, and says what is in the file.
func (x *explainer) table(ctx context.Context, by *session.Explainer) error {
	var written *session.Overview
	err := x.output(x.all, func(w io.Writer) (err error) {
		written, err = by.WriteAll(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	x.Notef("wrote %s", x.all)
	return x.Emit(overview{written})
}

// overview is what there is in a table of all atoms.
type overview struct{ *session.Overview }

// Text prints it.
func (o overview) Text(w io.Writer) error {
	table := report.NewTable("column", "pushes", "rule")
	for _, r := range o.Rules {
		table.Row(r.Column, report.Number(fmt.Sprintf("%.4g", r.Push)), r.Rule)
	}
	fmt.Fprintf(w, "%d atoms; no more than %.1g of what pushes any of them is left unexplained\n\n", o.Atoms,
		o.Unexplained)
	return table.Text(w)
}

const explainForm = `Predicate('a', 'b')`

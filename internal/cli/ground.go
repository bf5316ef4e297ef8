package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
)

const groundHelp = `Ground reads a configuration, makes the ground rules, and counts them by rule.

--show prints a stage of the way there instead: the rules as compiled (program),
how each will be joined (plan), the ground rules themselves (ground), or the
arenas of the ground model (mrf).

--profile prints what each step of each rule's plan did: the rows that it handed
to the next one beside those that the plan expected, the time that threads spent
in it, and the size of the index that it goes by.

--export writes the ground problem, by the file's extension: .lp and .qps (or
.mps) are a quadratic program that other solvers read, .json is a dump for
deeppsl solve. The optimum of the program is the objective of deeppsl run.`

const groundExamples = `  deeppsl ground model.json
  deeppsl ground model.json --show=plan
  deeppsl ground model.json --show=ground --limit 5
  deeppsl ground model.json --profile
  deeppsl ground model.json --export problem.qps`

// grounder is one run of deeppsl ground.
type grounder struct {
	projectFlags
	from                input
	show, phase, export string
	limit               int
	profile             bool
}

// newGround returns deeppsl ground.
func newGround(e *command.Env) *cobra.Command {
	g := &grounder{projectFlags: projectFlags{Env: e}}
	cmd := &cobra.Command{
		Use:     "ground CONFIG [--show=program|plan|ground|mrf] [--export FILE]",
		Short:   "Make and count the ground rules",
		Long:    groundHelp,
		Example: groundExamples,
		GroupID: groupRules,
		Args:    g.from.check,
		RunE:    g.run,
	}
	g.flags(cmd)
	g.from.flags(cmd.Flags())
	g.forceFlag(cmd)
	g.timeFlag(cmd)
	cmd.Flags().StringVar(&g.show, "show", "counts", "what to print: counts, program, plan, ground or mrf")
	cmd.Flags().StringVar(&g.phase, "phase", "infer", "the phase whose tables are read: learn, validation or infer")
	command.CountVar(cmd.Flags(), &g.limit, "limit", 1, "the `number` of ground rules to print (default: all)")
	cmd.Flags().BoolVar(&g.profile, "profile", false, "print rows, time and bytes by rule and step")
	cmd.Flags().StringVar(&g.export, "export", "", "write the ground problem to this `file`: .lp, .qps, .mps or .json")
	return cmd
}

func (g *grounder) run(cmd *cobra.Command, args []string) error {
	if !slices.Contains(views, g.show) {
		return command.Usage("flag-value", command.HintFor(cmd, g.show, views), "--show takes %s, not %q",
			strings.Join(views, ", "), g.show)
	}
	phase, err := project.ParsePhase(g.phase)
	if err != nil {
		return command.Usage("flag-value", command.SeeHelp(cmd), "--phase: %v", err)
	}
	format, err := g.exportFormat(cmd)
	if err != nil {
		return err
	}
	g.EndAfter(g.timeLimit)
	options := g.options()
	options.Profile = g.profile
	loaded, err := g.from.load(args, options)
	if err != nil {
		return err
	}
	g.bound(loaded)
	if err := checkOutput(g.export, loaded); err != nil {
		return err
	}
	grounding, err := engine.Ground(cmd.Context(), loaded, phase)
	if err != nil {
		return err
	}
	if g.export != "" {
		err := g.output(g.export, func(w io.Writer) error { return grounding.Export(w, format) })
		if err != nil {
			return err
		}
		g.Notef("wrote %s", g.export)
	}
	answer := grounded{Variables: grounding.Variables(), GroundRules: grounding.Potentials(),
		ByRule: grounding.Counts(), Seed: g.Seed}
	if g.profile {
		answer.Profile = grounding.Profile()
	}
	if g.show != "counts" {
		var b strings.Builder
		if err := grounding.Write(&b, session.View(g.show), g.limit); err != nil {
			return err
		}
		answer.View = b.String()
	}
	return g.Emit(answer)
}

// exportFormat returns the format of the file to write, if there is one.
func (g *grounder) exportFormat(cmd *cobra.Command) (export.Format, error) {
	if g.export == "" {
		return "", nil
	}
	format, err := export.FormatOf(g.export)
	if err != nil {
		return "", command.Usage("flag-value", command.SeeHelp(cmd), "--export: %v", err)
	}
	return format, nil
}

// grounded is what deeppsl ground answers.
type grounded struct {
	Variables   int                 `json:"variables"`
	GroundRules int                 `json:"ground_rules"`
	ByRule      []session.RuleCount `json:"ground_rules_by_rule"`
	Seed        uint64              `json:"seed"`
	View        string              `json:"view,omitempty"`
	// Profile is there with --profile.
	Profile []session.RuleProfile `json:"profile,omitempty"`
}

// Text prints the view if there is one, and the counts.
func (g grounded) Text(w io.Writer) error {
	if g.View != "" {
		if _, err := io.WriteString(w, g.View+"\n"); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(w, "%d variables, %d ground rules\n\n", g.Variables, g.GroundRules); err != nil {
		return err
	}
	if err := countTable(g.ByRule, nil).Text(w); err != nil || g.Profile == nil {
		return err
	}
	fmt.Fprintln(w)
	return profileTable(g.Profile).Text(w)
}

// profileTable has a row for each rule, and below it one for each step.
func profileTable(all []session.RuleProfile) *report.Table {
	table := report.NewTable("rows", "expected", "time", "bytes", "rule and step")
	number := func(v float64) report.Number { return report.Number(fmt.Sprintf("%.3g", v)) }
	for k := range all {
		r := &all[k]
		table.Row(r.GroundRules, "", number(r.Seconds), report.FormatBytes(float64(r.Bytes)), r.Rule)
		for _, s := range r.Steps {
			text := "- " + s.Step
			if s.Wrong {
				text += "  (not as expected)"
			}
			table.Row(s.Rows, number(s.Estimated), number(s.Seconds), report.FormatBytes(float64(s.Bytes)), text)
		}
		if r.Making > 0 {
			table.Row("", "", number(r.Making), "", "- make ground rules")
		}
	}
	return table
}

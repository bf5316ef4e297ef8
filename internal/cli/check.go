package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
)

const checkHelp = `Check reads a configuration, its rules and its tables, and says before anything
is ground how many ground rules each rule will have, how much memory and how
much time they take, and what is suspicious or wrong, each with its place.

Numbers marked ~ are estimates from a sample; the others are counts. The exit
code is 0 if there are warnings only, and 2 if there are errors.`

const checkExamples = `  deeppsl check model.json
  deeppsl check -m model.psl -d model.data
  deeppsl check model.json --json | jq .total.ground_rules`

// newCheck returns deeppsl check.
func newCheck(e *command.Env) *cobra.Command {
	p, from := &projectFlags{Env: e}, &input{}
	cmd := &cobra.Command{
		Use:     "check CONFIG [-D name=value]...",
		Short:   "Estimate what grounding costs, and report what is suspicious or wrong",
		Long:    checkHelp,
		Example: checkExamples,
		GroupID: groupRules,
		Args:    from.check,
		RunE:    func(cmd *cobra.Command, args []string) error { return p.check(cmd, from, args) },
	}
	p.flags(cmd)
	p.timeFlag(cmd)
	from.flags(cmd.Flags())
	return cmd
}

// check emits what is found as one result. In JSON the lints are part of it; in text they go to stderr, below the
// table.
func (p *projectFlags) check(cmd *cobra.Command, from *input, args []string) error {
	p.EndAfter(p.timeLimit)
	options := p.options()
	options.OnWarning = nil                                    // the summary has all
	summary := &engine.Summary{Rules: []engine.RuleEstimate{}} // JSON has a list in any case
	loaded, err := from.load(args, options)
	if err == nil {
		p.bound(loaded)
		var found *engine.Summary
		if found, err = engine.Check(cmd.Context(), loaded); found != nil {
			summary = found
		}
	}
	var failure *source.Failure
	if err != nil && !errors.As(err, &failure) {
		return err
	}
	if p.JSON {
		return p.checkJSON(from.name(args), summary, failure)
	}
	if len(summary.Rules) > 0 || failure == nil {
		if err := p.Emit(checked{Config: from.name(args), Summary: *summary}); err != nil {
			return err
		}
	}
	if failure == nil && !p.Quiet {
		summary.Diagnostics.Render(p.Err, command.Color(p.Err), command.MaxDiagnostics)
	}
	return err
}

// checkJSON prints everything in one object; the exit code alone tells that there are errors.
func (p *projectFlags) checkJSON(path string, summary *engine.Summary, failure *source.Failure) error {
	if failure != nil {
		summary.Lints = failure.Diagnostics.Plain()
	}
	if err := p.Emit(checked{Config: path, Summary: *summary}); err != nil || failure == nil {
		return err
	}
	return command.ErrWrongInput
}

// shownFeatures bounds the names that a line has; in JSON all are there.
const shownFeatures = 12

// checked is what deeppsl check answers.
type checked struct {
	Config string `json:"config"`
	engine.Summary
}

// Text prints a line per rule, the totals, and what the rules are about.
func (c checked) Text(w io.Writer) error {
	table := report.NewTable("ground rules", "memory", "time", "rule")
	all := true
	for _, r := range c.Rules {
		table.Row(costCells(r.Cost, r.Exact, r.Rule)...)
		all = all && r.Exact
	}
	table.Row(costCells(c.Total, all, "all rules")...)
	if err := table.Text(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d rules over %d predicates, %d observations, %d targets\n",
		len(c.Rules), c.Predicates, c.Observations, c.Targets)
	for _, f := range c.Features {
		names, more := f.Names, ""
		if len(names) > shownFeatures {
			names, more = names[:shownFeatures], ", …"
		}
		fmt.Fprintf(w, "network %s sees %d features of %d things: %s%s\n", f.Network, len(f.Names), f.Rows,
			strings.Join(names, ", "), more)
	}
	fmt.Fprint(w, coded(c.Coded))
	switch {
	case len(c.Lints) > 0:
	case c.Total.Seconds > preflight.SlowSeconds:
		fmt.Fprintf(w, "nothing is wrong, but grounding takes about %s\n", preflight.Duration(c.Total.Seconds))
	default:
		fmt.Fprintln(w, "nothing is wrong")
	}
	return nil
}

// costCells are the cells of one line; estimates are marked.
func costCells(cost engine.Cost, exact bool, name string) []any {
	count, mark := cost.GroundRules, ""
	if !exact {
		count, mark = rounded(count), "~"
	}
	return []any{
		report.Number(fmt.Sprintf("%s%d", mark, count)), report.Number(mark + preflight.Size(float64(cost.Bytes))),
		report.Number(roughTime(cost.Seconds)), name,
	}
}

// rounded keeps the first three digits of an estimate.
func rounded(count int64) int64 {
	unit := int64(1)
	for count/unit >= 1000 {
		unit *= 10
	}
	return (count + unit/2) / unit * unit
}

// roughTime prints an estimate of time, of which one digit is meant.
func roughTime(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return "< 1 ms"
	case seconds < 1:
		return fmt.Sprintf("~%.0f ms", 1e3*seconds)
	case seconds < 120:
		return fmt.Sprintf("~%.0f s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("~%.0f min", seconds/60)
	case seconds < 1e6*3600:
		return fmt.Sprintf("~%.0f h", seconds/3600)
	}
	return fmt.Sprintf("~10^%.0f h", math.Log10(seconds/3600))
}

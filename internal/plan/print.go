package plan

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/deeppsl/deeppsl/internal/program"
)

// String prints the plan as Write does.
func (p *Plan) String() string {
	var b strings.Builder
	p.Write(&b) // a strings.Builder never fails
	return b.String()
}

// Write prints the rule and, below it, one line per step: what it does, to which atom, how it gets at the rows, what it
// decides, and how many rows are estimated to pass.
func (p *Plan) Write(w io.Writer) error {
	fmt.Fprintf(w, "rule %d: %s\n", p.Rule.Index+1, p.Rule.Text)
	if len(p.Conditions) > 0 {
		fmt.Fprintf(w, "  if %s\n", p.conditions(p.Conditions))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for k := range p.Steps {
		s := &p.Steps[k]
		fmt.Fprintf(table, "  %s\t%s\t%s\t~%s rows\n", p.op(k), p.atom(s), p.how(s), count(s.Rows))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "  ~%s groundings, ~%s bytes, %s\n",
		count(p.Groundings), count(p.Bytes), duration(p.seconds()))
	return err
}

// Describe tells what step k does, without what it decides.
func (p *Plan) Describe(k int) string { return p.op(k) + " " + p.atom(&p.Steps[k]) }

// op names what step k does; those that are met go with the first.
func (p *Plan) op(k int) string {
	switch first := p.Meeting(k); {
	case p.Steps[k].Meets > 0:
		return "meet"
	case first >= 0 && first < k:
		return "with"
	}
	return p.Steps[k].Op.String()
}

// atom prints the step's atom; bound columns stand in brackets, summation variables behind a plus sign.
func (p *Plan) atom(s *Step) string {
	bound := make(map[int]bool)
	for _, column := range s.Key {
		bound[column] = true
	}
	args := make([]string, len(s.Atom.Args))
	for column, arg := range s.Atom.Args {
		args[column] = p.term(arg)
		if arg.IsVariable() && p.Rule.Variables[arg.Variable].Summation {
			args[column] = "+" + args[column]
		}
		if bound[column] && arg.IsVariable() {
			args[column] = "[" + args[column] + "]"
		}
	}
	return s.Relation.Name + "(" + strings.Join(args, ", ") + ")"
}

// term prints an argument as it is written in rules.
func (p *Plan) term(t program.Term) string {
	if t.IsVariable() {
		return p.Rule.Variables[t.Variable].Name
	}
	return "'" + t.Constant + "'"
}

// how notes what the operation's name does not say.
func (p *Plan) how(s *Step) string {
	var notes []string
	switch {
	case s.Projected():
		notes = append(notes, "distinct")
	case s.Op == Lookup && s.Relation.Open:
		notes = append(notes, "must be a target")
	}
	if s.Order > 0 {
		notes = append(notes, "by "+p.term(s.Atom.Args[s.Order-1]))
	}
	if s.Meets > 0 {
		notes = append(notes, "one by one, ~"+count(s.Tried)+" rows")
	}
	if s.Reduced {
		notes = append(notes, "of ~"+count(s.Part*float64(s.Relation.Len()))+" rows that can be asked for")
	}
	if s.Ahead != nil {
		notes = append(notes, "if linked to "+p.atom(&p.Steps[s.Ahead.Of]))
	}
	if len(s.Conditions) > 0 {
		notes = append(notes, "if "+p.conditions(s.Conditions))
	}
	return strings.Join(notes, ", ")
}

// conditions prints some of the rule's comparisons.
func (p *Plan) conditions(which []int) string {
	texts := make([]string, len(which))
	for k, c := range which {
		condition := p.Rule.Conditions[c]
		sign := [...]string{program.Same: "==", program.Different: "!=", program.Before: "%",
			program.NotBefore: "!%"}[condition.Op]
		texts[k] = p.term(condition.Left) + " " + sign + " " + p.term(condition.Right)
	}
	return strings.Join(texts, ", ")
}

// duration prints an estimate of time; below a millisecond it means nothing.
func duration(seconds float64) string {
	if seconds < 1e-3 {
		return "under 1 ms"
	}
	return "~" + count(seconds) + " s"
}

// count prints an estimate with two significant digits: it pretends to no more.
func count(x float64) string {
	if x < 10 || x >= 1e15 {
		return fmt.Sprintf("%.2g", x)
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return fmt.Sprintf("%.0f", math.Round(x/unit)*unit)
}

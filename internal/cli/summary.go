package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
)

// summary is the answer in a few lines; empty where there is none, or it is about examples.
type summary struct {
	ByPredicate []session.PredicateAnswer `json:"answer_by_predicate,omitempty"`
	CostByRule  []session.RuleCost        `json:"cost_by_rule,omitempty"`
}

// summarize sums up the answer of a run.
func summarize(r *engine.Report) (s summary, err error) {
	if r.Answer == nil || r.Failed() || r.Predictions != nil {
		return s, nil
	}
	s.ByPredicate = r.Grounding.ByPredicate(r.Answer)
	s.CostByRule, err = r.Grounding.CostByRule(r.Answer)
	return s, err
}

// predicates shows the answer by predicate.
func (s summary) predicates(w io.Writer) error {
	if len(s.ByPredicate) == 0 {
		return nil
	}
	headers := []string{"predicate", "atoms", "mean", "above ½", "largest"}
	known := slices.ContainsFunc(s.ByPredicate, func(p session.PredicateAnswer) bool { return p.True != nil })
	if known {
		headers = slices.Insert(headers, 4, "true")
	}
	table := report.NewTable(headers...)
	for _, p := range s.ByPredicate {
		largest := make([]string, len(p.Largest))
		for k, a := range p.Largest {
			largest[k] = fmt.Sprintf("(%s) %.4f", strings.Join(a.Arguments, ", "), a.Value)
		}
		row := []any{p.Predicate, p.Atoms, report.Number(fmt.Sprintf("%.4f", p.Mean)),
			report.Number(fmt.Sprintf("%.1f %%", 100*p.AboveHalf))}
		if known {
			row = append(row, trueAtoms(p.True))
		}
		table.Row(append(row, strings.Join(largest, ", "))...)
	}
	if err := table.Text(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// trueAtoms says which atoms count as true, where that was learned.
func trueAtoms(t *session.TrueAtoms) report.Number {
	if t == nil {
		return ""
	}
	return report.Number(fmt.Sprintf("%.1f %% from %.4g on", 100*t.Share, t.From))
}

// rules shows the cost by rule.
func (s summary) rules() *report.Table {
	table := report.NewTable("weight", "ground rules", "active", "cost", "rule")
	for _, c := range s.CostByRule {
		weight, cost := report.Number("hard"), report.Number("")
		if !c.Hard {
			weight, cost = report.Number(fmt.Sprintf("%.3g", c.Weight)), report.Number(fmt.Sprintf("%.4g", c.Cost))
		}
		table.Row(weight, c.GroundRules, c.Active, cost, c.Rule)
	}
	return table
}

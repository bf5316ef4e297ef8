package inspect

import (
	"bytes"
	"context"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
)

// overview is the page that all begin with.
func (s *Site) overview(context.Context, url.Values) (*page, error) {
	curve, err := s.curve()
	if err != nil {
		return nil, err
	}
	costs, err := s.costs()
	if err != nil {
		return nil, err
	}
	return &page{Name: "overview", Title: "Overview", Data: struct {
		Report     *engine.Report
		Answer     *session.Answer
		Predicates []session.PredicateAnswer
		Learned    bool // from which value on atoms are true, of some predicate
		Rules      []session.RuleCost
		Curve      template.HTML
		Lints      int
		Proven     bool
		Memory     string
	}{s.report, s.answer, s.predicates, slices.ContainsFunc(s.predicates, learned),
		costs, curve, len(s.lints), !math.IsInf(s.answer.Gap, 0),
		report.FormatBytes(float64(s.report.PeakRSS))}}, nil
}

// learned tells whether learning has found from which value on a predicate's atoms are true.
func learned(p session.PredicateAnswer) bool { return p.True != nil }

// curve draws how learning went; "" if nothing was learned epoch by epoch.
func (s *Site) curve() (template.HTML, error) {
	chart := learn.Curve(s.report.LearningCurve)
	if chart == nil {
		return "", nil
	}
	var b bytes.Buffer
	err := chart.SVG(&b)
	return template.HTML(b.String()), err // a chart escapes its own text
}

// rule is the page of a rule, with the ground rules of it that cost most.
func (s *Site) rule(ctx context.Context, query url.Values) (*page, error) {
	k, err := strconv.Atoi(query.Get("n"))
	if err != nil || k < 0 || k >= len(s.grounding.Program.Rules) {
		return nil, errMissing
	}
	costs, err := s.costs()
	if err != nil {
		return nil, err
	}
	ground, err := s.costliest(ctx, k)
	if err != nil {
		return nil, err
	}
	written := s.grounding.Program.Rules[k].Span.Written()
	file, line := "", 0
	if written.File != nil {
		file = written.File.Name
	}
	if written.HasText() {
		line, _ = written.File.Position(written.Start)
	}
	return &page{Name: "rule", Title: "Rule " + strconv.Itoa(k+1), Data: struct {
		session.RuleCost
		Count  session.RuleCount
		File   string
		Line   int
		Ground []groundRule
	}{costs[k], s.grounding.Counts()[k], file, line, ground}}, nil
}

// messages is the page of what was suspicious.
func (s *Site) messages(context.Context, url.Values) (*page, error) {
	return &page{Name: "messages", Title: "Messages", Data: append(s.lints[:len(s.lints):len(s.lints)],
		s.report.Warnings...)}, nil
}

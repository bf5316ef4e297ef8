package serve

import (
	"context"
	"errors"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Model is what a service makes its answers from.
type Model struct {
	Title   string
	Project *project.Project
	// Lints are what was suspicious about the project; those that grounding finds are added before Open returns.
	Lints *source.Diagnostics
	// Report is of the run that all begins with, once Open has returned; without its groundings, whose time is over then.
	Report *engine.Report

	known *inspect.Known
}

// ErrNoAnswer is the error of a project without an answer to begin with; Model.Report says why.
var ErrNoAnswer = errors.New("the project has no answer to begin with: deeppsl run says why")

// begin makes the session that a journal has come to. Its changes are made in the tables, so that all is ground and
// inferred once, unless what rules weigh or how networks scale comes from the tables as they were.
func (m *Model) begin(ctx context.Context, h *live.History) (_ *live.Session, err error) {
	after := h.Snapshot == nil && (len(h.Records) == 0 || m.Project.Learns() || len(m.Project.Config.Networks) > 0)
	if after {
		m.Report, err = engine.Run(ctx, m.Project, engine.Stages{})
	} else {
		m.Report, err = engine.Resume(ctx, m.Project, h.Restore)
	}
	if err != nil {
		return nil, err
	}
	g, answer := m.Report.Grounding, m.Report.Answer
	if answer == nil || m.Report.Interrupted() || len(m.Report.Conflict) > 0 {
		return nil, ErrNoAnswer
	}
	m.Report.Grounding, m.Report.Answer, m.Report.Training, m.Report.Learned = nil, nil, nil, nil
	m.known = &inspect.Known{}
	s, err := live.Knowing(ctx, g, answer)
	if err == nil && after {
		err = s.Replay(ctx, h.Records)
	}
	return s, err
}

// pages makes those about an answer, whose multipliers are asked for where they are needed.
func (m *Model) pages(g *session.Grounding, answer *session.Answer, multipliers func() []float64) *inspect.Site {
	now := *m.Report
	now.Grounding, now.Answer, now.Objective = g, answer, answer.Objective
	now.Variables, now.GroundRules = g.Variables(), g.Potentials()
	site := inspect.Of(m.Title, &now, m.Lints.Plain(), multipliers)
	site.Known = m.known
	return site
}

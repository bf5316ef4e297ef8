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

// begin makes the session that a journal goes on from: of a snapshot, or, if that is nil, of the project's own tables.
func (m *Model) begin(ctx context.Context, snapshot *live.Snapshot) (*live.Session, error) {
	var err error
	if snapshot == nil {
		m.Report, err = engine.Run(ctx, m.Project, engine.Stages{})
	} else {
		m.Report, err = engine.Resume(ctx, m.Project, snapshot.Restore)
	}
	if err != nil {
		return nil, err
	}
	g := m.Report.Grounding
	if m.Report.Answer == nil || m.Report.Interrupted() || len(m.Report.Conflict) > 0 {
		return nil, ErrNoAnswer
	}
	answer, err := g.InferAgain(ctx, m.Report.Answer)
	if err != nil {
		return nil, err
	}
	m.Report.Grounding, m.Report.Answer, m.Report.Training, m.Report.Learned = nil, nil, nil, nil
	m.known = &inspect.Known{}
	return live.New(g, answer)
}

// pages makes those about an answer, which has its multipliers.
func (m *Model) pages(ctx context.Context, g *session.Grounding, answer *session.Answer) (*inspect.Site, error) {
	now := *m.Report
	now.Grounding, now.Answer, now.Objective = g, answer, answer.Objective
	now.Variables, now.GroundRules = g.Variables(), g.Potentials()
	site, err := inspect.New(ctx, m.Title, &now, m.Lints.Plain())
	if err == nil {
		site.Known = m.known
	}
	return site, err
}

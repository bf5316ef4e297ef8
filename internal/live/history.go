package live

import (
	"context"
	"fmt"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/session"
)

// History is what a journal has: the snapshot that it begins with, nil for none, and what has been changed since.
type History struct {
	Snapshot *Snapshot
	Records  []Record
}

// changes are those of all records.
func (h *History) changes() (all []change.Change) {
	for _, r := range h.Records {
		all = append(all, r.Changes...)
	}
	return all
}

// Restore grounds what a project's phase, of which a grounding is given, has become. Without a snapshot its rules have
// the weights that are written, and networks the scales of the rows that there are now.
func (h *History) Restore(ctx context.Context, g *session.Grounding) (*session.Grounding, error) {
	a := &amendment{grounding: *g, snapshot: h.Snapshot, changes: h.changes()}
	if h.Snapshot == nil {
		a.prog = copied(g.Program)
		for _, rule := range g.Program.Rules {
			a.theta = append(a.theta, rule.Weight.Value)
		}
		return a.ground(ctx)
	}
	var err error
	if a.prog, a.theta, err = h.Snapshot.program(g.Program); err != nil {
		return nil, err
	}
	return a.ground(ctx)
}

// Begin returns the session that begin makes of a history. If it makes none, or one without a state, begin is asked for
// one without the records, which are made then: so that the error names the first that does not fit.
func (h *History) Begin(ctx context.Context, begin func(*History) (*Session, error)) (*Session, error) {
	s, err := begin(h)
	if len(h.Records) == 0 || err == nil && !s.infeasible || ctx.Err() != nil {
		return s, err
	}
	if s, err = begin(&History{Snapshot: h.Snapshot}); err != nil {
		return nil, err
	}
	return s, s.Replay(ctx, h.Records)
}

// Replay makes changes that have been made once, as a journal has them; Journal gets none. They are made together, so
// that what follows from them, is ground anew and inferred is so once; where they do not fit any more, the error names
// the first that does not, and those before it are made.
func (s *Session) Replay(ctx context.Context, all []Record) error {
	journal := s.Journal
	s.Journal = nil
	defer func() { s.Journal = journal }()
	together := History{Records: all}
	if _, err := s.Apply(ctx, together.changes()); err == nil || ctx.Err() != nil {
		return err
	}
	for at, r := range all {
		if _, err := s.Apply(ctx, r.Changes); err != nil {
			return fmt.Errorf("record %d of changes does not fit the project any more: %w", at+1, err)
		}
	}
	return nil
}

package deeppsl

import (
	"context"
	"errors"
	"fmt"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/live"
)

// Apply makes changes, all of them or, with an error, none: atoms that come, go or are observed, weights and rules; see
// the package change. Only what they touch is ground, and the next Infer solves only around it, with a proof of all. An
// error says what has no meaning, or which hard rules could not hold together then. The first changes take an
// inference, and more memory.
func (s *Session) Apply(ctx context.Context, changes ...change.Change) (applied *change.Applied, err error) {
	err = s.living(ctx, func() error {
		applied, err = s.live.Apply(ctx, changes)
		s.inference = s.live.Grounding()
		return err
	})
	return applied, err
}

// WhatIf returns the answer that Infer would give after changes, and makes none.
func (s *Session) WhatIf(ctx context.Context, changes ...change.Change) (answer *Answer, err error) {
	err = s.living(ctx, func() error {
		found, g, err := s.live.WhatIf(ctx, changes)
		if err == nil {
			answer = newAnswer(found, g)
		}
		return err
	})
	return answer, err
}

// Journal makes the changes that a file has, if there is such a file, and from then on writes those of Apply, SetValue
// and SetWeight to it: on the disk before they return, so that a session of the same program and data that is given the
// file goes on from what was applied, however the process ended. A file of Save is such a one: its tables and rules
// then take the place of the data's. What is learned is not in it. It returns how many lines of changes the file had:
// one for each Apply. A session has one journal.
func (s *Session) Journal(ctx context.Context, path string) (applied int, err error) {
	err = s.alone(func() error {
		if s.journal != nil {
			return errors.New("the session has a journal")
		}
		journal, history, err := live.OpenJournal(path)
		if err != nil {
			return err
		}
		if err := s.replay(ctx, history); err != nil {
			return errors.Join(fmt.Errorf("journal %s: %w", path, err), journal.Close())
		}
		applied, s.journal, s.live.Journal = len(history.Records), journal, journal
		return nil
	})
	return applied, err
}

// replay makes a session what a journal says.
func (s *Session) replay(ctx context.Context, h *live.History) error {
	if h.Snapshot == nil {
		if err := s.liven(ctx); err != nil {
			return err
		}
		err := s.live.Replay(ctx, h.Records)
		s.inference = s.live.Grounding()
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	before := s.inference
	_, err := h.Begin(ctx, func(h *live.History) (*live.Session, error) {
		restored, err := h.Restore(ctx, before)
		if err != nil {
			return nil, err
		}
		s.inference, s.last, s.live = restored, nil, nil
		s.learned++
		err = s.liven(ctx)
		return s.live, err
	})
	return err
}

// Save writes what changes have made of the session, its tables, rules and weights, to a file that Journal takes. Where
// that is the session's journal, it begins with it then and has nothing of before: as long as what it has come to, and
// not as what it has been through. The file is whole or as it was, however the process ends.
func (s *Session) Save(ctx context.Context, path string) error {
	return s.living(ctx, func() error { return s.live.Save(path) })
}

// either makes a change of a session that lives, or has it made otherwise.
func (s *Session) either(c change.Change, otherwise func() error) error {
	use := s.alone
	if s.journal != nil {
		use = func(f func() error) error { return s.living(context.Background(), f) }
	}
	return use(func() error {
		if c.Kind == change.RuleWeight {
			s.learned++
		}
		if s.live != nil {
			_, err := s.live.Apply(context.Background(), []change.Change{c})
			s.inference = s.live.Grounding()
			return err
		}
		return otherwise()
	})
}

// living calls f while nobody else uses the session, which lives.
func (s *Session) living(ctx context.Context, f func() error) error {
	return s.alone(func() error {
		if err := s.liven(ctx); err != nil {
			return err
		}
		return f()
	})
}

// liven makes a session one that lives.
func (s *Session) liven(ctx context.Context) error {
	if s.live != nil {
		return nil
	}
	if s.project.Examples() {
		return errors.New("the program is about examples, whose sessions do not change")
	}
	last, err := s.inference.InferAgain(ctx, s.last)
	if err != nil {
		return err
	}
	if s.live, err = live.Knowing(ctx, s.inference, last); err != nil {
		return err
	}
	s.inference, s.live.Journal = s.live.Grounding(), s.journal
	return nil
}

// settle makes a session that lives one that does not, for what is not asked of a living one.
func (s *Session) settle() error {
	if s.live == nil {
		return nil
	}
	settled, err := s.live.Settled(context.Background())
	if err != nil {
		return err
	}
	s.inference, s.live, s.last = settled, nil, nil
	s.learned++ // what was answered is about another grounding
	return nil
}

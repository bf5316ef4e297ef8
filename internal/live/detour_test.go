package live

import (
	"context"
	"errors"
	"os"

	"github.com/deeppsl/deeppsl/internal/contexttest"
	"github.com/deeppsl/deeppsl/internal/session"
)

// detours are what a session goes through beside changes, one after the other: answers that are cut short, all solved
// beside what changes, a snapshot, a journal behind it, a process that begins again with both, and all ground anew.
// None of it may make a difference.
type detours struct {
	first   *session.Grounding // of the project
	path    string             // of the journal
	whole   *Whole             // lent, if it is not nil
	journal *Journal
}

// take goes the way of a number, and returns the session that there is behind it.
func (d *detours) take(s *Session, k int) (*Session, error) {
	switch k % 11 {
	case 1:
		_, err := s.InferNear(contexttest.Countdown(int64(k % 3)))
		return s, err
	case 2:
		_, err := s.Infer(contexttest.Countdown(int64(k % 5)))
		return s, err
	case 3:
		var err error
		if d.whole, err = s.Refine(); err != nil {
			return s, err
		}
		return s, d.whole.Solve(contexttest.Countdown(1000 * int64(k%3)))
	case 4, 5:
		if d.whole == nil || k%11 == 4 && k%2 == 0 {
			return s, nil
		}
		err := s.Adopt(d.whole)
		d.whole = nil
		return s, err
	case 6:
		_ = os.Remove(d.path)
		var err error
		if err = s.Save(d.path); err == nil {
			d.journal, _, err = OpenJournal(d.path)
		}
		s.Journal = d.journal
		return s, err
	case 8:
		return d.begin(s)
	case 9:
		g, err := s.Settled(context.Background())
		if err != nil {
			return s, err
		}
		return living(g)
	}
	return s, nil
}

// begin returns a session that begins where a process that kept a journal has ended.
func (d *detours) begin(s *Session) (*Session, error) {
	if d.journal == nil {
		return s, nil
	}
	err := d.journal.Close()
	journal, history, opened := OpenJournal(d.path)
	if err = errors.Join(err, opened); err != nil {
		return s, err
	}
	d.journal = nil
	again, err := history.Begin(context.Background(), func(h *History) (*Session, error) {
		g, err := h.Restore(context.Background(), d.first)
		if err != nil {
			return nil, err
		}
		return living(g)
	})
	return again, errors.Join(err, journal.Close())
}

// living infers a grounding and lets it change.
func living(g *session.Grounding) (*Session, error) {
	answer, err := g.InferAgain(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return New(g, answer)
}

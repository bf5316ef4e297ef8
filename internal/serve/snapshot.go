package serve

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/live"
)

// This file is about the length of the journal. Once it would take as long to make its changes again as to begin
// without them, a snapshot of what they have come to is written beside it, which takes its place. Updates are made
// meanwhile.

// snapshots are what the writer knows about the next one.
type snapshots struct {
	cold  time.Duration // how long the service took to begin, but for the journal's changes
	tail  time.Duration // how long the changes behind the last snapshot took
	being *live.Compaction
	size  int64 // of the journal when being was begun
	// written gets the error of writing being.
	written chan error
	asked   []*shortening // who waits for the one that is being written, or for the next
}

// leastTail is what changes may take to be made again in any case.
const leastTail = time.Second

// shortening is a request for a snapshot, and what came of it.
type shortening struct {
	*task
	before, after int64
	begun         bool
}

// errLater is what a task returns that is answered later.
var errLater = errors.New("later")

var errNoJournal = errors.New("the service has no journal")

// Snapshot makes the journal as short as what it has come to allows, and returns its bytes before and after.
func (s *Service) Snapshot(ctx context.Context) (before, after int64, err error) {
	asked := &shortening{}
	asked.task = &task{ctx: ctx, do: func(context.Context) error {
		if s.journal == nil {
			return errNoJournal
		}
		s.short.asked = append(s.short.asked, asked)
		return errLater
	}}
	_, err = s.ask(asked.task)
	return asked.before, asked.after, err
}

// shorten begins a snapshot if one is asked for, or the journal is long.
func (s *Service) shorten() {
	n := &s.short
	if s.journal == nil || s.live == nil || n.being != nil || len(n.asked) == 0 && n.tail < n.cold {
		return
	}
	start := time.Now()
	snapshot := s.live.Snapshot()
	snapshot.Updates, snapshot.Keys = s.Current().Updates, slices.Clone(s.order)
	var err error
	n.written, n.tail, n.size = make(chan error, 1), 0, s.journal.Size()
	for _, asked := range n.asked {
		asked.begun, asked.before = true, n.size
	}
	if n.being, err = s.journal.Compact(snapshot); err != nil {
		n.being = nil
		s.shortened(err)
		return
	}
	s.counts.copying.Add(int64(time.Since(start)))
	being, written := n.being, n.written
	go func() { written <- being.Write() }()
}

// take ends a snapshot that has been written.
func (s *Service) take(err error) {
	if err == nil {
		err = s.short.being.Take()
	}
	s.short.being = nil
	s.shortened(err)
	s.shorten() // for those who have asked since
}

// shortened answers those who have asked for the snapshot that has ended. If it failed, the journal stays as long as it
// was, and the next one is tried when it is as long again.
func (s *Service) shortened(err error) {
	if err != nil {
		s.counts.unshortened.Add(1)
		s.model.Project.Log.Warn("the journal could not be shortened", "error", err)
	} else {
		s.counts.snapshots.Add(1)
	}
	s.short.asked = slices.DeleteFunc(s.short.asked, func(asked *shortening) bool {
		if asked.begun {
			asked.after = s.journal.Size()
			asked.done <- outcome{err: err}
		}
		return asked.begun
	})
}
